internal import Channels
internal import Foundation
internal import GRDB
internal import Storage

/// Writes requests one after the other within a transaction. Each begins with the revision at which the one before ended.
struct RequestWriter {
  /// A channel does not have the revision that a part expects.
  struct Conflict: Error {}

  /// The result of a request, if the transaction is committed.
  struct Written {
    let result: Result<CommitReceipt, CommitFailure>
    /// Rows that were written or deleted.
    let rows: Int
  }

  /// The state that is reset when a part is rolled back.
  private struct Progress {
    /// The newest revision. Only transitions and changes use revisions up. Other rows repeat one of these.
    var newest: Int64
    /// The newest revision of posts, or `nil` until a request writes posts.
    var newestOfPosts: Int64?
    /// The new sizes of the histories, as far as they were counted.
    var history: Store.HistorySizes
    /// How many transitions were forgotten.
    var forgotten = 0
    /// Rows that were written or deleted.
    var rows = 0
  }

  private let db: Database
  private var rows: HotRows
  private var revisions: RevisionReader?
  /// Whether the current request writes posts.
  private var isOfPosts = false
  private var progress: Progress

  /// - Parameter history: the sizes of the histories after the previous transaction, as far as they were counted.
  init(_ db: Database, history: Store.HistorySizes) throws {
    self.db = db
    let newest = try Store.revision(db)
    rows = HotRows(db, base: newest)
    progress = Progress(newest: newest, history: history)
  }

  /// The new sizes of the histories, as far as they were counted.
  var history: Store.HistorySizes { progress.history }

