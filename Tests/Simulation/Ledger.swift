import Channels
import RelayNetwork
import Storage
import TestSupport

/// What is durable, kept apart from the store and checked with every commit. It knows the rules of
/// docs/design/channels-and-relays.md, not the code.
struct Ledger {
  struct Pair: Hashable {
    let channel: ChannelID
    let relay: RelayID
  }

  struct Channel {
    var row: ChannelRow
    /// In the order in which they joined.
    var relays: [ChannelRelayRow] = []

    subscript(_ relay: RelayID) -> ChannelRelayRecord? { relays.first { $0.relay == relay }?.record }
  }

  /// What the network calls a channel, and the link there.
  struct Name: Hashable {
    let networkID: String
    let trustAnchor: String

    init(networkID: String, trustAnchor: String) { (self.networkID, self.trustAnchor) = (networkID, trustAnchor) }

    init(_ row: ChannelRow) { self.init(networkID: row.networkID, trustAnchor: row.trustAnchor) }
  }

  private(set) var channels: [ChannelID: Channel] = [:]
  /// In the order of their identifiers.
  private(set) var order: [ChannelID] = []
  private(set) var transitions: [Int64: TransitionRow] = [:]
  private(set) var objects: [Int64: ChangeRow.Object] = [:]
  private(set) var catalog: [RelayID: RelayRow] = [:]
  /// Where the history of the health of each relay and server stands.
  private var healths: [Probed: PeerCondition.Health] = [:]
  /// Where the history of each channel relay stands.
  private var ends: [Pair: RelayStatus] = [:]
  private var documents: Set<String> = []
  private(set) var keys: [String: ChannelID] = [:]
  /// Names that the network has reported and that are not durable, the oldest first. A channel gets no others.
  private var expected: [ChannelID: [Name]] = [:]
  /// How often a channel got another name.
  private(set) var renamings = 0
  /// The rows of a channel that someone else has changed since the daemon last wrote it.
  private(set) var superseded: [ChannelID: [ChannelRow]] = [:]
  /// What clients have asked for: whether channels heal.
  private var healings: [ChannelID: Set<Bool>] = [:]
  /// How many of the channels in some slots each relay carries.
  func loads(among slots: SlotSet) -> [RelayID: Int] {
    var loads: [RelayID: Int] = [:]
    for channel in channels.values where slots.contains(channel.row.id) {
      for row in channel.relays where row.record.status != .removed { loads[row.relay, default: 0] += 1 }
    }
    return loads
  }
  /// The latest revision that ever was.
  private(set) var revision: Int64 = 0

  /// Takes a commit in.
  /// - Parameters:
  ///   - longestWait: how far ahead a timer may be.
  ///   - bySomebodyElse: whether it was not the daemon that wrote this.
  /// - Throws: `Violation` when it breaks a rule.
  mutating func apply(
    _ mutations: [StoreMutation], now: Timestamp, longestWait: Duration, bySomebodyElse: Bool = false
  ) throws {
    let before = revision
    supersede(mutations, bySomebodyElse)
    var saved: [Pair] = []
    for mutation in mutations {
      switch mutation {
      case .insertChannel(let row): try insert(row)
      case .touchChannel(let row):
        let id = row.id
        guard let known = channels[id]?.row else { throw Violation("\(id) is changed before it is stored") }
        if known.deletedAt != nil, row.deletedAt == nil { throw Violation("\(id) was deleted and comes back") }
        channels[id]?.row.revision = row.revision
        channels[id]?.row.updatedAt = row.updatedAt
        channels[id]?.row.deletedAt = row.deletedAt
        channels[id]?.row.wantedRelays = row.wantedRelays
        channels[id]?.row.relayCount = row.relayCount
      case .rewriteChannel(let row): try revise(row, bySomebodyElse)
      case .saveChannelRelay(let id, let position, let row):
        try save(id, position, row, now + longestWait)
        saved.append(Pair(channel: id, relay: row.relay))
      case .appendTransition(let row):
        try use(row.revision, after: before)
        try append(row)
        saved.append(Pair(channel: row.channel, relay: row.relay))
      case .appendChange(let row):
        try use(row.revision, after: before)
        objects[row.revision] = row.object
      case .saveRelay(let row): catalog[row.id] = row
      case .appendHealth(let row): try append(row)
      case .clampTimes(let now, let latestVerifyDue): clampTimes(now: now, latestVerifyDue: latestVerifyDue)
      case .quarantine(let id, let reason, _): throw Violation("\(id) cannot be read: \(reason)")
      case .insertPost, .updatePost, .rewritePost, .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention,
        .forgetPostHistory:
        throw Violation("the engine of channels writes posts")
      case .saveOperator, .saveServer, .recordRoundTrip, .insertIdentity, .removeIdentity, .probe,
        .forgetHistory,
        .compactChanges, .decide:
        break
      }
    }
    for pair in saved {
      let end = ends[pair] ?? .new
      guard let record = channels[pair.channel]?[pair.relay], record.status == end else {
        throw Violation("\(pair) is not what its history says: \(end)")
      }
    }
    for mutation in mutations {
      let (peer, health): (Probed, PeerCondition.Health)
      switch mutation {
      case .saveRelay(let row): (peer, health) = (.relay(row.id), row.condition.health)
      case .saveServer(let row): (peer, health) = (.server(row.id), row.condition.health)
      default: continue
      }
      guard health == healths[peer] ?? .unknown else {
        throw Violation("\(peer) is stored as \(health), and its history ends with \(healths[peer] ?? .unknown)")
      }
    }
    for id in order { try checkEditions(id) }
    for mutation in mutations {
      guard case .insertChannel(let row) = mutation else { continue }
      guard let known = channels[row.id], known.relays.isEmpty != known.row.isOwned else {
        throw Violation("\(row.id) has no relays, or is one of others and has some")
      }
      let same = channels.values.filter { $0.row.networkID == row.networkID && $0.row.deletedAt == nil && !$0.row.isOwned }
      guard row.isOwned || same.count <= 1 else { throw Violation("'\(row.networkID)' is followed twice") }
      guard case .channel(row.id)? = objects[known.row.revision] else {
        throw Violation("\(row.id) has a revision that is not its own")
      }
    }
  }

