public import Channels
public import Storage

/// The store for the coordinator. SQLite blocks its caller, so each question is asked on a separate thread, one after the other, as the
/// coordinator asks them.
public struct CoordinatorStore: CoordinatorStorage {
  private let store: Store
  let queue: StoreQueue

  public init(_ store: Store) {
    self.store = store
    queue = StoreQueue(store, "baton.coordinator-store")
  }

  @discardableResult
  public func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt { try await store.commit(request) }

  // MARK: - Start of the coordinator

  public func counters() async throws -> StoreCounters { try await queue.ask { try $0.counters() } }
  public func operators() async throws -> [OperatorRow] { try await queue.ask { try $0.operators() } }
  public func servers() async throws -> [ServerRow] { try await queue.ask { try $0.servers() } }
  public func relays() async throws -> [RelayRow] { try await queue.ask { try $0.relays() } }
  public func identities() async throws -> [IdentityRow] { try await queue.ask { try $0.identities() } }
  public func unfinishedChannels(among slots: SlotSet) async throws -> [ChannelID] {
    try await queue.ask { try $0.unfinishedChannels(among: slots) }
  }
  public func channelCounts(among slots: SlotSet) async throws -> [RelayID: Int] {
    try await queue.ask { try $0.channelCounts(among: slots) }
  }
  public func lastSignOfLife() async throws -> SignOfLife? { try await queue.ask { try $0.lastSignOfLife() } }

  // MARK: - Channels

  public func channel(_ id: ChannelID) async throws -> StoredChannel? { try await queue.ask { try $0.channel(id) } }

  public func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels { try await queue.ask { try $0.channels(ids) } }

  public func channel(idempotencyKey: String) async throws -> ChannelID? {
    try await queue.ask { try $0.channel(idempotencyKey: idempotencyKey) }
  }

  public func livingChannels(named name: ChannelName, limit: Int) async throws -> [ChannelID] {
    try await queue.ask { try $0.livingChannels(named: name, limit: limit) }
  }

  public func channels(
    of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [ChannelID] {
    try await queue.ask { try $0.channels(of: relay, in: status, after: after, limit: limit, among: slots) }
  }

  public func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) async throws
    -> [ChannelID]
  {
    try await queue.ask { try $0.channelsToVerify(on: relay, at: now, limit: limit, among: slots) }
  }

  public func lostRelays(
    before: Timestamp, after: (ChannelID, RelayID)?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, RelayID)] {
    try await queue.ask { try $0.lostRelays(before: before, after: after, limit: limit, among: slots) }
  }

  public func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, mayReturn: Bool)] {
    try await queue.ask {
      try $0.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit, among: slots)
    }
  }

  public func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) async throws -> Int {
    try await queue.ask { try $0.replacements(of: channel, since: since, until: now) }
  }

  public func neighbour(
    of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID
  ) async throws -> ChannelID? {
    try await queue.ask { try $0.neighbour(of: channel, sharing: identity, on: relay) }
  }

  // MARK: - Counts

  public func dependentCount(of relay: RelayID) async throws -> Int { try await queue.ask { try $0.dependentCount(of: relay) } }
  public func channelCount(of relay: RelayID) async throws -> Int { try await queue.ask { try $0.channelCount(of: relay) } }
  public func channelCount(of identity: IdentityID) async throws -> Int {
    try await queue.ask { try $0.channelCount(of: identity) }
  }
}
