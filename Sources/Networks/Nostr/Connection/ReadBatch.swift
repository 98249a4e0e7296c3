internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The channels and groups that one REQ asks a relay for, and the results so far.
struct ReadBatch {
  private struct Member {
    let item: SessionOperation
    let operation: RelayOperation
    /// The channel's own event, or the group's list of admins.
    var hasChannel = false
    /// The number of the edition that was served: the channel's newest edition, or the edition that the group's metadata amount to.
    var edition: Int?
    /// Whether something was served under a group's name that its relay did not sign.
    var hasForeign = false

    var content: ChannelContent { operation.content }
    /// The newest edition of a channel, if there is one after the first.
    var newestEdition: ChannelEdition? { content.kind == .channel ? content.newestEdition : nil }
    /// The relay has the channel without its newest edition, and may have another channel's edition in its place.
    var isCrowded: Bool { hasChannel && edition == nil && content.sharesKey && content.newestEdition != nil }
  }

  typealias Result = (RelayOperation, RelayOutcome)

  private var members: [Member] = []
  /// Members by the id of an event, or of a group, that concerns them.
  private var concerned: [String: [Int]] = [:]
  private var isOver: Set<Int> = []
  /// The author whose editions the relay is currently asked for, after everything else, and the editions that it has served so far, by id.
  private var author: String?
  private var served: [String: NostrEvent] = [:]
  /// The relay's editions of authors that it was asked about before.
  private var editions: [String: [NostrEvent]] = [:]
  /// The number of editions of one author that are asked for: two are enough to decide.
  private static let editionsMax = 2
  /// Editions that are dated after the newest of some channel, for each channel: few enough for the request to pay for them.
  private static let laterMax = 8
  /// The dates of the stray editions that were reported, by channel: a relay may serve one many times, and older ones are overtaken.
  private var strayDates: [String: Int64] = [:]

  var isEmpty: Bool { members.isEmpty }

  /// Adds an operation on a channel or group. Other operations do not belong here.
  mutating func add(_ item: SessionOperation) {
    guard case .channel(let operation) = item.subject else { return }
    let index = members.count
    members.append(Member(item: item, operation: operation))
    concerned[operation.content.networkID, default: []].append(index)
    if operation.content.kind == .channel, let newest = operation.content.newestEdition {
      concerned[newest.networkID, default: []].append(index)
    }
  }

  /// The number of events that the REQ may bring.
  var eventCount: Int { members.reduce(0) { $0 + ($1.content.kind == .group || $1.content.newestEdition != nil ? 2 : 1) } }

  /// The filters that bring all of this, for one REQ each: some relays refuse several in one, or answer only the first.
  var filters: [JSONValue] {
    var ids: Set<String> = []
    var groups: Set<String> = []
    for member in members {
      switch member.content.kind {
      case .channel:
        ids.insert(member.content.networkID)
        if let newest = member.content.newestEdition { ids.insert(newest.networkID) }
      case .group: groups.insert(member.content.networkID)
      }
    }
    var filters: [JSONValue] = []
    if !ids.isEmpty { filters.append(["ids": .array(ids.sorted().map(JSONValue.string))]) }
    if !groups.isEmpty {
      filters.append([
        "kinds": [.integer(Int64(RelayGroup.metadataKind)), .integer(Int64(RelayGroup.adminsKind))],
        "#d": .array(groups.sorted().map(JSONValue.string)),
      ])
    }
    return filters
  }

  /// The filter for editions that readers see instead of a newest edition, or `nil` if no member has a newest edition. For channels that
  /// were changed at different times it also brings later editions, which only the limit bounds.
  var laterEditions: JSONValue? {
    let editions = members.compactMap { member in member.newestEdition.map { (content: member.content, signedAt: $0.signedAt) }
    }
    guard let oldest = editions.map(\.signedAt).min() else { return nil }
    return [
      "kinds": [.integer(Int64(PublicChannel.metadataKind))],
      "authors": .array(Set(editions.map(\.content.trustAnchor)).sorted().map(JSONValue.string)),
      "#e": .array(editions.map(\.content.networkID).sorted().map(JSONValue.string)), "since": .integer(oldest + 1),
      "limit": .integer(Int64(eventCount + editions.count * Self.laterMax)),
    ]
  }

