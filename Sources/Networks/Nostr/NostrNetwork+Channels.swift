public import Channels
internal import Logging
internal import NIOCore
public import RelayNetwork

// The form of channels and groups on Nostr, and the events of an operation on them.
extension NostrNetwork {
  /// The time by which an event may be ahead before relays refuse it. Most accept 15 minutes.
  private static let aheadMaxSeconds: Int64 = 900
  /// The time by which a relay's clock may be behind ours for it to accept events dated after a stray edition.
  private static let relayBehindSeconds: Int64 = 60

  public func prepare(_ draft: ChannelDraft) async throws(NetworkFailure) -> ChannelContent {
    switch draft.kind {
    case .channel: try await channel(draft, key(for: draft))
    case .group: try await group(draft)
    }
  }

  /// The key that a new channel gets.
  private func key(for draft: ChannelDraft) async -> ChannelKey {
    if let key = draft.key { return key }
    let restricting = await restrictingRelay(draft)
    if let restricting {
      logger.info("\(restricting) accepts events from known authors only, so the identity signs the new channel itself")
    }
    return restricting == nil ? .own : .identity
  }

  /// A relay of a new channel that does not accept events signed by an unknown key, by its own account.
  private func restrictingRelay(_ draft: ChannelDraft) async -> String? {
    for address in draft.relays where PeerDescription.restrictsAuthors(draft.capabilities[address] ?? []) { return address }
    // All relays are asked simultaneously, except relays that tests have asked already.
    let asked = draft.relays.filter { draft.capabilities[$0] == nil }.compactMap { address in
      (try? RelayURL(address)).map { (address, document(of: $0)) }
    }
    for (address, answer) in asked {
      if let information = try? await answer.get(), information.restrictsAuthors { return address }
    }
    return nil
  }

  private func channel(_ draft: ChannelDraft, _ kind: ChannelKey) throws(NetworkFailure) -> ChannelContent {
    guard let identity = key(of: draft.identity) else {
      throw NetworkFailure("the key of the channel's identity is not at hand")
    }
    let (signer, salt, tag): (SecretKey, [UInt8]?, [String])
    switch kind {
    case .own:
      let drawn = SecretKey.randomSalt()
      guard let own = identity.channelKey(salt: drawn) else { throw NetworkFailure("no key can be made for the channel") }
      // This names the owner of the channel.
      (signer, salt, tag) = (own, drawn, ["p", identity.publicKey])
    case .identity:
      // The tag keeps two channels with one profile apart that are created within the same second.
      (signer, salt, tag) = (identity, nil, ["baton", String(UInt64.random(in: 0 ... .max), radix: 16)])
    }
    let event = try sign(draft, with: signer, kind: PublicChannel.creationKind, tags: [tag], createdAt: now())
    // Its relays get it with the channel. The key is at hand here.
    if kind == .own { _ = knownProfile(of: event.id) { Self.profile(of: event.text, signedBy: signer) } }
    return ChannelContent(
      identity: draft.identity, networkID: event.id, trustAnchor: event.publicKey, document: event.text, keySalt: salt)
  }

  private func sign(
    _ draft: ChannelDraft, with key: SecretKey, kind: Int, tags: [[String]], createdAt: Int64
  ) throws(NetworkFailure) -> NostrEvent {
    let metadata = Self.metadata(draft.profile)
    let content = PublicChannel.content(
      name: metadata.name, about: metadata.about, picture: metadata.picture, relays: draft.relays)
    guard let event = NostrEvent(signedBy: key, createdAt: createdAt, kind: kind, tags: tags, content: content) else {
      throw NetworkFailure("the profile holds a control character that relays treat differently")
    }
    return event
  }

  private static func metadata(_ profile: Profile) -> RelayGroup.Metadata {
    RelayGroup.Metadata(name: profile.displayName, about: profile.description ?? "", picture: profile.image ?? "")
  }

