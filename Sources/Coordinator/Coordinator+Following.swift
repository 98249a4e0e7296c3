public import Channels
internal import Foundation
internal import RelayNetwork
internal import Storage

/// A request to read a channel that others run.
public struct FollowRequest: Hashable, Sendable {
  /// The link to the channel, as people pass it on.
  public var link: String
  /// The relays from which it is read; those that the link names, as far as Baton has them, if it is `nil`.
  public var relays: [RelayID]?
  /// What it is called here; what it calls itself if it is `nil`.
  public var displayName: String?
  /// On whose behalf: messages that name this identity's key are mentions.
  public var identity: String?

  public init(link: String, relays: [RelayID]? = nil, displayName: String? = nil, identity: String? = nil) {
    self.link = link
    self.relays = relays
    self.displayName = displayName
    self.identity = identity
  }
}

// Channels that others run. They are only read.
extension Coordinator {
  /// Reads a channel of others from now on. Returns once that is durable.
  /// - Returns: the channel; the one that there is already if it is followed, or is Baton's own.
  /// - Throws: `invalidLink`, `noKnownRelay`, `notFollowable` and `notSupported`, among others.
  public func follow(_ request: FollowRequest) async throws(BatonError) -> ChannelSnapshot {
    guard readsMessages else {
      throw .following(.notFollowable(reason: "this daemon reads no messages; turn messages on in its configuration"))
    }
    var given: String?
    if let name = request.displayName { given = try ProfileRules.validated(Profile(displayName: name)).displayName }
    let (network, reference) = try channel(fromLink: request.link)
    if let known = try await known(reference, on: network.kind) { return snapshot(known) }
    let candidates = try relays(for: request, reference, on: network.kind)
    let name = request.identity ?? Self.mainIdentity
    guard let identity = directory.read({ $0.identities }).first(where: { $0.network == network.kind && $0.name == name })
    else { throw .noSuchIdentity(name) }
    let (found, place) = try await look(for: reference, as: identity.id, at: candidates, on: network)
    // A group lives on one relay, whatever else a link names.
    let relays = reference.kind == .group ? [place] : candidates.map(\.id)
    let profile = Profile(displayName: given ?? Self.name(of: found), description: Self.about(found))
    let new = NewChannel(
      request: ChannelRequest(kind: reference.kind, profile: profile, identity: name, heal: false), profile: profile,
      network: network.kind, relays: relays, isPicked: false, content: found.content, isOwned: false)
    return try await answer { .create(new, $0) }.get()
  }

