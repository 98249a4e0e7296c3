public import Channels
public import RelayNetwork

/// Channels of others in a fake world. Links to them are `fake|KIND|NAME|KEY`, with `|ADDRESS` for each relay. Where channels are joined,
/// their names are known only then, and the link is what stands for the key.
public struct ForeignChannel: Hashable, Sendable {
  public var name: String
  public var about: String
  /// The addresses of the relays that show it.
  public var addresses: Set<String>
  /// Whether it is run by whoever would join it.
  public var isOwn: Bool

  public init(_ name: String, about: String = "", at addresses: Set<String> = [], isOwn: Bool = false) {
    self.isOwn = isOwn
    (self.name, self.about, self.addresses) = (name, about, addresses)
  }
}

extension FakeNetwork {
  public func channel(fromLink text: String) throws(NetworkFailure) -> ChannelReference? {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard parts.first == "fake" else { return nil }
    guard parts.count > 3, let kind = ChannelKind(rawValue: parts[1]) else { throw NetworkFailure("it names nothing") }
    guard parts[2] != "unheard" else { throw NetworkFailure("no one can do this", isUnsupported: true) }
    if readsAsMember { return ChannelReference(kind: kind, networkID: "", trustAnchor: parts[2], relays: []) }
    return ChannelReference(kind: kind, networkID: parts[2], trustAnchor: parts[3], relays: Array(parts.dropFirst(4)))
  }

  public func look(
    for channel: ChannelReference, as identity: IdentityID, at address: String
  ) async throws(NetworkFailure) -> FoundChannel {
    guard let found = following.foreign[channel.networkID] else { throw NetworkFailure("it does not serve the channel") }
    guard found.addresses.contains(address) else { throw NetworkFailure("it knows of nothing") }
    return FoundChannel(
      content: ChannelContent(
        kind: channel.kind, identity: identity, networkID: channel.networkID, trustAnchor: channel.trustAnchor ?? "",
        document: found.name),
      name: found.name, about: found.about)
  }

  public func join(
    _ channel: ChannelReference, as identity: IdentityID
  ) async throws(NetworkFailure) -> FoundChannel {
    if let trouble = following.trouble { throw NetworkFailure(trouble, isUnavailable: true) }
    let name = channel.trustAnchor ?? ""
    guard let found = following.foreign[name] else { throw NetworkFailure("the link leads nowhere") }
    if !found.isOwn { following.joined.insert(name) }
    let content = ChannelContent(
      kind: channel.kind, identity: identity, networkID: name, trustAnchor: name, document: found.name)
    return FoundChannel(content: content, name: found.name, about: found.about, isOwn: found.isOwn)
  }

  public func leave(_ content: ChannelContent) async throws(NetworkFailure) {
    if let trouble = following.trouble { throw NetworkFailure(trouble, isUnavailable: true) }
    following.joined.remove(content.networkID)
  }
}