  /// The history of a peer's health has no gaps, and its lines have the revisions of the peer.
  private mutating func append(_ row: HealthRow) throws {
    guard row.from != row.to, row.from == healths[row.peer] ?? .unknown else {
      throw Violation("\(row.peer) was \(healths[row.peer] ?? .unknown), and its history goes on from \(row.from) to \(row.to)")
    }
    let object: ChangeRow.Object =
      switch row.peer {
      case .relay(let id): .relay(id)
      case .server(let id): .server(id)
      }
    guard objects[row.revision] == object else { throw Violation("\(row.peer) has a revision that is not its own") }
    healths[row.peer] = row.to
  }

  private mutating func use(_ number: Int64, after before: Int64) throws {
    guard number > before, objects[number] == nil, transitions[number] == nil else {
      throw Violation("revision \(number) is used again, the latest was \(before)")
    }
    revision = max(revision, number)
  }

  private mutating func insert(_ row: ChannelRow) throws {
    guard channels[row.id] == nil, order.last.map({ $0 < row.id }) ?? true else { throw Violation("\(row.id) is used again") }
    guard documents.insert(row.document).inserted else { throw Violation("'\(row.document)' led to two channels") }
    if let key = row.idempotencyKey {
      guard keys[key] == nil else { throw Violation("the key '\(key)' led to two channels") }
      keys[key] = row.id
    }
    channels[row.id] = Channel(row: row)
    order.append(row.id)
  }

  /// - Parameter isForeign: whether someone else does it.
  private mutating func revise(_ row: ChannelRow, _ isForeign: Bool) throws {
    guard let known = channels[row.id]?.row else { throw Violation("\(row.id) is revised before it is stored") }
    guard known.edition <= row.edition else { throw Violation("\(row.id) goes back to edition \(row.edition)") }
    guard known.edition < row.edition || known.newestEdition == row.newestEdition && known.namedRelays == row.namedRelays else {
      throw Violation("edition \(row.edition) of \(row.id) exists twice")
    }
    guard known.document == row.document else { throw Violation("\(row.id) becomes another channel") }
    if Name(known) != Name(row) { try rename(row.id, Name(row)) }
    guard isForeign || known.heal == row.heal || healings[row.id]?.contains(row.heal) == true else {
      throw Violation("\(row.id) loses what someone else has changed: heal is \(row.heal) again")
    }
    var row = row
    (row.revision, row.updatedAt, row.deletedAt) = (known.revision, known.updatedAt, known.deletedAt)
    row.wantedRelays = known.wantedRelays
    channels[row.id]?.row = row
  }

  // MARK: - Someone else

  private mutating func supersede(_ mutations: [StoreMutation], _ isForeign: Bool) {
    for id in Set(mutations.compactMap(\.channelWritten)) {
      if !isForeign {
        superseded[id] = nil
      } else if let row = channels[id]?.row {
        superseded[id, default: []].append(row)
      }
    }
  }

  /// A client asks that the channel heals, or does not.
  mutating func mayHeal(_ id: ChannelID, _ heals: Bool) { healings[id, default: []].insert(heals) }

  /// The daemon that has read these rows is dead.
  mutating func forgetSuperseded() { superseded = [:] }

  // MARK: - Names

  /// The network has reported a name.
  mutating func expect(_ name: Name, of id: ChannelID) {
    if expected[id]?.last != name { expected[id, default: []].append(name) }
  }

