public import Channels
public import Filters
public import Storage
public import StrictJSON

/// The store for the control plane. SQLite blocks its caller, so each question is asked on a thread that may wait.
public struct ControlStore: ControlStorage {
  private let store: Store
  private let threads: any BlockingWork

  public init(_ store: Store, on threads: any BlockingWork) {
    self.store = store
    self.threads = threads
  }

  func ask<T: Sendable>(_ size: WorkSize, _ question: @escaping @Sendable (Store) throws -> T) async throws -> T {
    try await threads.run(size) { [store] in try question(store) }
  }

  // MARK: - Channels

  public func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) async throws -> ChannelPart {
    try await ask(.much) {
      try $0.channels(matching: filter, in: order, withDeleted: withDeleted, after: after, limit: limit)
    }
  }

  public func channels(named name: String, limit: Int) async throws -> [ChannelID] {
    try await ask(.little) { try $0.channels(named: name, limit: limit) }
  }

  public func channel(_ id: ChannelID) async throws -> StoredChannel? { try await ask(.little) { try $0.channel(id) } }

  public func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels {
    try await ask(.much) { try $0.channels(ids) }
  }

  public func lastPosts(of channels: Set<ChannelID>) async throws -> [ChannelID: LastPost] {
    try await ask(.little) { try $0.lastPosts(of: channels) }
  }

  public func transitions(of channel: ChannelID, limit: Int) async throws -> [TransitionRow] {
    try await ask(.little) { try $0.transitions(of: channel, limit: limit) }
  }

  public func transitions(
    matching seek: TransitionSeek, before revision: Int64, limit: Int
  ) async throws -> TransitionPart {
    try await ask(.much) { try $0.transitions(matching: seek, before: revision, limit: limit) }
  }

  // MARK: - Changes

  public func changes(after revision: Int64, limit: Int) async throws -> [ChangeRow] {
    try await ask(.much) { try $0.changes(after: revision, limit: limit) }
  }

  public func newestChanges(after revision: Int64, through end: Int64, limit: Int) async throws -> [ChangeRow] {
    try await ask(.much) { try $0.newestChanges(after: revision, through: end, limit: limit) }
  }

  public func oldestRevision() async throws -> Int64 { try await ask(.little) { try $0.oldestRevision() } }

  public func counters() async throws -> StoreCounters { try await ask(.little) { try $0.counters() } }

  // MARK: - Figures

  public func health(of peers: Set<Probed>?, before revision: Int64, limit: Int) async throws -> HealthPart {
    try await ask(.little) { try $0.health(of: peers, before: revision, limit: limit) }
  }

  public func roundTrips(of peer: Probed) async throws -> [MeasuredConnection] {
    try await ask(.little) { try $0.roundTrips(of: peer) }
  }

  public func channelCount(of relay: RelayID) async throws -> Int { try await ask(.much) { try $0.channelCount(of: relay) } }

  public func channelCounts(of relays: [RelayID]) async throws -> [RelayID: Int] {
    try await ask(.much) { try $0.channelCounts(of: relays) }
  }

  public func channelCounts(of identities: [IdentityID]) async throws -> [IdentityID: Int] {
    try await ask(.much) { try $0.channelCounts(of: identities) }
  }

  public func totals() async throws -> (channels: Int, relays: [RelayStatus: Int], quarantined: Int) {
    try await ask(.vital) { try $0.totals() }
  }

  public func census() async throws -> Census { try await ask(.vital) { try $0.census() } }

  public func outcomes() async throws -> RelayOutcomes { try await ask(.vital) { try $0.outcomes() } }

  public func roundTripsOfRelays() async throws -> [RelayID: [Int64]] {
    try await ask(.vital) { try $0.roundTripsOfRelays() }
  }

  public func losses() async throws -> [ChannelLoss] { try await ask(.much) { try $0.losses() } }

  public func failedChannelCount() async throws -> Int { try await ask(.much) { try $0.failedChannelCount() } }

  // MARK: - Soundness

  public var damageFound: [String] { store.damageFound }

  public func check() async throws -> (channels: Int, problems: [String]) { try await ask(.whole) { try $0.check() } }

  public func makeCopy() async throws -> String { try await ask(.whole) { try $0.makeCopy() } }
}
