public import Channels
internal import Coordinator
public import Storage
public import Store
internal import Synchronization

/// A real store whose writes can be made to fail, as with a full disk.
public final class FaultyStorage: CoordinatorStorage {
  private struct State {
    var isBroken = false
    var isDoubtful = false
    var commits = 0
    var channelsRead: [Int] = []
    var isHolding = false
    var held: CheckedContinuation<Void, Never>?
  }
  private let store: Store
  private let state = Mutex(State())

  public init(_ store: Store) { self.store = store }

  public var isBroken: Bool {
    get { state.withLock { $0.isBroken } }
    set { state.withLock { $0.isBroken = newValue } }
  }
  /// Whether commits become durable and fail all the same, as when only the answer is lost.
  public var isDoubtful: Bool {
    get { state.withLock { $0.isDoubtful } }
    set { state.withLock { $0.isDoubtful = newValue } }
  }
  public var commits: Int { state.withLock { $0.commits } }

  /// The number of channels in each read of several channels.
  public var channelsRead: [Int] { state.withLock { $0.channelsRead } }

  /// Lets the next commit wait until `release`, so that what arrives meanwhile forms one batch.
  public func hold() { state.withLock { $0.isHolding = true } }
  public var isCommitWaiting: Bool { state.withLock { $0.held != nil } }
  public func release() {
    let held = state.withLock { state in
      state.isHolding = false
      defer { state.held = nil }
      return state.held
    }
    held?.resume()
  }

  @discardableResult
  public func commit(_ mutations: [StoreMutation]) async throws -> CommitReceipt {
    // Upkeep is not a request: it is not counted, and nothing waits for it.
    if mutations.allSatisfy(\.isUpkeep) {
      if isBroken { throw StoreError(.inputOutput, "database or disk is full") }
      return try await store.commit(mutations)
    }
    let isBroken = state.withLock { state in
      state.commits += 1
      return state.isBroken
    }
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isHolding else { return true }
        state.held = continuation
        return false
      }
      if isFree { continuation.resume() }
    }
    if isBroken { throw StoreError(.inputOutput, "database or disk is full") }
    let receipt = try await store.commit(mutations)
    if isDoubtful { throw StoreError(.inputOutput, "the answer was lost") }
    return receipt
  }
  public func counters() throws -> StoreCounters { try store.counters() }
  public func operators() throws -> [OperatorRow] { try store.operators() }
  public func servers() throws -> [ServerRow] { try store.servers() }
  public func relays() throws -> [RelayRow] { try store.relays() }
  public func identities() throws -> [IdentityRow] { try store.identities() }
  public func channel(_ id: ChannelID) throws -> StoredChannel? { try store.channel(id) }
  public func channels(_ ids: Set<ChannelID>) throws -> StoredChannels {
    state.withLock { $0.channelsRead.append(ids.count) }
    return try store.channels(ids)
  }
  public func channel(idempotencyKey: String) throws -> ChannelID? { try store.channel(idempotencyKey: idempotencyKey) }
  public func unfinishedChannels() throws -> [ChannelID] { try store.unfinishedChannels() }
  public func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int) throws -> [ChannelID] {
    try store.channels(of: relay, in: status, after: after, limit: limit)
  }
  public func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int) throws -> [ChannelID] {
    try store.channelsToVerify(on: relay, at: now, limit: limit)
  }
  public func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int) throws -> [(ChannelID, RelayID)] {
    try store.lostRelays(before: before, after: after, limit: limit)
  }
  public func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int
  ) throws -> [(ChannelID, mayReturn: Bool)] {
    try store.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit)
  }
  public func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int {
    try store.replacements(of: channel, since: since, until: now)
  }
  public func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) throws -> ChannelID? {
    try store.neighbour(of: channel, sharing: identity, on: relay)
  }
  public func dependentCount(of relay: RelayID) throws -> Int { try store.dependentCount(of: relay) }
  public func lastSignOfLife() throws -> Timestamp? { try store.lastSignOfLife() }
  public func channelCount(of relay: RelayID) throws -> Int { try store.channelCount(of: relay) }
  public func channelCount(of identity: IdentityID) throws -> Int { try store.channelCount(of: identity) }
  public func channelCounts() throws -> [RelayID: Int] { try store.channelCounts() }
}
