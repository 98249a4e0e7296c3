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
  func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int
  func dependentCount(of relay: RelayID) throws -> Int
  func clampTimes(now: Timestamp, latestCheck: Timestamp) throws
  func forgetHistory(before end: Timestamp, limit: Int) throws -> Int
  func channelCount(of relay: RelayID) throws -> Int
  func channelCount(of identity: IdentityID) throws -> Int
  func hasChannels(_ relay: RelayID) throws -> Bool
  func quarantine(_ channel: ChannelID, reason: String, at: Timestamp) throws
  func oldestRevision() throws -> Int64
  func compactChanges(through revision: Int64) throws
}

extension Store: CoordinatorStorage {}