  /// The requests, for one event each, that would help members that are not decided.
  var questions: [JSONValue] { members.indices.filter { !isOver.contains($0) }.compactMap { Self.question(members[$0]) } }

  /// Ends the members that wait for the answer to one of `questions`. A channel that was served is there, even if everything else is
  /// refused.
  mutating func fail(_ question: JSONValue, _ outcome: RelayOutcome) -> [Result] {
    let failed = members.indices.filter {
      !isOver.contains($0) && Self.question(members[$0]) == question
        && !(members[$0].content.kind == .channel && members[$0].hasChannel)
    }
    isOver.formUnion(failed)
    return failed.map { (members[$0].operation, outcome) }
  }

  private static func question(_ member: Member) -> JSONValue? {
    switch member.content.kind {
    case .channel:
      if !member.hasChannel { return ["ids": [.string(member.content.networkID)]] }
      guard let newest = member.content.newestEdition, member.edition == nil else { return nil }
      return ["ids": [.string(newest.networkID)]]
    case .group:
      guard !member.hasChannel || member.edition == nil else { return nil }
      let kind = member.hasChannel ? RelayGroup.metadataKind : RelayGroup.adminsKind
      return ["kinds": [.integer(Int64(kind))], "#d": [.string(member.content.networkID)]]
    }
  }

  /// Whether the relay has answered for all channels and is asked about an author only.
  var isAskingOn: Bool { author != nil }

  /// Returns the filter for the next request, once the relay has served all that it was asked for and before all channels are decided, or
  /// `nil` if no request is needed. If an edition is missing and its author has several channels, the filter asks for the editions of that
  /// author.
  mutating func askOn() -> JSONValue? {
    if let author { editions[author] = Array(served.values) }
    served = [:]
    author = members.indices.first {
      !isOver.contains($0) && members[$0].isCrowded && editions[members[$0].content.trustAnchor] == nil
    }
    .map { members[$0].content.trustAnchor }
    guard let author else { return nil }
    return [
      "kinds": [.integer(Int64(PublicChannel.metadataKind))], "authors": [.string(author)],
      "limit": .integer(Int64(Self.editionsMax)),
    ]
  }

  /// The operations on the channel that this event is an edition of which readers see instead of the newest, if it is the first such
  /// edition or later than those before.
  mutating func strays(_ event: NostrEvent) -> [RelayOperation] {
    guard event.kind == PublicChannel.metadataKind, let channel = event.tag("e") else { return [] }
    let misled = (concerned[channel] ?? []).map { members[$0] }.filter { member in
      member.newestEdition.map { event.createdAt > $0.signedAt && event.id != $0.networkID } ?? false
        && event.publicKey == member.content.trustAnchor && channel == member.content.networkID
    }
    guard !misled.isEmpty, strayDates[channel].map({ event.createdAt > $0 }) ?? true, (try? event.verify()) != nil else {
      return []
    }
    strayDates[channel] = event.createdAt
    return misled.map(\.operation)
  }

  /// Judges an event that the relay serves.
  /// - Returns: the operations that it decides.
  mutating func take(_ event: NostrEvent) -> [Result] {
    if event.kind == PublicChannel.metadataKind, event.publicKey == author, served.count < Self.editionsMax,
      served[event.id] == nil, (try? event.verify()) != nil
    {
      served[event.id] = event
    }
    let isOfGroup = event.kind == RelayGroup.metadataKind || event.kind == RelayGroup.adminsKind
    let name = isOfGroup && concerned[event.id] == nil ? event.tag("d") ?? "" : event.id
    var results: [Result] = []
    for index in concerned[name] ?? [] where !isOver.contains(index) {
      let outcome: RelayOutcome? =
        switch members[index].content.kind {
        case .channel: judge(event, &members[index])
        case .group: judgeGroup(event, &members[index])
        }
      guard let outcome else { continue }
      isOver.insert(index)
      results.append((members[index].operation, outcome))
    }
    return results
  }

  /// Notes that the relay has served everything that it has.
  mutating func finish() -> [Result] {
    let editions = editions
    return end { member in
      switch member.content.kind {
      case .channel: Self.there(member, editions) ?? .missing
      case .group where member.hasForeign:
        .misbehaved(Trouble(.wrongIdentity, "the group that the relay serves is not signed by the relay's own key"))
      case .group: .missing
      }
    }
  }

