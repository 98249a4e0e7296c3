import Channels
import Storage

@testable import Store

/// A store with three channels and four relays, and posts for it.
final class PostBench: Sendable {
  static let now = CommitBench.now
  static let relays = (1...4 as ClosedRange<Int64>).map(RelayID.init(rawValue:))

  let commits: CommitBench
  var store: Store { commits.store }

  init() async throws {
    commits = try await CommitBench()
    for id in 1...3 as ClosedRange<Int64> { _ = try await commits.add(id) }
    try await commits.store.commit(
      Self.relays.dropFirst().map { id in
        .saveRelay(RelayRow(id: id, network: .nostr, address: "ws://r\(id.rawValue)", name: "r\(id.rawValue)", revision: 0))
      })
  }

  // MARK: - Rows

  static func post(
    _ id: Int64, channel: Int64 = 1, text: String = "Hello", deletedAt: Timestamp? = nil, key: String? = nil,
    deliveries: Int = 0, revision: Int64
  ) -> PostRow {
    PostRow(
      id: PostID(rawValue: id), channel: ChannelID(rawValue: channel),
      document: PostDocument(networkID: "p\(id)", author: "ab", text: "{\(id)}"), text: text, createdAt: now,
      deletedAt: deletedAt, idempotencyKey: key, deliveryCount: deliveries, revision: revision)
  }

  /// A delivery in one status.
  /// - Parameters:
  ///   - cause: of the trouble; a status that does not exist without trouble has `timeout` if this is `nil`.
  ///   - due: when its timer fires, if it has one.
  static func record(
    _ status: DeliveryStatus, cause: Cause? = nil, due: Int64 = now.milliseconds, isUnderWay: Bool = false
  ) -> DeliveryRecord {
    let task: DeliveryMachine.Work.Task? =
      switch status {
      case .pending, .failed: .publish
      case .sent, .accepted: .verify
      case .deleting, .stillServed: .withdraw
      case .verified, .skipped, .deleted, .unsupported: nil
      }
    var trouble = cause.map { Trouble($0, "no answer") }
    switch status {
    case .failed, .skipped, .stillServed, .unsupported: trouble = trouble ?? Trouble(.timeout, "no answer")
    case .verified, .deleted: trouble = nil
    case .pending, .sent, .accepted, .deleting: break
    }
    let isAtRelay = status == .verified || status == .sent || status == .accepted
    return DeliveryRecord(
      status: status, since: now, operation: 1, left: isAtRelay ? 1 : 0, shown: status == .verified ? 1 : 0,
      isDeletionRequested: [.deleting, .deleted, .stillServed, .unsupported].contains(status), trouble: trouble, task: task,
      attempt: task == nil ? 0 : 1, repair: 0, startedAt: task == nil ? nil : now, isUnderWay: task != nil && isUnderWay,
      timer: task == nil ? nil : Timestamp(milliseconds: due))
  }

  static func delivery(_ relay: Int64, _ record: DeliveryRecord, departed: Bool = false) -> DeliveryRow {
    DeliveryRow(relay: RelayID(rawValue: relay), record: record, hasDeparted: departed)
  }

  static func stored(
    _ id: Int64, channel: Int64 = 1, text: String = "Hello", deletedAt: Timestamp? = nil, revision: Int64? = nil,
    _ deliveries: [DeliveryRow]
  ) -> StoredPost {
    StoredPost(
      row: post(
        id, channel: channel, text: text, deletedAt: deletedAt, deliveries: deliveries.count, revision: revision ?? id),
      deliveries: deliveries)
  }

  static func transition(_ revision: Int64, _ post: Int64, at: Timestamp = now) -> PostTransitionRow {
    PostTransitionRow(
      revision: revision, post: PostID(rawValue: post), relay: RelayID(rawValue: 1),
      transition: .init(from: .pending, to: .sent, cause: nil, detail: "", attempt: 1, at: at))
  }

  static func ids(_ numbers: some Sequence<Int64>) -> [PostID] { numbers.map(PostID.init(rawValue:)) }

  // MARK: - Writes

  static func inserting(_ post: StoredPost) -> [StoreMutation] {
    [.insertPost(post.row)] + post.deliveries.map { .saveDelivery(post.row.id, $0) }
  }

  func add(_ posts: [StoredPost]) async throws { try await store.commit(posts.flatMap(Self.inserting)) }
}
