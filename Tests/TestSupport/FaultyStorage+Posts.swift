public import Channels
public import Storage
internal import Store
internal import Synchronization

extension FaultyStorage: PostStorage {
  /// Refuses writes about posts from now on as the store does: a request of one part fails, and of others the parts that cannot be stored
  /// are left out.
  public func refusePosts(_ isMeant: @escaping @Sendable (StoreMutation) -> Bool) {
    state.withLock { $0.refusedPosts = isMeant }
  }

  /// Whether nothing about posts can be read.
  public var arePostsUnreadable: Bool {
    get { state.withLock { $0.arePostsUnreadable } }
    set { state.withLock { $0.arePostsUnreadable = newValue } }
  }

  /// Channels of which a route cannot be read, and posts that cannot.
  public var damagedRoutes: Set<ChannelID> {
    get { state.withLock { $0.damagedRoutes } }
    set { state.withLock { $0.damagedRoutes = newValue } }
  }
  public var damagedPosts: Set<PostID> {
    get { state.withLock { $0.damagedPosts } }
    set { state.withLock { $0.damagedPosts = newValue } }
  }

  func commitPosts(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    let isMeant = state.withLock { $0.refusedPosts }
    let refused = request.parts.indices.filter { request.parts[$0].mutations.contains(where: isMeant) }
    guard !refused.isEmpty else { return try await write(request) }
    let reason = "a row is damaged"
    guard request.parts.count > refused.count else { throw .refused(reason) }
    let rest = request.parts.indices.filter { !refused.contains($0) }.map { request.parts[$0] }
    var receipt = try await write(CommitRequest(rest))
    receipt.rejections = Dictionary(uniqueKeysWithValues: refused.map { ($0, .refused(reason)) })
    return receipt
  }

  private func reading<Value: Sendable>(_ body: (any TestedStorage) async throws -> Value) async throws -> Value {
    guard !arePostsUnreadable else { throw StoreError(.inputOutput, "the disk does not answer") }
    return try await both(ask: body)
  }

  public func postCounters() async throws -> PostCounters { try await reading { try await $0.postCounters() } }
  public func posts(_ ids: Set<PostID>) async throws -> StoredPosts {
    var posts = try await reading { try await $0.posts(ids) }
    for id in damagedPosts where posts.found.removeValue(forKey: id) != nil {
      posts.unreadable[id] = StoreError(.corrupt, "post \(id.rawValue) is damaged")
    }
    return posts
  }
  public func posts(idempotencyKeys: Set<String>) async throws -> [String: PostID] {
    try await reading { try await $0.posts(idempotencyKeys: idempotencyKeys) }
  }
  public func posts(reacting reactions: Set<PostReaction>) async throws -> [PostReaction: PostID] {
    try await reading { try await $0.posts(reacting: reactions) }
  }

  public func posts(networkIDs: Set<String>, of channel: ChannelID?) async throws -> [String: PostID] {
    try await reading { try await $0.posts(networkIDs: networkIDs, of: channel) }
  }
  public func posts(of channel: ChannelID, before: PostID, limit: Int) async throws -> [PostID] {
    try await reading { try await $0.posts(of: channel, before: before, limit: limit) }
  }
  public func postsUnderWay(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [PostID] {
    try await reading { try await $0.postsUnderWay(after: after, limit: limit, among: slots) }
  }
  public func nextDeliveries(among slots: SlotSet) async throws -> [RelayID: Timestamp] {
    try await reading { try await $0.nextDeliveries(among: slots) }
  }
  public func dueDeliveries(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    try await reading { try await $0.dueDeliveries(on: relay, at: now, limit: limit, among: slots) }
  }
  public func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int, among slots: SlotSet)
    async throws -> [PostID]
  {
    try await reading { try await $0.troubledDeliveries(on: relay, causes: causes, after: after, limit: limit, among: slots) }
  }
  public func dueSchedules(at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    try await reading { try await $0.dueSchedules(at: now, limit: limit, among: slots) }
  }

  public func awaitedReplacements(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [(old: PostID, new: PostID)]
  {
    try await reading { try await $0.awaitedReplacements(after: after, limit: limit, among: slots) }
  }
  public func postRoutes(of channels: Set<ChannelID>) async throws -> [PostRouteRow] {
    if let channel = damagedRoutes.intersection(channels).min() {
      throw StoreError(.corrupt, "a route of channel \(channel.rawValue) is damaged")
    }
    return try await reading { try await $0.postRoutes(of: channels) }
  }
  public func channelsWithPosts(among slots: SlotSet) async throws -> Set<ChannelID> {
    try await reading { try await $0.channelsWithPosts(among: slots) }
  }
  public func postRoutesUnderWay(among slots: SlotSet) async throws -> [PostRouteRow] {
    try await reading { try await $0.postRoutesUnderWay(among: slots) }
  }
  public func postRoutesToCompare(at now: Timestamp, except: Set<RelayID>, limit: Int, among slots: SlotSet) async throws
    -> [PostRouteRow]
  {
    try await reading { try await $0.postRoutesToCompare(at: now, except: except, limit: limit, among: slots) }
  }
  public func postRoutes(
    on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [PostRouteRow] {
    try await reading { try await $0.postRoutes(on: relay, comparedBefore: since, after: after, limit: limit, among: slots) }
  }
  public func channelsToRoute(among slots: SlotSet) async throws -> [ChannelID] {
    try await reading { try await $0.channelsToRoute(among: slots) }
  }
  public func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int, among slots: SlotSet
  ) async throws -> PostsToForget {
    try await reading { try await $0.postsToForget(at: now, from: place, counted: counted, limit: limit, among: slots) }
  }
}

extension FaultyStorage: PostChangeReading {
  public func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (posts: [StoredPost], through: Int64) {
    try await reading { try await $0.changedPosts(after: revision, channels: channels, limit: limit) }
  }
}
