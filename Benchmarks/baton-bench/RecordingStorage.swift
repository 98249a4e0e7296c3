import Channels
import Coordinator
import Storage
import Store
import Synchronization

/// A real store that notes what was written, so that the limit can write the same.
final class RecordingStorage: CoordinatorStorage {
  private struct State {
    var trace: [String] = []
    var commits = 0
  }
  let store: Store
  private let state = Mutex(State())

  init(_ store: Store) { self.store = store }

  /// The steps in the notation of `limits/bare_sqlite.c`.
  var trace: String { state.withLock { $0.trace.joined(separator: "\n") + "\n" } }
  var commits: Int { state.withLock { $0.commits } }

  /// Forgets what was noted so far.
  func startAgain() { state.withLock { $0 = State() } }

  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    let receipt = try await store.commit(request)
    // What is not measured at the limit is not measured here.
    if request.parts.allSatisfy({ $0.mutations.allSatisfy(\.isUpkeep) }) { return receipt }
    var steps: [String] = []
    for (place, part) in request.parts.enumerated() where receipt.rejections[place] == nil {
      steps += part.mutations.compactMap { Self.step($0, receipt) }
    }
    state.withLock { state in
      state.commits += 1
      state.trace += steps + ["B"]
    }
    return receipt
  }

  private static func step(_ mutation: StoreMutation, _ receipt: CommitReceipt) -> String? {
    func settled(_ revision: Int64) -> Int64 { PendingRevision.settled(revision, base: receipt.base) }
    return switch mutation {
    case .insertChannel(let row): "I \(row.id.rawValue)"
    case .touchChannel(let row): "U \(row.id.rawValue) \(settled(row.revision))"
    case .saveChannelRelay(let id, let position, let row): "R \(id.rawValue) \(row.relay.rawValue) \(position)"
    case .appendTransition(let row): "T \(settled(row.revision)) \(row.channel.rawValue) \(row.relay.rawValue)"
    case .appendChange(let row):
      if case .channel(let id) = row.object { "C \(settled(row.revision)) \(id.rawValue)" } else { nil }
    case .rewriteChannel(let row): "E \(row.id.rawValue)"
    case .insertPost, .updatePost, .rewritePost, .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention:
      postStep(mutation, receipt)
    case .saveOperator, .saveServer, .saveRelay, .recordRoundTrip, .appendHealth, .insertIdentity, .removeIdentity, .probe,
      .quarantine, .clampTimes, .forgetHistory, .compactChanges, .forgetPostHistory, .decide:
      nil
    }
  }

  func counters() throws -> StoreCounters { try store.counters() }
  func operators() throws -> [OperatorRow] { try store.operators() }
  func servers() throws -> [ServerRow] { try store.servers() }
  func relays() throws -> [RelayRow] { try store.relays() }
  func identities() throws -> [IdentityRow] { try store.identities() }
  func channel(_ id: ChannelID) throws -> StoredChannel? { try store.channel(id) }
  func channels(_ ids: Set<ChannelID>) throws -> StoredChannels { try store.channels(ids) }
  func channel(idempotencyKey: String) throws -> ChannelID? { try store.channel(idempotencyKey: idempotencyKey) }
  func livingChannels(named name: ChannelName, limit: Int) throws -> [ChannelID] {
    try store.livingChannels(named: name, limit: limit)
  }
  func unfinishedChannels(among slots: SlotSet) throws -> [ChannelID] { try store.unfinishedChannels(among: slots) }
  func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int, among slots: SlotSet) throws
    -> [ChannelID]
  {
    try store.channels(of: relay, in: status, after: after, limit: limit, among: slots)
  }
  func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) throws -> [ChannelID] {
    try store.channelsToVerify(on: relay, at: now, limit: limit, among: slots)
  }
  func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int, among slots: SlotSet) throws -> [(
    ChannelID, RelayID
  )] {
    try store.lostRelays(before: before, after: after, limit: limit, among: slots)
  }
  func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) throws -> [(ChannelID, mayReturn: Bool)] {
    try store.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit, among: slots)
  }
  func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int {
    try store.replacements(of: channel, since: since, until: now)
  }
  func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) throws -> ChannelID? {
    try store.neighbour(of: channel, sharing: identity, on: relay)
  }
  func dependentCount(of relay: RelayID) throws -> Int { try store.dependentCount(of: relay) }
  func lastSignOfLife() throws -> SignOfLife? { try store.lastSignOfLife() }
  func channelCount(of relay: RelayID) throws -> Int { try store.channelCount(of: relay) }
  func channelCount(of identity: IdentityID) throws -> Int { try store.channelCount(of: identity) }
  func channelCounts(among slots: SlotSet) throws -> [RelayID: Int] { try store.channelCounts(among: slots) }
}
