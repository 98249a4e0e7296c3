public import Channels
public import Storage

extension CoordinatorStore: PostStorage {
  public func postCounters() async throws -> PostCounters { try await queue.ask { try $0.postCounters() } }
  public func posts(_ ids: Set<PostID>) async throws -> StoredPosts { try await queue.ask { try $0.posts(ids) } }

  public func posts(idempotencyKeys: Set<String>) async throws -> [String: PostID] {
    try await queue.ask { try $0.posts(idempotencyKeys: idempotencyKeys) }
  }

  public func posts(reacting reactions: Set<PostReaction>) async throws -> [PostReaction: PostID] {
    try await queue.ask { try $0.posts(reacting: reactions) }
  }

  public func posts(networkIDs: Set<String>, of channel: ChannelID?) async throws -> [String: PostID] {
    try await queue.ask { try $0.posts(networkIDs: networkIDs, of: channel) }
  }

  public func posts(of channel: ChannelID, before: PostID, limit: Int) async throws -> [PostID] {
    try await queue.ask { try $0.posts(of: channel, before: before, limit: limit) }
  }

  // MARK: - Unfinished work

  public func postsUnderWay(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [PostID] {
    try await queue.ask { try $0.postsUnderWay(after: after, limit: limit, among: slots) }
  }

  public func nextDeliveries(among slots: SlotSet) async throws -> [RelayID: Timestamp] {
    try await queue.ask { try $0.nextDeliveries(among: slots) }
  }

  public func dueDeliveries(
    on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet
  ) async throws -> (posts: [PostID], next: Timestamp?) {
    try await queue.ask { try $0.dueDeliveries(on: relay, at: now, limit: limit, among: slots) }
  }

  public func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int, among slots: SlotSet)
    async throws -> [PostID]
  {
    try await queue.ask { try $0.troubledDeliveries(on: relay, causes: causes, after: after, limit: limit, among: slots) }
  }

  public func awaitedReplacements(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [(old: PostID, new: PostID)]
  {
    try await queue.ask { try $0.awaitedReplacements(after: after, limit: limit, among: slots) }
  }

  // MARK: - Schedules

  public func dueSchedules(at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    try await queue.ask { try $0.dueSchedules(at: now, limit: limit, among: slots) }
  }

  // MARK: - Routes

  public func postRoutes(of channels: Set<ChannelID>) async throws -> [PostRouteRow] {
    try await queue.ask { try $0.postRoutes(of: channels) }
  }

  public func channelsWithPosts(among slots: SlotSet) async throws -> Set<ChannelID> {
    try await queue.ask { try $0.channelsWithPosts(among: slots) }
  }
  public func postRoutesUnderWay(among slots: SlotSet) async throws -> [PostRouteRow] {
    try await queue.ask { try $0.postRoutesUnderWay(among: slots) }
  }
  public func postRoutesToCompare(
    at now: Timestamp, except: Set<RelayID>, limit: Int, among slots: SlotSet
  ) async throws -> [PostRouteRow] {
    try await queue.ask { try $0.postRoutesToCompare(at: now, except: except, limit: limit, among: slots) }
  }

  public func postRoutes(
    on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [PostRouteRow] {
    try await queue.ask { try $0.postRoutes(on: relay, comparedBefore: since, after: after, limit: limit, among: slots) }
  }

  public func channelsToRoute(among slots: SlotSet) async throws -> [ChannelID] {
    try await queue.ask { try $0.channelsToRoute(among: slots) }
  }

  // MARK: - Retention

  public func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int, among slots: SlotSet
  ) async throws -> PostsToForget {
    try await queue.ask { try $0.postsToForget(at: now, from: place, counted: counted, limit: limit, among: slots) }
  }
}

extension CoordinatorStore: PostChangeReading {
  public func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (posts: [StoredPost], through: Int64) {
    try await queue.ask { try $0.changedPosts(after: revision, channels: channels, limit: limit) }
  }
}
