public import Channels

/// A channel as a link names it, ours or someone else's.
public struct ChannelReference: Hashable, Sendable {
  public let kind: ChannelKind
  /// The network's name for the channel, as in `ChannelContent`. Empty if it becomes known only by joining the channel.
  public let networkID: String
  /// The key whose signature readers check, or `nil` if the link does not name one.
  public let trustAnchor: String?
  /// Normal addresses of the relays that the link names.
  public let relays: [String]

  public init(kind: ChannelKind, networkID: String, trustAnchor: String?, relays: [String]) {
    self.kind = kind
    self.networkID = networkID
    self.trustAnchor = trustAnchor
    self.relays = relays
  }
}

/// Someone else's channel as a relay shows it, or as its network does once it is joined.
public struct FoundChannel: Hashable, Sendable {
  public let content: ChannelContent
  /// The channel's own name. Strangers may have written anything, of any length.
  public let name: String
  /// The channel's own description, unchanged.
  public let about: String
  /// Whether the identity turned out to run it itself, wherever it was created.
  public let isOwn: Bool

  public init(content: ChannelContent, name: String, about: String, isOwn: Bool = false) {
    self.isOwn = isOwn
    self.content = content
    self.name = name
    self.about = about
  }
}

// Most networks have channels that no one follows from outside.
extension RelayNetwork {
  /// Some networks have no links that Baton can follow.
  public func channel(fromLink text: String) throws(NetworkFailure) -> ChannelReference? { nil }

  public func look(
    for channel: ChannelReference, as identity: IdentityID, at address: String
  ) async throws(NetworkFailure) -> FoundChannel {
    throw NetworkFailure("channels on this network cannot be followed", isUnsupported: true)
  }

  public func join(
    _ channel: ChannelReference, as identity: IdentityID
  ) async throws(NetworkFailure) -> FoundChannel {
    throw NetworkFailure("channels on this network cannot be joined", isUnsupported: true)
  }

  /// No one notices who reads.
  public func leave(_ content: ChannelContent) async throws(NetworkFailure) {}
}
