import Channels
import Coordinator
import Storage
import TestSupport

/// The real store with a fate before every commit.
final class SimStorage: CoordinatorStorage {
  private let store: FaultyStorage
  private let world: World

  init(_ store: FaultyStorage, _ world: World) {
    self.store = store
    self.world = world
  }

  private static let broken = StoreError(.inputOutput, "database or disk is full")
  private static let failed = CommitFailure.unavailable("database or disk is full")
  private static let unanswered = CommitFailure.inDoubt("the answer was lost")

  @discardableResult
  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    // At the start, where the daemon gives up as when it cannot read.
    if case .clampTimes? = request.parts.first?.mutations.first {
      guard world.canRead() else { throw Self.failed }
      let receipt = try await store.write(request)
      world.becameDurable(request.settled(by: receipt))
      return receipt
    }
    let fate = world.takeFate()
    switch fate {
    case .fails, .isDoubtful: world.note("  the commit fails\(fate == .fails ? "" : ", and is durable")")
    case .crashesBefore, .crashesAfter:
      world.note("  the daemon dies \(fate == .crashesBefore ? "before" : "after") the commit")
    case .works: break
    }
    switch fate {
    case .fails:
      world.write { $0.tally.storageFaults += 1 }
      throw Self.failed
    case .crashesBefore:
      world.die()
      throw Self.unanswered
    case .works, .isDoubtful, .crashesAfter: break
    }
    let receipt: CommitReceipt
    do {
      receipt = try await store.write(request)
    } catch {
      world.holds { _ in throw Violation("the store refuses what the engine writes: \(error)") }
      throw error
    }
    for case .refused(let words) in receipt.rejections.values {
      world.holds { _ in throw Violation("the store refuses what the engine writes: \(words)") }
    }
    note(request, receipt)
    world.becameDurable(request.settled(by: receipt))
    switch fate {
    case .isDoubtful:
      world.write { $0.tally.storageFaults += 1 }
      throw Self.unanswered
    case .crashesAfter:
      world.die()
      throw Self.unanswered
    case .works, .fails, .crashesBefore: break
    }
    return receipt
  }

  /// - Returns: the channels that were not written, because someone else had changed them.
  @discardableResult
  private func note(_ request: CommitRequest, _ receipt: CommitReceipt) -> Set<ChannelID> {
    world.holds { try $0.check(request, receipt) }
    let conflicts = request.parts.indices.filter { receipt.rejections[$0] == .conflict }
      .compactMap { request.parts[$0].expected?.channel }
    guard !conflicts.isEmpty else { return [] }
    world.note("  conflict: \(conflicts.map(\.rawValue))")
    world.write { state in
      state.conflicts.formUnion(conflicts)
      state.tally.conflicts += conflicts.count
    }
    return Set(conflicts)
  }

  private func reading<T>(_ body: (FaultyStorage) async throws -> T) async throws -> T {
    guard world.canRead() else { throw Self.broken }
    return try await body(store)
  }

  func counters() async throws -> StoreCounters { try await reading { try await $0.counters() } }
  func operators() async throws -> [OperatorRow] { try await reading { try await $0.operators() } }
  func servers() async throws -> [ServerRow] { try await reading { try await $0.servers() } }
  func relays() async throws -> [RelayRow] { try await reading { try await $0.relays() } }
  func identities() async throws -> [IdentityRow] { try await reading { try await $0.identities() } }
  func channel(_ id: ChannelID) async throws -> StoredChannel? { try await reading { try await $0.channel(id) } }
  func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels { try await reading { try await $0.channels(ids) } }
  func channel(idempotencyKey: String) async throws -> ChannelID? {
    try await reading { try await $0.channel(idempotencyKey: idempotencyKey) }
  }
  func livingChannels(named name: ChannelName, limit: Int) async throws -> [ChannelID] {
    try await reading { try await $0.livingChannels(named: name, limit: limit) }
  }
  func unfinishedChannels(among slots: SlotSet) async throws -> [ChannelID] {
    try await reading { try await $0.unfinishedChannels(among: slots) }
  }
  func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int, among slots: SlotSet) async throws
    -> [ChannelID]
  {
    try await reading { try await $0.channels(of: relay, in: status, after: after, limit: limit, among: slots) }
  }
  func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> [ChannelID] {
    try await reading { try await $0.channelsToVerify(on: relay, at: now, limit: limit, among: slots) }
  }
  func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int, among slots: SlotSet) async throws -> [(
    ChannelID, RelayID
  )] {
    try await reading { try await $0.lostRelays(before: before, after: after, limit: limit, among: slots) }
  }
  func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, mayReturn: Bool)] {
    try await reading {
      try await $0.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit, among: slots)
    }
  }
  func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) async throws -> Int {
    try await reading { try await $0.replacements(of: channel, since: since, until: now) }
  }
  func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) async throws -> ChannelID? {
    try await reading { try await $0.neighbour(of: channel, sharing: identity, on: relay) }
  }
  func dependentCount(of relay: RelayID) async throws -> Int { try await reading { try await $0.dependentCount(of: relay) } }
  func lastSignOfLife() async throws -> SignOfLife? { try await reading { try await $0.lastSignOfLife() } }
  func channelCount(of relay: RelayID) async throws -> Int { try await reading { try await $0.channelCount(of: relay) } }
  func channelCount(of identity: IdentityID) async throws -> Int {
    try await reading { try await $0.channelCount(of: identity) }
  }
  func channelCounts(among slots: SlotSet) async throws -> [RelayID: Int] {
    try await reading { try await $0.channelCounts(among: slots) }
  }
}
