internal import Channels
internal import Storage

/// The questions of the decider to storage; it reads, and cannot write. What the inputs of a batch name is read with one question before
/// anything is decided (`Decider.wake`); only what an input leads to by itself is asked in the middle. Nothing is committed meanwhile, so
/// an answer is the same at the beginning of a batch and in the middle.
struct Questions {
  private let storage: any CoordinatorStorage

  init(_ storage: any CoordinatorStorage) { self.storage = storage }

  func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels { try await storage.channels(ids) }

  func channel(idempotencyKey key: String) async throws -> ChannelID? { try await storage.channel(idempotencyKey: key) }

  func channels(
    of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int
  ) async throws -> [ChannelID] {
    try await storage.channels(of: relay, in: status, after: after, limit: limit)
  }

  func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int) async throws -> [ChannelID] {
    try await storage.channelsToVerify(on: relay, at: now, limit: limit)
  }

  func lostRelays(
    before: Timestamp, after: (ChannelID, RelayID)?, limit: Int
  ) async throws -> [(ChannelID, RelayID)] {
    try await storage.lostRelays(before: before, after: after, limit: limit)
  }

  func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int
  ) async throws -> [(ChannelID, mayReturn: Bool)] {
    try await storage.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit)
  }

  func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) async throws -> Int {
    try await storage.replacements(of: channel, since: since, until: now)
  }

  func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) async throws -> ChannelID? {
    try await storage.neighbour(of: channel, sharing: identity, on: relay)
  }

  func dependentCount(of relay: RelayID) async throws -> Int { try await storage.dependentCount(of: relay) }
  func channelCount(of relay: RelayID) async throws -> Int { try await storage.channelCount(of: relay) }
  func channelCount(of identity: IdentityID) async throws -> Int { try await storage.channelCount(of: identity) }
}
