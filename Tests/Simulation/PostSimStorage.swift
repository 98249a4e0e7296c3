import Channels
import Storage
import TestSupport

/// The real store with a fate before every commit of the engine for posts.
final class PostSimStorage: PostStorage {
  private let store: FaultyStorage
  private let world: PostWorld

  init(_ store: FaultyStorage, _ world: PostWorld) {
    self.store = store
    self.world = world
  }

  @discardableResult
  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    let fate = world.takeFate()
    if fate != .works { world.note("  the commit: \(fate)") }
    world.write { state in
      switch fate {
      case .works, .crashesBefore, .crashesAfter: break
      case .fails, .refuses: (state.hasFailed, state.tally.storageFaults) = (true, state.tally.storageFaults + 1)
      case .isDurable, .isLost:
        (state.hasFailed, state.hasDoubt, state.tally.storageFaults) = (true, true, state.tally.storageFaults + 1)
      }
    }
    switch fate {
    case .fails: throw .unavailable("database or disk is full")
    case .isLost: throw .inDoubt("the answer was lost")
    case .crashesBefore:
      world.die()
      throw .inDoubt("the daemon is dead")
    case .works, .refuses, .isDurable, .crashesAfter: break
    }
    let receipt = try await write(request, isRefused: fate == .refuses)
    if fate == .isDurable { throw .inDoubt("the answer was lost") }
    if fate == .crashesAfter {
      world.die()
      throw .inDoubt("the daemon is dead")
    }
    return receipt
  }

  private func write(_ request: CommitRequest, isRefused: Bool) async throws(CommitFailure) -> CommitReceipt {
    // Not the routes, which are asked for again only later.
    let refused = isRefused ? request.parts.lastIndex { $0.mutations.contains { !Self.isOfRoutes($0) } } : nil
    if let refused { world.write { $0.damaged.formUnion(request.parts[refused].mutations.compactMap(Self.post)) } }
    if refused != nil, request.parts.count == 1 { throw .refused("a row is damaged") }
    let parts = request.parts.indices.filter { $0 != refused }.map { request.parts[$0] }
    let written = CommitRequest(parts)
    var receipt: CommitReceipt
    do {
      receipt = try await store.write(written)
    } catch {
      world.attempt { _ in throw Violation("the store refuses what the engine writes: \(error)") }
      throw error
    }
    for rejection in receipt.rejections {
      world.attempt { _ in throw Violation("the store refuses what the engine writes: \(rejection)") }
    }
    world.becameDurable(written.settled(by: receipt))
    if let refused { receipt.rejections = [refused: .refused("a row is damaged")] }
    return receipt
  }

  private static func post(_ mutation: StoreMutation) -> PostID? {
    switch mutation {
    case .insertPost(let row), .updatePost(let row), .rewritePost(let row): row.id
    case .saveDelivery(let id, _): id
    default: nil
    }
  }

  private static func isOfRoutes(_ mutation: StoreMutation) -> Bool {
    if case .savePostRoute = mutation { true } else { false }
  }

  private func reading<T>(_ body: (FaultyStorage) async throws -> T) async throws -> T {
    guard world.canRead() else { throw StoreError(.inputOutput, "the disk does not answer") }
    return try await body(store)
  }

  func postCounters() async throws -> PostCounters { try await reading { try await $0.postCounters() } }
  func posts(_ ids: Set<PostID>) async throws -> StoredPosts { try await reading { try await $0.posts(ids) } }
  func posts(idempotencyKeys: Set<String>) async throws -> [String: PostID] {
    try await reading { try await $0.posts(idempotencyKeys: idempotencyKeys) }
  }
  func posts(reacting reactions: Set<PostReaction>) async throws -> [PostReaction: PostID] {
    try await reading { try await $0.posts(reacting: reactions) }
  }

  func posts(networkIDs: Set<String>, of channel: ChannelID?) async throws -> [String: PostID] {
    try await reading { try await $0.posts(networkIDs: networkIDs, of: channel) }
  }
  func posts(of channel: ChannelID, before: PostID, limit: Int) async throws -> [PostID] {
    try await reading { try await $0.posts(of: channel, before: before, limit: limit) }
  }
  func postsUnderWay(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [PostID] {
    try await reading { try await $0.postsUnderWay(after: after, limit: limit, among: slots) }
  }
  func nextDeliveries(among slots: SlotSet) async throws -> [RelayID: Timestamp] {
    try await reading { try await $0.nextDeliveries(among: slots) }
  }
  func dueDeliveries(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    try await reading { try await $0.dueDeliveries(on: relay, at: now, limit: limit, among: slots) }
  }
  func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int, among slots: SlotSet) async throws
    -> [PostID]
  {
    try await reading { try await $0.troubledDeliveries(on: relay, causes: causes, after: after, limit: limit, among: slots) }
  }
  func dueSchedules(at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (posts: [PostID], next: Timestamp?) {
    try await reading { try await $0.dueSchedules(at: now, limit: limit, among: slots) }
  }
  func awaitedReplacements(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [(old: PostID, new: PostID)] {
    try await reading { try await $0.awaitedReplacements(after: after, limit: limit, among: slots) }
  }
  func postRoutesToCompare(at now: Timestamp, except: Set<RelayID>, limit: Int, among slots: SlotSet) async throws
    -> [PostRouteRow]
  {
    try await reading { try await $0.postRoutesToCompare(at: now, except: except, limit: limit, among: slots) }
  }
  func postRoutes(
    on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [PostRouteRow] {
    try await reading { try await $0.postRoutes(on: relay, comparedBefore: since, after: after, limit: limit, among: slots) }
  }
  func postRoutes(of channels: Set<ChannelID>) async throws -> [PostRouteRow] {
    try await reading { try await $0.postRoutes(of: channels) }
  }
  func channelsWithPosts(among slots: SlotSet) async throws -> Set<ChannelID> {
    try await reading { try await $0.channelsWithPosts(among: slots) }
  }
  func postRoutesUnderWay(among slots: SlotSet) async throws -> [PostRouteRow] {
    try await reading { try await $0.postRoutesUnderWay(among: slots) }
  }
  func channelsToRoute(among slots: SlotSet) async throws -> [ChannelID] {
    try await reading { try await $0.channelsToRoute(among: slots) }
  }
  func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int, among slots: SlotSet
  ) async throws -> PostsToForget {
    try await reading { try await $0.postsToForget(at: now, from: place, counted: counted, limit: limit, among: slots) }
  }
}
