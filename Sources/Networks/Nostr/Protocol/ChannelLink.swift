internal import Channels
internal import RelayNetwork
internal import StrictJSON

// Someone else's channels, as links name them and relays show them.
extension ChannelReference {
  /// The longest link that is read, in bytes.
  private static let linkBytesMax = 5_000

  /// Reads a link to a public channel or a group (NIP-19, with `nostr:` of NIP-21 or without), or the address of a page that shows one.
  /// - Returns: `nil` if it is not a link of Nostr.
  init?(nostrLink text: String) throws(NetworkFailure) {
    let link = HumanText.link(text)
    guard link.utf8.count <= Self.linkBytesMax else { return nil }
    let event = NIP19.name(inLink: link, NIP19.eventMarks)
    // Some pages have the id of the first event in their address.
    if event == nil, let id = NIP19.wordsOfPage(link)?.first(where: { Hex.decode($0, count: 32) != nil }) {
      self.init(kind: .channel, networkID: id, trustAnchor: nil, relays: [])
      return
    }
    guard let name = event ?? NIP19.name(inLink: link, NIP19.personMarks + ["nsec1"]) else { return nil }
    let object: NIP19
    do {
      object = try NIP19(name)
    } catch {
      guard event != nil else { return nil }
      throw NetworkFailure("the link is malformed: \(error.rawValue)")
    }
    switch object {
    case .nevent(let id, let relays, let author, let kind):
      guard kind ?? UInt32(PublicChannel.creationKind) == PublicChannel.creationKind else {
        throw NetworkFailure("it names an event of kind \(kind ?? 0), and public channels have kind 40")
      }
      self.init(kind: .channel, networkID: id, trustAnchor: author, relays: Self.normal(relays))
    case .note(let id): self.init(kind: .channel, networkID: id, trustAnchor: nil, relays: [])
    case .naddr(let identifier, let relays, let author, let kind):
      guard kind == RelayGroup.metadataKind else {
        throw NetworkFailure("it names an event of kind \(kind), and groups have kind 39000")
      }
      guard RelayGroup.isID(identifier) else {
        throw NetworkFailure("the name of the group has characters that groups do not have")
      }
      self.init(kind: .group, networkID: identifier, trustAnchor: author, relays: Self.normal(relays))
    case .npub, .nprofile: throw NetworkFailure("it names a person")
    // The text must not be shown.
    case .nsec: throw NetworkFailure("it is a secret key, which no one else may see. Anyone who has seen it can act with it")
    }
  }

  /// Invalid addresses are left out.
  private static func normal(_ relays: [String]) -> [String] {
    relays.compactMap { (try? RelayURL($0))?.text }
  }

  /// The filters for asking a relay about the channel.
  var filters: [JSONValue] {
    let first: [JSONValue] = kind == .channel ? [["ids": .array([.string(networkID)])]] : []
    return first + (trustAnchor.map { [states(by: $0).json()] } ?? [])
  }

  /// The events with the present profile of the channel.
  /// - Parameter author: the key that signs them: the author of the channel, or the relay of the group.
  private func states(by author: String) -> HistoryFilter {
    switch kind {
    case .channel: HistoryFilter(authors: [author], kinds: [PublicChannel.metadataKind], tags: ["e": [networkID]])
    case .group: HistoryFilter(authors: [author], kinds: [RelayGroup.metadataKind], tags: ["d": [networkID]])
    }
  }

  /// The newest of these events.
  private func newestState(in events: [NostrEvent], by author: String) -> NostrEvent? {
    let states = states(by: author)
    return events.filter { states.matches($0) && (try? $0.verify()) != nil }.max { $1.isNewer(than: $0) }
  }

  /// The same group under the key with which its relay signs, if the link has the key of the relay's contact in its place, or else `nil`.
  /// Both were one before NIP-11 had `self`.
  func signed(asSaidBy relay: RelayInformation?) -> ChannelReference? {
    guard kind == .group, let relay, let key = relay.ownKey, relay.contactKey == trustAnchor, key != trustAnchor else {
      return nil
    }
    return signed(by: key)
  }

  /// The same channel, whose author is known.
  func signed(by author: String) -> ChannelReference {
    ChannelReference(kind: kind, networkID: networkID, trustAnchor: author, relays: relays)
  }

  /// The channel that a relay shows, from the events that it served.
  /// - Throws: an error that names the missing part.
  func channel(in events: [NostrEvent], for identity: IdentityID) throws(NetworkFailure) -> FoundChannel {
    switch kind {
    case .channel: try publicChannel(events, identity)
    case .group: try group(events, identity)
    }
  }

  private func publicChannel(_ events: [NostrEvent], _ identity: IdentityID) throws(NetworkFailure) -> FoundChannel {
    guard let first = events.first(where: { $0.id == networkID }) else { throw NetworkFailure("it does not serve the channel") }
    do throws(NostrEvent.Flaw) { try first.verify() } catch { throw NetworkFailure("it serves a forgery: \(error.rawValue)") }
    guard first.kind == PublicChannel.creationKind else {
      throw NetworkFailure("the link names an event of kind \(first.kind), and public channels have kind 40")
    }
    guard trustAnchor == nil || trustAnchor == first.publicKey else {
      throw NetworkFailure("the channel and the link have different authors")
    }
    let edition = newestState(in: events, by: first.publicKey).flatMap { RelayGroup.Metadata(text: $0.content) }
    return found(edition ?? RelayGroup.Metadata(text: first.content), signedBy: first.publicKey, identity)
  }

  private func group(_ events: [NostrEvent], _ identity: IdentityID) throws(NetworkFailure) -> FoundChannel {
    guard let author = trustAnchor, let newest = newestState(in: events, by: author) else {
      throw NetworkFailure("it does not show the group")
    }
    return found(RelayGroup.Metadata(newest), signedBy: author, identity)
  }

  /// Its document is left out: Baton never gives it to anyone, and strangers may have made it as large as they like.
  private func found(_ shown: RelayGroup.Metadata?, signedBy author: String, _ identity: IdentityID) -> FoundChannel {
    FoundChannel(
      content: ChannelContent(kind: kind, identity: identity, networkID: networkID, trustAnchor: author, document: ""),
      name: shown?.name ?? "", about: shown?.about ?? "")
  }
}
