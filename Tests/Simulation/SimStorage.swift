import Channels
import Coordinator
import Storage
import Store

/// The real store with a fate before every commit.
final class SimStorage: CoordinatorStorage {
  private let store: Store
  private let world: World

  init(_ store: Store, _ world: World) {
    self.store = store
    self.world = world
  }

  private static let broken = StoreError(.inputOutput, "database or disk is full")

  @discardableResult
  func commit(_ mutations: [StoreMutation]) async throws -> CommitReceipt {
    // At the start, where the daemon gives up as when it cannot read.
    if case .clampTimes? = mutations.first {
      guard world.canRead() else { throw Self.broken }
      let receipt = try await store.commit(mutations)
      world.becameDurable(mutations)
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
      throw Self.broken
    case .crashesBefore:
      world.die()
      throw Self.broken
    case .works, .isDoubtful, .crashesAfter: break
    }
    let receipt: CommitReceipt
    do {
      receipt = try await store.commit(mutations)
    } catch {
      world.holds { _ in throw Violation("the store refuses what the engine writes: \(error)") }
      throw error
    }
    world.becameDurable(mutations)
    switch fate {
    case .isDoubtful:
      world.write { $0.tally.storageFaults += 1 }
      throw Self.broken
    case .crashesAfter:
      world.die()
      throw Self.broken
    case .works, .fails, .crashesBefore: break
    }
    return receipt
  }

  private func reading<T>(_ body: (Store) throws -> T) throws -> T {
    guard world.canRead() else { throw Self.broken }
    return try body(store)
  }

  func counters() throws -> StoreCounters { try reading { try $0.counters() } }
  func operators() throws -> [OperatorRow] { try reading { try $0.operators() } }
  func servers() throws -> [ServerRow] { try reading { try $0.servers() } }
  func relays() throws -> [RelayRow] { try reading { try $0.relays() } }
  func identities() throws -> [IdentityRow] { try reading { try $0.identities() } }
  func channel(_ id: ChannelID) throws -> StoredChannel? { try reading { try $0.channel(id) } }
  func channels(_ ids: Set<ChannelID>) throws -> StoredChannels { try reading { try $0.channels(ids) } }
  func channel(idempotencyKey: String) throws -> ChannelID? { try reading { try $0.channel(idempotencyKey: idempotencyKey) } }
  func unfinishedChannels() throws -> [ChannelID] { try reading { try $0.unfinishedChannels() } }
  func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int) throws -> [ChannelID] {
    try reading { try $0.channels(of: relay, in: status, after: after, limit: limit) }
  }
  func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int) throws -> [ChannelID] {
    try reading { try $0.channelsToVerify(on: relay, at: now, limit: limit) }
  }
  func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int) throws -> [(ChannelID, RelayID)] {
    try reading { try $0.lostRelays(before: before, after: after, limit: limit) }
  }
  func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int
  ) throws -> [(ChannelID, mayReturn: Bool)] {
    try reading { try $0.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit) }
  }
  func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int {
    try reading { try $0.replacements(of: channel, since: since, until: now) }
  }
  func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) throws -> ChannelID? {
    try reading { try $0.neighbour(of: channel, sharing: identity, on: relay) }
  }
  func dependentCount(of relay: RelayID) throws -> Int { try reading { try $0.dependentCount(of: relay) } }
  func lastSignOfLife() throws -> Timestamp? { try reading { try $0.lastSignOfLife() } }
  func channelCount(of relay: RelayID) throws -> Int { try reading { try $0.channelCount(of: relay) } }
  func channelCount(of identity: IdentityID) throws -> Int { try reading { try $0.channelCount(of: identity) } }
  func channelCounts() throws -> [RelayID: Int] { try reading { try $0.channelCounts() } }
}