  private func group(_ draft: ChannelDraft) async throws(NetworkFailure) -> ChannelContent {
    guard draft.relays.count == 1, let address = draft.relays.first, let url = try? RelayURL(address) else {
      throw NetworkFailure("a group lives on exactly one relay", isUnsupported: true)
    }
    var metadata = Self.metadata(draft.profile)
    metadata.access = draft.access
    guard [metadata.name, metadata.about, metadata.picture].allSatisfy(NostrEvent.isSignable) else {
      throw NetworkFailure("the profile holds a control character that relays treat differently")
    }
    guard let information = try? await dialer.information(of: url, on: group.next()).get() else {
      throw NetworkFailure("\(url.text) does not say whether it offers groups: it shows no NIP-11 document")
    }
    guard information.supportedNIPs.contains(29) else {
      throw NetworkFailure("\(url.text) does not offer groups (NIP-29)", isUnsupported: true)
    }
    guard let relayKey = information.ownKey else {
      throw NetworkFailure(
        "\(url.text) does not publish its own key, so no one could tell its groups from forgeries", isUnsupported: true)
    }
    return ChannelContent(
      kind: .group, identity: draft.identity, networkID: RelayGroup.randomID(), trustAnchor: relayKey, document: metadata.text)
  }

  public func access(to content: ChannelContent) -> Set<GroupAccess> {
    guard content.kind == .group else { return [] }
    return RelayGroup.Metadata(text: content.document)?.access ?? []
  }

  public func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition {
    switch draft.kind {
    case .group:
      var metadata = Self.metadata(draft.profile)
      metadata.access = access(to: content)
      return ChannelEdition(networkID: "", document: metadata.text, signedAt: now())
    case .channel:
      guard let key = key(of: content) else { throw NetworkFailure(Self.noKey) }
      let before = try dateBefore(content, draft.stray)
      let tags = [["e", content.networkID, draft.relays.first ?? "", "root"]]
      let event = try sign(
        draft, with: key, kind: PublicChannel.metadataKind, tags: tags,
        createdAt: editionDate(of: content, after: before, at: draft.relays))
      let earlier =
        (content.newestEdition.map { $0.earlier + [$0.networkID] } ?? []) + (draft.stray.map { [$0.networkID] } ?? [])
      return ChannelEdition(
        networkID: event.id, document: event.text, signedAt: event.createdAt,
        earlier: Array(earlier.suffix(ChannelEdition.earlierMax)))
    }
  }

  /// Returns the time after which a new edition is dated: readers use the newest edition, so each must be newer than the one before. An
  /// edition from far ahead, made by a wrong clock, does not count: most relays refuse such events. A relay that accepted it shows it as a
  /// stray one.
  private func dateBefore(_ content: ChannelContent, _ stray: StrayEdition?) throws(NetworkFailure) -> Int64 {
    let latest = content.newestEdition?.signedAt ?? PublicChannel.signingTime(of: content.document) ?? 0
    let known = latest > now() + Self.aheadMaxSeconds ? 0 : latest
    guard let stray else { return known }
    let ahead = stray.signedAt - now()
    guard ahead < Self.aheadMaxSeconds - Self.relayBehindSeconds else {
      throw NetworkFailure("it is dated \(ahead) s ahead, and relays do not accept a later date")
    }
    return max(known, stray.signedAt)
  }

  public func link(of content: ChannelContent, activeRelays: [String]) -> String {
    switch content.kind {
    case .channel: PublicChannel.link(id: content.networkID, author: content.trustAnchor, relays: activeRelays)
    case .group: RelayGroup.link(id: content.networkID, author: content.trustAnchor, relays: activeRelays)
    }
  }

  public func perform(_ operation: RelayOperation) {
    guard operation.task != .verify else {
      let owner = key(of: operation.content.identity)?.publicKey ?? ""
      let item = SessionOperation(operation: operation, owner: owner)
      guard let session = reader(operation.relay, operation.address) else { return invalid(item) }
      return session.feed(.submitted(item))
    }
    guard let events = events(of: operation) else {
      return report(operation.report(.refused(Trouble(.authRequired, Self.noKey))))
    }
    guard !events.isEmpty else { return report(operation.report(.announced)) }
    if operation.task != .withdraw, let (trouble, wait) = prematurity(of: events.first?.date, at: operation.address) {
      return report(operation.report(.troubled(trouble, retryAfter: wait)))
    }
    let item = SessionOperation(operation: operation, events: events)
    guard let session = publisher(operation.relay, operation.address, operation.content.identity) else { return invalid(item) }
    session.feed(.submitted(item))
  }

