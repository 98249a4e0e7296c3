public import Channels
public import Store

/// What the coordinator needs of storage; `Store` provides it, tests put faults in between.
public protocol CoordinatorStorage: Sendable {
  func commit(_ mutations: [StoreMutation]) async throws
  func counters() throws -> Store.Counters
  func operators() throws -> [OperatorRow]
  func servers() throws -> [ServerRow]
  func relays() throws -> [RelayRow]
  func identities() throws -> [IdentityRow]
  func channel(_ id: ChannelID) throws -> StoredChannel?
  func channel(idempotencyKey: String) throws -> ChannelID?
  func unfinishedChannels() throws -> [ChannelID]
  func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int) throws -> [ChannelID]
  func channelsToCheck(on relay: RelayID, at now: Timestamp, limit: Int) throws -> [ChannelID]
  func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int) throws -> [(ChannelID, RelayID)]
  func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int
  ) throws -> [(ChannelID, mayReturn: Bool)]
  func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int
  func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) throws -> ChannelID?
  func dependentCount(of relay: RelayID) throws -> Int
  func lastSignOfLife() throws -> Timestamp?
  func clampTimes(now: Timestamp, latestCheck: Timestamp) throws
  func forgetHistory(before end: Timestamp, rowsMax: Int, limit: Int) throws -> Int
  func channelCount(of relay: RelayID) throws -> Int
  func channelCount(of identity: IdentityID) throws -> Int
  func channelCounts() throws -> [RelayID: Int]
  func quarantine(_ channel: ChannelID, reason: String, at: Timestamp) throws
  func oldestRevision() throws -> Int64
  func compactChanges(through revision: Int64) throws
}

extension Store: CoordinatorStorage {}