  /// The request failed as a whole. The relay's editions of authors are helpful and not required, and a relay does not refuse events that
  /// it has served.
  mutating func fail(_ outcome: RelayOutcome) -> [Result] {
    guard !isAskingOn else { return finish() }
    guard case .refused = outcome else { return end { _ in outcome } }
    let editions = editions
    return end { Self.there($0, editions) ?? outcome }
  }

  /// The outcome for a channel that was served without its newest edition, or `nil` for other channels and groups.
  private static func there(_ member: Member, _ editions: [String: [NostrEvent]]) -> RelayOutcome? {
    guard member.content.kind == .channel, member.hasChannel else { return nil }
    return .verified(edition: 1, others: others(than: member, editions))
  }

  private mutating func end(_ outcome: (Member) -> RelayOutcome) -> [Result] {
    let results = members.indices.filter { !isOver.contains($0) }.map { (members[$0].operation, outcome(members[$0])) }
    self = ReadBatch()
    return results.sorted { ($0.0.channel, $0.0.number) < ($1.0.channel, $1.0.number) }
  }

  // MARK: - Judging

  /// Returns which editions of other channels the relay serves in place of this channel's newest one, because they share an author.
  private static func others(than member: Member, _ editions: [String: [NostrEvent]]) -> OtherEditions {
    guard member.isCrowded, let newest = member.content.newestEdition, let known = editions[member.content.trustAnchor] else {
      return .unknown
    }
    guard known.count < editionsMax else { return .several }
    guard let only = known.first, only.tag("e") != member.content.networkID else { return .none }
    // If two have the same second, relays keep the one with the lower id (NIP-01).
    return (only.createdAt, newest.networkID) > (newest.signedAt, only.id) ? .newer : .older
  }

  /// Judges whether an event that the relay serves is the channel, or its newest edition, signed by its owner.
  private func judge(_ event: NostrEvent, _ member: inout Member) -> RelayOutcome? {
    let isChannel = event.id == member.content.networkID
    let what = isChannel ? "the channel" : "the channel's profile"
    do throws(NostrEvent.Flaw) {
      try event.verify(unlessItIs: isChannel ? member.content.document : member.content.newestEdition?.document)
    } catch {
      return .misbehaved(Trouble(.wrongIdentity, "the relay serves a forgery of \(what): \(error.rawValue)"))
    }
    let kind = isChannel ? PublicChannel.creationKind : PublicChannel.metadataKind
    guard event.publicKey == member.content.trustAnchor, event.kind == kind else {
      return .misbehaved(Trouble(.wrongIdentity, "\(what) that the relay serves is signed by someone else"))
    }
    if isChannel { member.hasChannel = true } else { member.edition = member.content.edition }
    guard member.hasChannel, member.content.newestEdition == nil || member.edition != nil else { return nil }
    return .verified(edition: member.content.edition)
  }

  /// Judges whether an event that the relay serves is our group, signed by the relay.
  private func judgeGroup(_ event: NostrEvent, _ member: inout Member) -> RelayOutcome? {
    guard event.publicKey == member.content.trustAnchor else {
      // Anyone may have stored that, so it proves nothing about the group.
      member.hasForeign = true
      return nil
    }
    do throws(NostrEvent.Flaw) {
      try event.verify()
    } catch {
      return .misbehaved(Trouble(.wrongIdentity, "the relay serves a forgery of the group: \(error.rawValue)"))
    }
    if event.kind == RelayGroup.metadataKind {
      let wanted = RelayGroup.Metadata(text: member.content.newestEdition?.document ?? member.content.document)
      let isNewest = wanted?.isShown(as: RelayGroup.Metadata(event)) ?? false
      member.edition = isNewest ? member.content.edition : member.content.edition - 1
    } else {
      guard event.tags.contains(where: { $0.count > 1 && $0[0] == "p" && $0[1] == member.item.owner }) else {
        return .misbehaved(
          Trouble(.wrongIdentity, "the group at the relay is someone else's: its admins do not include this identity"))
      }
      member.hasChannel = true
    }
    guard member.hasChannel, let edition = member.edition else { return nil }
    return .verified(edition: edition)
  }
}
