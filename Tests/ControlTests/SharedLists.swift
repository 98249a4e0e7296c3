import Channels
import Filters
import PostgreSQLStore
import Storage
import Store
import StrictJSON

/// A store in a file, of which only the lists come from a store that several daemons share.
struct SharedLists: ControlStorage, PostReading {
  private let own: ControlStore
  private let shared: SharedStore

  init(_ own: ControlStore, _ shared: SharedStore) { (self.own, self.shared) = (own, shared) }

  func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) async throws -> ChannelPart {
    try await shared.channels(matching: filter, in: order, withDeleted: withDeleted, after: after, limit: limit)
  }

  func channels(named name: String, limit: Int) async throws -> [ChannelID] {
    try await own.channels(named: name, limit: limit)
  }
  func channel(_ id: ChannelID) async throws -> StoredChannel? { try await own.channel(id) }
  func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels { try await own.channels(ids) }
  func lastPosts(of channels: Set<ChannelID>) async throws -> [ChannelID: LastPost] { try await own.lastPosts(of: channels) }
  func transitions(of channel: ChannelID, limit: Int) async throws -> [TransitionRow] {
    try await own.transitions(of: channel, limit: limit)
  }
  func transitions(matching seek: TransitionSeek, before revision: Int64, limit: Int) async throws -> TransitionPart {
    try await shared.transitions(matching: seek, before: revision, limit: limit)
  }
  func changes(after revision: Int64, limit: Int) async throws -> [ChangeRow] {
    try await own.changes(after: revision, limit: limit)
  }
  func newestChanges(after revision: Int64, through end: Int64, limit: Int) async throws -> [ChangeRow] {
    try await own.newestChanges(after: revision, through: end, limit: limit)
  }
  func oldestRevision() async throws -> Int64 { try await own.oldestRevision() }
  func counters() async throws -> StoreCounters { try await own.counters() }
  func health(of peers: Set<Probed>?, before revision: Int64, limit: Int) async throws -> HealthPart {
    try await shared.health(of: peers, before: revision, limit: limit)
  }
  func census() async throws -> Census { try await shared.census() }
  func outcomes() async throws -> RelayOutcomes { try await shared.outcomes() }
  func roundTripsOfRelays() async throws -> [RelayID: [Int64]] { try await shared.roundTripsOfRelays() }
  func roundTrips(of peer: Probed) async throws -> [MeasuredConnection] { try await own.roundTrips(of: peer) }
  func channelCount(of relay: RelayID) async throws -> Int { try await own.channelCount(of: relay) }
  func channelCounts(of relays: [RelayID]) async throws -> [RelayID: Int] { try await own.channelCounts(of: relays) }
  func channelCounts(of identities: [IdentityID]) async throws -> [IdentityID: Int] {
    try await own.channelCounts(of: identities)
  }
  func totals() async throws -> (channels: Int, relays: [RelayStatus: Int], quarantined: Int) { try await own.totals() }
  func losses() async throws -> [ChannelLoss] { try await own.losses() }
  func failedChannelCount() async throws -> Int { try await own.failedChannelCount() }
  var damageFound: [String] { own.damageFound }
  func check() async throws -> (channels: Int, problems: [String]) { try await own.check() }
  func makeCopy() async throws -> String { try await own.makeCopy() }

  func post(_ id: PostID) async throws -> StoredPost? { try await own.post(id) }
  func posts(_ ids: Set<PostID>) async throws -> StoredPosts { try await own.posts(ids) }
  func posts(_ question: PostQuestion) async throws -> PostPage { try await own.posts(question) }
  func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (posts: [StoredPost], through: Int64) {
    try await own.changedPosts(after: revision, channels: channels, limit: limit)
  }
  func postTransitions(of post: PostID, limit: Int) async throws -> [PostTransitionRow] {
    try await own.postTransitions(of: post, limit: limit)
  }
  func postCounters() async throws -> PostCounters { try await own.postCounters() }
  func postRetention(of channel: ChannelID) async throws -> PostRetention { try await own.postRetention(of: channel) }
}