  /// Reads a channel of others no more. What was read of it is forgotten.
  /// - Throws: `owned` if it is one of Baton's own.
  public func unfollow(_ channel: ChannelID) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .unfollow(channel, $0) }
  }

  /// The channel that a link names, if there is one already.
  private func known(_ reference: ChannelReference, on network: NetworkKind) async throws(BatonError) -> StoredChannel? {
    do {
      let name = ChannelName(network: network, networkID: reference.networkID)
      let ids = try await storage.livingChannels(named: name, limit: Decider.namesakesMax)
      guard !ids.isEmpty else { return nil }
      let stored = try await storage.channels(Set(ids))
      if let damage = ids.lazy.compactMap({ stored.unreadable[$0] }).first { throw damage }
      return ids.lazy.compactMap { stored.found[$0] }.first { channel in
        channel.row.kind == reference.kind
          && (reference.kind == .channel || channel.row.trustAnchor == reference.trustAnchor)
      }
    } catch {
      throw BatonError(reading: error)
    }
  }

  private func channel(fromLink link: String) throws(BatonError) -> (any RelayNetwork, ChannelReference) {
    for (_, network) in directory.networks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      do throws(NetworkFailure) {
        guard let reference = try network.channel(fromLink: link) else { continue }
        return (network, reference)
      } catch {
        guard error.isUnsupported else { throw .following(.invalidLink(reason: error.description)) }
        throw .post(.notSupported(network.kind, reason: error.description))
      }
    }
    guard NetworkKind.lookingLike(link) != .simplex else {
      throw .networkUnavailable(.simplex, reason: "this daemon does not serve the network 'simplex'")
    }
    throw .following(
      .invalidLink(reason: "it is no link to a channel; on nostr that begins with nostr:nevent1 or nostr:naddr1"))
  }

  /// The relays from which a channel is read.
  private func relays(
    for request: FollowRequest, _ channel: ChannelReference, on network: NetworkKind
  ) throws(BatonError) -> [RelayRow] {
    let known = directory.relays
    var chosen: [RelayRow] = []
    if let named = request.relays, !named.isEmpty {
      guard named.count <= ChannelRequest.relaysMax else {
        throw .tooManyRelays(wanted: named.count, max: ChannelRequest.relaysMax)
      }
      for id in named where !chosen.contains(where: { $0.id == id }) {
        guard let row = known[id], !row.isDeleted else { throw .noSuchRelay(id) }
        guard row.network == network else { throw .networkMismatch(id) }
        chosen.append(row)
      }
    } else {
      let there = known.values.filter { !$0.isDeleted && $0.network == network }.sorted { $0.id < $1.id }
      for address in channel.relays where !chosen.contains(where: { $0.address == address }) {
        if let row = there.first(where: { $0.address == address }) { chosen.append(row) }
      }
      // A link alone must not make Baton connect to anybody.
      guard !chosen.isEmpty else { throw .following(.noKnownRelay(addresses: channel.relays)) }
      return Array(chosen.prefix(ChannelRequest.relaysMax))
    }
    if channel.kind == .group, chosen.count != 1 { throw .groupNeedsOneRelay }
    return chosen
  }

  /// Asks all relays at once, and takes the first that shows the channel.
  private func look(
    for channel: ChannelReference, as identity: IdentityID, at relays: [RelayRow], on network: any RelayNetwork
  ) async throws(BatonError) -> (FoundChannel, RelayID) {
    typealias Answer = (RelayID, Result<FoundChannel, NetworkFailure>)
    let (found, failures) = await withTaskGroup(of: Answer.self) { group in
      for relay in relays {
        group.addTask {
          do throws(NetworkFailure) {
            return (relay.id, .success(try await network.look(for: channel, as: identity, at: relay.address)))
          } catch { return (relay.id, .failure(error)) }
        }
      }
      var failures: [RelayID: NetworkFailure] = [:]
      var found: (FoundChannel, RelayID)?
      for await (relay, answer) in group {
        switch answer {
        case .success(let channel): found = found ?? (channel, relay)
        case .failure(let failure): failures[relay] = failure
        }
        if found != nil { break }
      }
      group.cancelAll()
      return (found, failures)
    }
    if let found { return found }
    let reasons = relays.compactMap { relay in
      failures[relay.id].map { "'\(relay.name)': \(Trouble(.protocol, $0.description).detail)" }
    }
    throw .following(.notFollowable(reason: "no relay shows the channel; " + reasons.joined(separator: "; ")))
  }

  /// What a channel of others is called here, as far as that can be shown.
  private static func name(of channel: FoundChannel) -> String {
    // Normalizing a text that is far too long would be wasted work.
    let short = String(String.UnicodeScalarView(channel.name.unicodeScalars.prefix(64 * DisplayName.charactersMax)))
    return DisplayName.closest(to: short.precomposedStringWithCanonicalMapping)
      ?? "\(channel.content.kind.rawValue) \(channel.content.networkID.prefix(8))"
  }

  /// What a channel of others is about, as far as that can be shown; `nil` if it does not say.
  private static func about(_ channel: FoundChannel) -> String? {
    var (scalars, bytes) = (String.UnicodeScalarView(), 0)
    for scalar in channel.about.unicodeScalars {
      let isShown = scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\n" || scalar == "\t"
      bytes += UTF8.width(scalar)
      guard bytes <= Profile.descriptionBytesMax else { break }
      if isShown { scalars.append(scalar) }
    }
    return scalars.isEmpty ? nil : String(scalars)
  }
}

extension ChannelRow {
  /// Whether it is the channel that a relay shows. The name of a public channel is the hash of its first event; groups are told apart by the
  /// keys of their relays.
  func isSame(_ content: ChannelContent) -> Bool {
    kind == content.kind && networkID == content.networkID && (kind == .channel || trustAnchor == content.trustAnchor)
  }
}