  /// Whether the written data caused an error: the same write would fail again, and other writes need not fail with it.
  static func isRefusal(_ error: any Error) -> Bool {
    // A row that it would have to change is damaged.
    if error is StoreError { return true }
    return switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_CONSTRAINT?, .SQLITE_TOOBIG?, .SQLITE_RANGE?, .SQLITE_MISMATCH?, .SQLITE_ERROR?: true
    default: false
    }
  }

  // MARK: - Requests

  /// Writes a request.
  /// - Throws: `Conflict`, or an error, if one of its parts cannot be written. Then some of the request has been written.
  mutating func write(_ request: CommitRequest) throws -> Written {
    try begin(request)
    for part in request.parts {
      guard try isExpected(part) else { throw Conflict() }
      try write(part)
    }
    return Written(result: .success(receipt()), rows: progress.rows)
  }

  /// Writes the parts of a request that can be written.
  /// - Parameter words: why a part is refused, for the operator.
  /// - Throws: errors that are not due to one part.
  mutating func writeApart(_ request: CommitRequest, _ words: (any Error) -> String) throws -> Written {
    try begin(request)
    var rejections: [Int: CommitReceipt.Rejection] = [:]
    for (place, part) in request.parts.enumerated() {
      rejections[place] = try isExpected(part) ? try writeOrTakeBack(part, words) : .conflict
    }
    if request.parts.count == 1, case .refused(let words)? = rejections[0] {
      return Written(result: .failure(.refused(words)), rows: 0)
    }
    var receipt = receipt()
    receipt.rejections = rejections
    return Written(result: .success(receipt), rows: progress.rows)
  }

  private mutating func begin(_ request: CommitRequest) throws {
    rows.base = progress.newest
    progress.forgotten = 0
    progress.rows = 0
    isOfPosts = request.parts.contains { $0.mutations.contains(where: \.isOfPosts) }
    guard isOfPosts else { return }
    let newest = try progress.newestOfPosts ?? Store.postRevision(db)
    progress.newestOfPosts = newest
    rows.postBase = newest
  }

  private func receipt() -> CommitReceipt {
    CommitReceipt(
      base: rows.base, revision: progress.newest, postBase: isOfPosts ? rows.postBase : 0,
      postRevision: isOfPosts ? progress.newestOfPosts ?? 0 : 0, forgotten: progress.forgotten)
  }

  // MARK: - Parts

  /// Whether the stored channel has the revision that a part expects.
  private mutating func isExpected(_ part: CommitPart) throws -> Bool {
    guard let expected = part.expected else { return true }
    let reader = try revisions ?? RevisionReader(db)
    revisions = reader
    return try reader.revision(of: expected.channel) == PendingRevision.settled(expected.revision, base: rows.base)
  }

  private mutating func write(_ part: CommitPart) throws {
    let before = db.totalChangesCount
    for mutation in part.mutations { try apply(mutation) }
    progress.rows += db.totalChangesCount - before
  }

  /// - Returns: why it was rolled back, or `nil` if it was written.
  /// - Throws: errors that are not due to the part, also when it cannot be rolled back.
  private mutating func writeOrTakeBack(
    _ part: CommitPart, _ words: (any Error) -> String
  ) throws -> CommitReceipt.Rejection? {
    let before = progress
    var rejection: CommitReceipt.Rejection?
    try Store.run(db, "SAVEPOINT part", [])
    do {
      try write(part)
    } catch let error where Self.isRefusal(error) {
      try Store.run(db, "ROLLBACK TO part", [])
      progress = before
      rejection = .refused(words(error))
    }
    try Store.run(db, "RELEASE part", [])
    return rejection
  }

  // MARK: - Writes

  private mutating func apply(_ mutation: StoreMutation) throws {
    switch mutation {
    case .quarantine(let channel, let reason, let at): try Store.quarantine(channel, reason, at, db)
    case .clampTimes(let now, let latestVerifyDue): try Store.clampTimes(now, latestVerifyDue, db)
    case .compactChanges(let revision): try Store.compactChanges(through: revision, db)
    case .forgetHistory(let end, let rowsMax, let limit): try forgetHistory(before: end, rowsMax: rowsMax, limit: limit)
    case .forgetPostHistory(let end, let rowsMax, let limit): try forgetPostHistory(before: end, rowsMax: rowsMax, limit: limit)
    case .insertPost(let row):
      try rows.write(.insertPost) { row.bind(to: &$0) }
      useOfPosts(row.revision)
    case .updatePost(let row): try update(row, row.schedule == nil ? .updatePost : .rewritePost)
    case .rewritePost(let row): try update(row, .rewritePost)
    case .saveDelivery(let post, let row): try rows.write(.saveDelivery) { row.bind(to: &$0, post) }
    case .appendPostTransition(let row):
      try rows.write(.appendPostTransition) { row.bind(to: &$0) }
      useOfPosts(row.revision)
    case .savePostRoute(let row): try rows.write(.savePostRoute) { row.bind(to: &$0) }
    case .savePostRetention(let row): try rows.write(.savePostRetention) { row.bind(to: &$0) }
    case .insertChannel(let row): try rows.write(.insertChannel) { row.bind(to: &$0) }
    case .touchChannel(let row): try rows.write(.touchChannel) { row.bind(to: &$0) }
    case .rewriteChannel(let row): try rows.write(.rewriteChannel) { row.bind(to: &$0) }
    case .saveChannelRelay(let channel, let position, let row):
      try rows.write(.saveChannelRelay) { row.bind(to: &$0, channel, position) }
    case .appendTransition(let row):
      try rows.write(.appendTransition) { row.bind(to: &$0) }
      use(row.revision)
    case .appendChange(let row):
      try rows.write(.appendChange) { row.bind(to: &$0) }
      use(row.revision)
    case .saveOperator(let row): try rows.write(.saveOperator) { row.bind(to: &$0) }
    case .saveServer(let row): try rows.write(.saveServer) { row.bind(to: &$0) }
    case .saveRelay(let row): try rows.write(.saveRelay) { row.bind(to: &$0) }
    case .recordRoundTrip(let peer, let at, let milliseconds): try Store.record(peer, at, milliseconds, db)
    case .probe(let at, let commit): try Store.put("probe", "\(at.milliseconds) \(commit)", db)
    case .removeIdentity(let id): try removeIdentity(id)
    case .appendHealth(let row):
      try rows.write(.appendHealth) { row.bind(to: &$0) }
      use(row.revision)
      try Store.trimHealth(of: row.peer, db)
    case .insertIdentity(let row): try rows.write(.insertIdentity) { row.bind(to: &$0) }
    case .decide(let decision): try Store.decide(decision, db)
    }
  }

  private mutating func use(_ revision: Int64) {
    progress.newest = max(progress.newest, PendingRevision.settled(revision, base: rows.base))
  }

  private mutating func forgetHistory(before end: Timestamp, rowsMax: Int, limit: Int) throws {
    var size = try Store.historySize(.transitions, since: progress.history.channels, db)
    let gone = try Store.forgetHistory(size, before: end, rowsMax: rowsMax, limit: limit, db)
    size.rows -= gone
    progress.history.channels = size
    progress.forgotten += gone
  }

  private mutating func forgetPostHistory(before end: Timestamp, rowsMax: Int, limit: Int) throws {
    var size = try Store.historySize(.postTransitions, since: progress.history.posts, db)
    let gone = try Store.forget(.postTransitions, size, before: end, rowsMax: rowsMax, limit: limit, db).count
    size.rows -= gone
    progress.history.posts = size
    progress.forgotten += gone
  }

  private mutating func useOfPosts(_ revision: Int64) {
    let revision = PendingRevision.settled(revision, base: rows.postBase)
    progress.newestOfPosts = max(progress.newestOfPosts ?? rows.postBase, revision)
  }

  private mutating func update(_ post: PostRow, _ write: HotRows.Write) throws {
    try rows.write(write) { post.bind(to: &$0) }
    // Its revision would be stored nowhere, and be given a second time.
    guard db.changesCount == 1 else {
      throw StoreError(
        .corrupt, "post \(post.id.rawValue) cannot be changed, because it is not stored any more. Restore a backup")
    }
    useOfPosts(post.revision)
  }

  private func removeIdentity(_ id: IdentityID) throws {
    guard let row = try Store.storedIdentity(id.rawValue, db) else { return }
    let name: String = row["name"]
    try Store.replace(
      .identities,
      Store.values(
        id.rawValue, name + "\u{1F}\(id.rawValue)", row["network"] as String, row["public_key"] as String, Data(),
        row["created_at"] as Int64, true), db)
  }
}

extension StoreMutation {
  /// Whether it writes posts, so that it may use revisions of posts.
  fileprivate var isOfPosts: Bool {
    switch self {
    case .insertPost, .updatePost, .rewritePost, .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention: true
    case .insertChannel, .touchChannel, .rewriteChannel, .saveChannelRelay, .appendTransition, .appendChange, .saveOperator,
      .saveServer, .saveRelay, .recordRoundTrip, .appendHealth, .insertIdentity, .removeIdentity, .probe, .quarantine,
      .clampTimes,
      .forgetHistory, .compactChanges, .forgetPostHistory, .decide:
      false
    }
  }
}
