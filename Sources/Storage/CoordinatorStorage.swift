public import Channels

/// The coordinator's questions to storage. Each channel has one coordinator at a time that uses it. If someone else commits anyway,
/// `commit` reports it: with a conflict about one object, or with `fenced`.
///
/// Lists of channels cover only the slots of this coordinator (`SlotSet`).
///
/// `commit` is the only method that writes, and no method blocks the thread of its caller. All others read the durable data of that moment,
/// each of them by itself: two of them may see different commits. They throw `StoreError`. After `corrupt` the same question fails again,
/// and the object must be skipped. After any other error the question may be asked again later.
public protocol CoordinatorStorage: Sendable {
  // MARK: - Writing

  /// Makes the parts of `request` durable together. When it returns they survive a crash of the machine. Revisions are given here, in the
  /// order in which commits become visible. Requests that wait at the same moment may share a sync, each with its own receipt. Writes.
  /// - Returns: the revisions, and which parts were not written. An object that someone else has changed, or that cannot be stored, does
  ///   not keep other objects from being written.
  /// - Throws: `CommitFailure` if nothing was written, or if that is not known. Upkeep takes no revisions. Doing it twice does no harm.
  @discardableResult
  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt

  // MARK: - Start of the coordinator

  /// The highest ids and the newest revision that were given out, including those left out by a restore.
  func counters() async throws -> StoreCounters
  /// All operators, including deleted ones, by id. If one cannot be read, the call fails.
  func operators() async throws -> [OperatorRow]
  /// All servers, in the same way.
  func servers() async throws -> [ServerRow]
  /// All relays, in the same way.
  func relays() async throws -> [RelayRow]
  /// All identities that were not removed, in the same way.
  func identities() async throws -> [IdentityRow]
  /// Channels with something left to do, in the order of their ids.
  func unfinishedChannels(among slots: SlotSet) async throws -> [ChannelID]
  /// How many of the channels have each relay as a member that was not removed. Relays without such channels are left out. The time grows
  /// with the number of channel relays.
  func channelCounts(among slots: SlotSet) async throws -> [RelayID: Int]
  /// The latest commit that recorded a sign of life, or `nil` without one.
  func lastSignOfLife() async throws -> SignOfLife?

  // MARK: - Channels

  /// A channel with its relays, or `nil` if it does not exist.
  /// - Throws: `corrupt` when its rows were damaged or contradict each other.
  func channel(_ id: ChannelID) async throws -> StoredChannel?
  /// These channels with their relays, all from one moment and in the time of one question. A damaged channel does not fail the others.
  func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels
  /// The channel that was created with `idempotencyKey`, deleted ones included. Keys are compared byte by byte.
  func channel(idempotencyKey: String) async throws -> ChannelID?
  /// Channels with this name on a network that were not deleted, by id, at most `limit`.
  func livingChannels(named name: ChannelName, limit: Int) async throws -> [ChannelID]
  /// Channels that have `relay` in `status`, by id, from the first after `after` on.
  func channels(
    of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [ChannelID]
  /// Channels that are active on `relay` and should be read back, the longest due first, without channels in quarantine.
  func channelsToVerify(
    on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet
  ) async throws -> [ChannelID]
  /// Channel relays that failed, or are inactive since `before`, of channels that heal themselves, in the order of channel and relay.
  /// - Parameter after: where the page before ended.
  func lostRelays(
    before: Timestamp, after: (ChannelID, RelayID)?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, RelayID)]
  /// Channels that `relay` failed, by id, each with whether it may have the relay again: it heals, the cause is one of `causes`, and that
  /// was before `before`.
  /// - Parameter after: where the page before ended.
  func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, mayReturn: Bool)]
  /// How many relays of a channel were replaced between two times.
  func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) async throws -> Int
  /// The channel with the latest edition, among the other channels that share the key of `identity` and of which `relay` shows more than
  /// the first. It looks only at a few channels, with the latest editions.
  func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) async throws -> ChannelID?

  // MARK: - Counts

  /// How many channels have `relay` as a member, still have to tell it that they left, or are followed and read from it.
  func dependentCount(of relay: RelayID) async throws -> Int
  /// How many channels have `relay` as a member that was not removed, or are followed and read from it.
  func channelCount(of relay: RelayID) async throws -> Int
  /// How many channels an identity owns, without deleted channels that have told all relays.
  func channelCount(of identity: IdentityID) async throws -> Int
}

extension CoordinatorStorage {
  /// Makes writes durable that stand or fall together.
  @discardableResult
  public func commit(_ mutations: [StoreMutation]) async throws(CommitFailure) -> CommitReceipt {
    try await commit(CommitRequest(mutations))
  }
}