  /// Whether a name that was reported may still become durable.
  func mayRename(_ id: ChannelID) -> Bool { expected[id] != nil }

  /// Whatever was reported and is not durable is lost.
  mutating func forgetNames() { expected = [:] }

  private mutating func rename(_ id: ChannelID, _ name: Name) throws {
    guard let names = expected[id], let place = names.firstIndex(of: name) else {
      throw Violation("\(id) becomes '\(name.networkID)', and no one has reported that")
    }
    let rest = Array(names.dropFirst(place + 1))
    expected[id] = rest.isEmpty ? nil : rest
    renamings += 1
  }

  // MARK: - Editions

  /// Whoever shows an old edition is to be told of the newest.
  private func checkEditions(_ id: ChannelID) throws {
    guard let channel = channels[id] else { return }
    for row in channel.relays where row.record.status == .active && row.record.task == nil {
      // Or it is known why not, and it is looked at again.
      let isComplained = row.record.trouble != nil && row.record.verifyDue != nil
      guard row.record.shown == channel.row.edition || isComplained else {
        throw Violation("\(id) on \(row.relay) shows edition \(row.record.shown) and nothing is done about it")
      }
    }
  }

  private mutating func save(_ id: ChannelID, _ position: Int, _ row: ChannelRelayRow, _ latest: Timestamp) throws {
    guard let known = channels[id] else { throw Violation("\(row.relay) of an unknown \(id) is stored") }
    guard known.row.isOwned else { throw Violation("\(row.relay) of \(id), which others run, is stored") }
    var words: String { "\(id) on \(row.relay): " }
    guard position <= known.relays.count else { throw Violation(words + "a place is left out") }
    if position < known.relays.count {
      let old = known.relays[position]
      guard old.relay == row.relay else { throw Violation(words + "takes the place of \(old.relay)") }
      guard old.record.status != .removed || row.record.status == .removed else { throw Violation(words + "comes back") }
      guard old.record.operation <= row.record.operation else { throw Violation(words + "uses operation numbers again") }
      channels[id]?.relays[position] = row
    } else {
      guard known[row.relay] == nil else { throw Violation(words + "joins twice") }
      channels[id]?.relays.append(row)
    }
    try Self.check(row.record, latest, words)
  }

  /// Changes what the store changes by itself.
  mutating func adjustRecords(_ body: (inout ChannelRelayRecord) -> Void) {
    for id in order {
      guard var channel = channels[id] else { continue }
      for index in channel.relays.indices { body(&channel.relays[index].record) }
      channels[id] = channel
    }
  }

  private static func check(_ record: ChannelRelayRecord, _ latest: Timestamp, _ words: @autoclosure () -> String) throws {
    if record.task != nil, record.timer == nil { throw Violation(words() + "has work and no timer") }
    if let timer = record.timer, timer > latest { throw Violation(words() + "waits until \(timer), for too long") }
    switch record.status {
    case .new, .invited, .accepted:
      if record.timer == nil { throw Violation(words() + "\(record.status) waits without a timer") }
    case .inactive:
      if record.timer == nil { throw Violation(words() + "\(record.status) waits without a timer") }
      if record.trouble?.detail.isEmpty != false { throw Violation(words() + "inactive without a reason") }
    case .failed:
      if record.trouble?.detail.isEmpty != false { throw Violation(words() + "failed without a reason") }
    case .active:
      if record.relayLink == nil { throw Violation(words() + "active without a link") }
      if record.verifyDue == nil { throw Violation(words() + "active and never read back") }
    case .removed: break
    }
  }

  private mutating func append(_ row: TransitionRow) throws {
    let pair = Pair(channel: row.channel, relay: row.relay)
    let (from, to) = (row.transition.from, row.transition.to)
    guard from == ends[pair] ?? .new else { throw Violation("\(pair): the history has a gap before \(row.transition)") }
    guard Self.isLegal(from, to) else { throw Violation("\(pair): \(from) -> \(to) is no transition") }
    if to == .failed || to == .inactive, row.transition.cause == nil || row.transition.detail.isEmpty {
      throw Violation("\(pair): \(to) without a reason")
    }
    ends[pair] = to
    transitions[row.revision] = row
  }

  private static func isLegal(_ from: RelayStatus, _ to: RelayStatus) -> Bool {
    switch (from, to) {
    case (.new, .invited), (.invited, .accepted), (.accepted, .active), (.active, .inactive), (.inactive, .active): true
    case (.inactive, .accepted), (.failed, .accepted), (.failed, .invited), (.inactive, .invited): true
    case (.removed, .removed): true
    case (.removed, _), (.failed, .failed): false
    case (_, .removed), (_, .failed): true
    case (.new, let to), (.invited, let to), (.accepted, let to), (.active, let to), (.inactive, let to), (.failed, let to):
      from == to
    }
  }
}
