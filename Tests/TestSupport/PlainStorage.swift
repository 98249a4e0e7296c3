internal import Channels
internal import Storage
internal import Store

/// What tests ask of storage.
typealias TestedStorage = CoordinatorStorage & PostReading & PostStorage & TestedFigures

/// A real store in a file, whose answers come without a change of threads.
struct PlainStorage: TestedStorage {
  let store: Store

  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt { try await store.commit(request) }

  func counters() throws -> StoreCounters { try store.counters() }
  func operators() throws -> [OperatorRow] { try store.operators() }
  func servers() throws -> [ServerRow] { try store.servers() }
  func relays() throws -> [RelayRow] { try store.relays() }
  func identities() throws -> [IdentityRow] { try store.identities() }
  func channel(_ id: ChannelID) throws -> StoredChannel? { try store.channel(id) }
  func channels(_ ids: Set<ChannelID>) throws -> StoredChannels {
    try store.channels(ids)
  }
  func channel(idempotencyKey: String) throws -> ChannelID? { try store.channel(idempotencyKey: idempotencyKey) }
  func livingChannels(named name: ChannelName, limit: Int) throws -> [ChannelID] {
    try store.livingChannels(named: name, limit: limit)
  }
  func unfinishedChannels() throws -> [ChannelID] { try store.unfinishedChannels() }
  func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int) throws -> [ChannelID] {
    try store.channels(of: relay, in: status, after: after, limit: limit)
  }
  func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int) throws -> [ChannelID] {
    try store.channelsToVerify(on: relay, at: now, limit: limit)
  }
  func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int) throws -> [(ChannelID, RelayID)] {
    try store.lostRelays(before: before, after: after, limit: limit)
  }
  func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int
  ) throws -> [(ChannelID, mayReturn: Bool)] {
    try store.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit)
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
  func channelCounts() throws -> [RelayID: Int] { try store.channelCounts() }

  func postCounters() throws -> PostCounters { try store.postCounters() }
  func posts(_ ids: Set<PostID>) throws -> StoredPosts {
    try store.posts(ids)
  }
  func posts(idempotencyKeys: Set<String>) throws -> [String: PostID] {
    try store.posts(idempotencyKeys: idempotencyKeys)
  }
  func posts(reacting reactions: Set<PostReaction>) throws -> [PostReaction: PostID] {
    try store.posts(reacting: reactions)
  }

  func posts(networkIDs: Set<String>, of channel: ChannelID?) throws -> [String: PostID] {
    try store.posts(networkIDs: networkIDs, of: channel)
  }
  func posts(of channel: ChannelID, before: PostID, limit: Int) throws -> [PostID] {
    try store.posts(of: channel, before: before, limit: limit)
  }
  func postsUnderWay(after: PostID?, limit: Int) throws -> [PostID] {
    try store.postsUnderWay(after: after, limit: limit)
  }
  func nextDeliveries() throws -> [RelayID: Timestamp] { try store.nextDeliveries() }
  func dueDeliveries(on relay: RelayID, at now: Timestamp, limit: Int) throws -> (posts: [PostID], next: Timestamp?) {
    try store.dueDeliveries(on: relay, at: now, limit: limit)
  }
  func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int) throws -> [PostID] {
    try store.troubledDeliveries(on: relay, causes: causes, after: after, limit: limit)
  }
  func dueSchedules(at now: Timestamp, limit: Int) throws -> (posts: [PostID], next: Timestamp?) {
    try store.dueSchedules(at: now, limit: limit)
  }

  func awaitedReplacements(after: PostID?, limit: Int) throws -> [(old: PostID, new: PostID)] {
    try store.awaitedReplacements(after: after, limit: limit)
  }
  func postRoutes(of channels: Set<ChannelID>) throws -> [PostRouteRow] {
    try store.postRoutes(of: channels)
  }
  func channelsWithPosts() throws -> Set<ChannelID> { try store.channelsWithPosts() }
  func postRoutesUnderWay() throws -> [PostRouteRow] { try store.postRoutesUnderWay() }
  func postRoutesToCompare(at now: Timestamp, except: Set<RelayID>, limit: Int) throws -> [PostRouteRow] {
    try store.postRoutesToCompare(at: now, except: except, limit: limit)
  }
  func postRoutes(
    on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int
  ) throws -> [PostRouteRow] {
    try store.postRoutes(on: relay, comparedBefore: since, after: after, limit: limit)
  }
  func channelsToRoute() throws -> [ChannelID] { try store.channelsToRoute() }
  func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int
  ) throws -> PostsToForget {
    try store.postsToForget(at: now, from: place, counted: counted, limit: limit)
  }

  func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) throws -> (posts: [StoredPost], through: Int64) {
    try store.changedPosts(after: revision, channels: channels, limit: limit)
  }
}
