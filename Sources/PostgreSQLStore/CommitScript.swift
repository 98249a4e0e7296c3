internal import Channels
internal import PostgreSQL
internal import Storage

/// A request as statements. All of them are one transaction, in this order: the check that the session exists, rows without a revision, the
/// place in the order of all commits, for which there is a lock, and everything else.
struct CommitScript {
  /// The SQLSTATE that stands for a session that is over.
  static let fencedState = "BT001"

  let request: CommitRequest
  let commit: TableStatements.Commit
  private let lock: Int64

  init(_ request: CommitRequest, _ commit: TableStatements.Commit, _ lock: Int64) {
    self.request = request
    self.commit = commit
    self.lock = lock
  }

  /// Whether an error is not due to the written data, so that the same may work later. The data can only have a wrong value (22),
  /// contradict stored rows (23), or be too large (54).
  static func isPassing(_ fault: SQLError) -> Bool { !["22", "23", "54", "BT"].contains(fault.state.prefix(2)) }

  /// Whether the first statement, the fence, did not find the session.
  static func isFenced(_ error: PostgreSQLFailure) -> Bool {
    if case .refused(let fault) = error { fault.statement == 0 && fault.state == "22012" } else { false }
  }

  /// All statements of a request, and the positions of the answers that matter.
  struct Statements {
    var all: [SQLStatement]
    /// The position of the statement that takes the place in the order.
    var place: Int
    var forgetting: [Int]
    var batch: WriteBatch
  }

  // MARK: - The place in the order

  /// Waits for the lock of the order. It is held until the commit is durable.
  var locking: SQLStatement { SQLStatement("SELECT pg_advisory_xact_lock($1)", [.int(lock)]) }

  /// Takes the place behind the last commit. It is a separate statement, so that it sees the commit before.
  func takePlace(_ batch: WriteBatch) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO commits (number, session, seq, base, count, post_base, post_count)
      SELECT coalesce(last.number, 0) + 1, $1, $2, coalesce(last.base + last.count, 0),
        greatest($3, $4 - coalesce(last.base + last.count, 0)), coalesce(last.post_base + last.post_count, 0),
        greatest($5, $6 - coalesce(last.post_base + last.post_count, 0))
      FROM (VALUES (1)) one LEFT JOIN (SELECT * FROM commits ORDER BY number DESC LIMIT 1) last ON true
      RETURNING base, count, post_base, post_count
      """,
      [
        .int(commit.session), .int(commit.number), .int(batch.places.channels), .int(batch.named.channels),
        .int(batch.places.posts), .int(batch.named.posts),
      ])
  }

  /// The end of all sequences, for a commit that takes no place, and the last commit. Numbers that a restore left out count too.
  static let end = SQLStatement(
    """
    SELECT coalesce(max(base + count), 0), 0::int8, coalesce(max(post_base + post_count), 0), 0::int8, max(session), max(seq)
    FROM (SELECT * FROM commits ORDER BY number DESC LIMIT 1) last
    """)

  // MARK: - All parts together

  /// The statements for all parts, or `nil` if their expectations are already known to fail.
  func whole() -> Statements? {
    var batch = WriteBatch(session: commit.session)
    var expected: [Int64: Int64] = [:]
    // The revisions that this request has written so far.
    var written: [ChannelID: Int64] = [:]
    for part in request.parts {
      if let expectation = part.expected {
        if let revision = written[expectation.channel] {
          guard revision == expectation.revision else { return nil }
        } else {
          let known = expected.updateValue(expectation.revision, forKey: expectation.channel.rawValue)
          guard known ?? expectation.revision == expectation.revision, expectation.revision >= 0 else { return nil }
        }
      }
      for mutation in part.mutations {
        batch.add(mutation)
        switch mutation {
        case .insertChannel(let row), .touchChannel(let row), .rewriteChannel(let row): written[row.id] = row.revision
        default: break
        }
      }
    }
    var all = [SessionDatabase.fence(commit.session)] + batch.unordered(commit)
    if batch.needsLock { all.append(locking) }
    let place = all.count
    all.append(batch.needsPlace ? takePlace(batch) : Self.end)
    if !expected.isEmpty { all.append(Self.check(expected)) }
    let (rest, forgetting) = batch.ordered(commit)
    let forgotten = forgetting.map { all.count + $0 }
    return Statements(all: all + rest, place: place, forgetting: forgotten, batch: batch)
  }

  /// Fails (22012) unless all channels have these revisions.
  private static func check(_ expected: [Int64: Int64]) -> SQLStatement {
    let pairs = expected.sorted { $0.key < $1.key }
    return SQLStatement(
      """
      SELECT 1 / (count(*) = array_length($1::int8[], 1))::int
      FROM unnest($1::int8[], $2::int8[]) AS v (id, revision) JOIN channels c ON c.id = v.id AND c.revision = v.revision
      """, [.ints(pairs.map(\.key)), .ints(pairs.map(\.value))])
  }

  func receipt(_ rows: [SQLRows], _ statements: Statements) -> CommitReceipt {
    var receipt = Self.receipt(rows[statements.place], statements.batch)
    receipt.forgotten = statements.forgetting.reduce(0) { $0 + Int(rows[$1].int(0, 0) ?? 0) }
    return receipt
  }

  private static func receipt(_ place: SQLRows, _ batch: WriteBatch) -> CommitReceipt {
    let (base, count) = (place.int(0, 0) ?? 0, place.int(0, 1) ?? 0)
    let (postBase, postCount) = (place.int(0, 2) ?? 0, place.int(0, 3) ?? 0)
    return CommitReceipt(
      base: base, revision: base + count, postBase: batch.isOfPosts ? postBase : 0,
      postRevision: batch.isOfPosts ? postBase + postCount : 0)
  }
}