  /// The events that are published for an operation, or `nil` if they cannot be signed.
  private func events(of operation: RelayOperation) -> [OutgoingEvent]? {
    let content = operation.content
    switch content.kind {
    case .channel:
      switch operation.task {
      case .verify: return []
      // The channel first: a relay that never or not yet accepts a profile may still accept the channel.
      case .invite: return [OutgoingEvent.signed(id: content.networkID, text: content.document)] + extras(of: content)
      case .announce:
        guard let newest = content.newestEdition else { return [] }
        return [OutgoingEvent.signed(id: newest.networkID, text: newest.document)] + extras(of: content)
      case .withdraw:
        // This asks for the deletion (NIP-09).
        guard let key = key(of: content) else { return nil }
        var tags = ([content.networkID] + (content.newestEdition.map { $0.earlier + [$0.networkID] } ?? [])).map { ["e", $0] }
        var kinds = [PublicChannel.creationKind] + (content.newestEdition == nil ? [] : [PublicChannel.metadataKind])
        if let profile = profile(of: content) {
          // By its id, and for relays that have another one by its author too. An identity's own profile is not ours to delete.
          tags += [["e", profile.id], ["a", "\(PublicChannel.profileKind):\(profile.publicKey):"]]
          kinds.append(PublicChannel.profileKind)
        }
        tags += kinds.map { ["k", String($0)] }
        let date = withdrawalDate(of: content, at: operation.address)
        return NostrEvent(signedBy: key, createdAt: date, kind: 5, tags: tags, content: "").map { [OutgoingEvent($0)] }
      }
    case .group:
      let id = content.networkID
      guard let metadata = RelayGroup.Metadata(text: content.newestEdition?.document ?? content.document) else { return nil }
      switch operation.task {
      case .verify: return []
      case .invite: return [RelayGroup.creation(of: id), RelayGroup.edition(of: id, metadata)]
      case .announce: return [RelayGroup.edition(of: id, metadata)]
      case .withdraw: return [RelayGroup.deletion(of: id)]
      }
    }
  }

  /// The date of a request to delete a channel: now, but not before the events that it deletes, which may be dated ahead, as far as the
  /// relay accepts that.
  private func withdrawalDate(of content: ChannelContent, at address: String) -> Int64 {
    let now = now()
    let latest = content.newestEdition?.signedAt ?? PublicChannel.signingTime(of: content.document) ?? 0
    let ahead = url(of: address).flatMap(aheadMax) ?? Self.aheadMaxSeconds - Self.relayBehindSeconds
    return max(now, min(latest, now + ahead))
  }

  // MARK: - The profile of a channel's own key

  static let noKey = "the key of the channel's identity is not at hand"

  /// The events that go to a relay after the channel, or its newest edition, without being required.
  private func extras(of content: ChannelContent) -> [OutgoingEvent] {
    profile(of: content).map { [OutgoingEvent(extra: $0)] } ?? []
  }

  /// Returns the author's profile (kind 0) for programs that show authors: name, picture and date of the channel's newest edition. It
  /// follows from stored data: the same bytes each time. `nil` where the identity signs, because the identity has its own profile.
  private func profile(of content: ChannelContent) -> NostrEvent? {
    guard content.keySalt != nil else { return nil }
    let (id, document) = content.newestEdition.map { ($0.networkID, $0.document) } ?? (content.networkID, content.document)
    return knownProfile(of: id) {
      key(of: content).flatMap { Self.profile(of: document, signedBy: $0) }
    }
  }

  private static func profile(of document: String, signedBy key: SecretKey) -> NostrEvent? {
    guard let (text, signedAt) = PublicChannel.profile(of: document) else { return nil }
    return NostrEvent(
      signedBy: key, createdAt: signedAt, kind: PublicChannel.profileKind, content: text,
      auxiliary: [UInt8](repeating: 0, count: 32))
  }
}
