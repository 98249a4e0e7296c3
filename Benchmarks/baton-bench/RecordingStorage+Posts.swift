import Channels
import Storage
import Store

// The rows of posts.
extension RecordingStorage: PostStorage {
  /// A write of posts in the notation of `limits/bare_sqlite.c`; `nil` for any other.
  static func postStep(_ mutation: StoreMutation, _ receipt: CommitReceipt) -> String? {
    func settled(_ revision: Int64) -> Int64 { PendingRevision.settled(revision, base: receipt.postBase) }
    return switch mutation {
    case .insertPost(let row):
      "P \(row.id.rawValue) \(row.channel.rawValue) \(settled(row.revision)) \(row.document.text.utf8.count)"
    case .updatePost(let row): "Q \(row.id.rawValue) \(settled(row.revision))"
    case .saveDelivery(let post, let row):
      "D \(post.rawValue) \(row.relay.rawValue) \(statuses.firstIndex(of: row.record.status) ?? 0) \(progress(row.record))"
    case .appendPostTransition(let row): "H \(settled(row.revision)) \(row.post.rawValue) \(row.relay.rawValue)"
    case .savePostRoute(let row): "O \(row.channel.rawValue) \(row.relay.rawValue)"
    default: nil
    }
  }

  /// In the order in which the limit has them.
  private static let statuses: [DeliveryStatus] = [
    .pending, .sent, .accepted, .verified, .failed, .skipped, .deleting, .deleted, .stillServed, .unsupported,
  ]

  /// 0: nothing is left to do; 1: it waits; 2: it is under way.
  private static func progress(_ record: DeliveryRecord) -> Int { record.task == nil ? 0 : record.isUnderWay ? 2 : 1 }

  func postCounters() throws -> PostCounters { try store.postCounters() }
  func posts(_ ids: Set<PostID>) throws -> StoredPosts { try store.posts(ids) }
  func posts(idempotencyKeys: Set<String>) throws -> [String: PostID] { try store.posts(idempotencyKeys: idempotencyKeys) }
  func posts(reacting reactions: Set<PostReaction>) throws -> [PostReaction: PostID] {
    try store.posts(reacting: reactions)
  }

  func posts(networkIDs: Set<String>, of channel: ChannelID?) throws -> [String: PostID] {
    try store.posts(networkIDs: networkIDs, of: channel)
  }
  func posts(of channel: ChannelID, before: PostID, limit: Int) throws -> [PostID] {
    try store.posts(of: channel, before: before, limit: limit)
  }
  func postsUnderWay(after: PostID?, limit: Int, among slots: SlotSet) throws -> [PostID] {
    try store.postsUnderWay(after: after, limit: limit, among: slots)
  }
  func nextDeliveries(among slots: SlotSet) throws -> [RelayID: Timestamp] { try store.nextDeliveries(among: slots) }
  func dueDeliveries(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    try store.dueDeliveries(on: relay, at: now, limit: limit, among: slots)
  }
  func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int, among slots: SlotSet) throws
    -> [PostID]
  {
    try store.troubledDeliveries(on: relay, causes: causes, after: after, limit: limit, among: slots)
  }
  func dueSchedules(at now: Timestamp, limit: Int, among slots: SlotSet) throws -> (posts: [PostID], next: Timestamp?) {
    try store.dueSchedules(at: now, limit: limit, among: slots)
  }
  func awaitedReplacements(after: PostID?, limit: Int, among slots: SlotSet) throws -> [(old: PostID, new: PostID)] {
    try store.awaitedReplacements(after: after, limit: limit, among: slots)
  }
  func postRoutes(of channels: Set<ChannelID>) throws -> [PostRouteRow] { try store.postRoutes(of: channels) }
  func channelsWithPosts(among slots: SlotSet) throws -> Set<ChannelID> { try store.channelsWithPosts(among: slots) }
  func postRoutesUnderWay(among slots: SlotSet) throws -> [PostRouteRow] { try store.postRoutesUnderWay(among: slots) }
  func postRoutesToCompare(at now: Timestamp, except: Set<RelayID>, limit: Int, among slots: SlotSet) throws -> [PostRouteRow] {
    try store.postRoutesToCompare(at: now, except: except, limit: limit, among: slots)
  }
  func postRoutes(on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet)
    throws -> [PostRouteRow]
  {
    try store.postRoutes(on: relay, comparedBefore: since, after: after, limit: limit, among: slots)
  }
  func channelsToRoute(among slots: SlotSet) throws -> [ChannelID] { try store.channelsToRoute(among: slots) }
  func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int, among slots: SlotSet
  ) throws -> PostsToForget {
    try store.postsToForget(at: now, from: place, counted: counted, limit: limit, among: slots)
  }
}
