internal import Channels
internal import PostgreSQL
internal import Storage

/// Writes a request part by part, because one of them cannot be written. It holds the lock of the order over several round trips, which is
/// rare.
struct PartWriter {
  private let script: CommitScript
  private let connection: PostgreSQLConnection
  private let timeout: Duration

  init(_ script: CommitScript, _ connection: PostgreSQLConnection, _ timeout: Duration) {
    self.script = script
    self.connection = connection
    self.timeout = timeout
  }

  private func run(_ statements: [SQLStatement]) async throws(PostgreSQLFailure) -> [SQLRows] {
    try await connection.run(statements, within: timeout)
  }

  private func run(_ sql: String) async throws(PostgreSQLFailure) { _ = try await run([SQLStatement(sql)]) }

  func write() async throws(PostgreSQLFailure) -> CommitReceipt {
    try await run("BEGIN")
    do throws(PostgreSQLFailure) {
      return try await writeParts()
    } catch {
      // The server rolls everything back, unless the connection is gone anyway.
      if case .refused = error { try? await run("ROLLBACK") }
      throw error
    }
  }

  private func writeParts() async throws(PostgreSQLFailure) -> CommitReceipt {
    var all = WriteBatch(session: script.commit.session)
    for mutation in script.request.mutations { all.add(mutation) }
    do throws(PostgreSQLFailure) {
      _ = try await run([SessionDatabase.fence(script.commit.session)])
    } catch {
      guard CommitScript.isFenced(error) else { throw error }
      throw .refused(SQLError(state: CommitScript.fencedState, message: "no such session"))
    }
    let place = try await run([script.locking, script.takePlace(all)])[1]
    var receipt = CommitReceipt(base: place.int(0, 0) ?? 0, postBase: place.int(0, 2) ?? 0)
    (receipt.revision, receipt.postRevision) = (receipt.base, receipt.postBase)
    for (place, part) in script.request.parts.enumerated() {
      guard try await isExpected(part, base: receipt.base) else {
        receipt.rejections[place] = .conflict
        continue
      }
      receipt.rejections[place] = try await writeOrTakeBack(part, &receipt)
    }
    if script.request.parts.count == 1, case .refused(let words)? = receipt.rejections[0] {
      throw .refused(SQLError(state: Self.unwritable, message: words))
    }
    let settle = SQLStatement(
      "UPDATE commits SET count = $3, post_count = $4 WHERE session = $1 AND seq = $2",
      [
        .int(script.commit.session), .int(script.commit.number), .int(receipt.revision - receipt.base),
        .int(receipt.postRevision - receipt.postBase),
      ])
    _ = try await run([settle, SQLStatement("COMMIT")])
    if !all.isOfPosts { (receipt.postBase, receipt.postRevision) = (0, 0) }
    return receipt
  }

  /// The SQLSTATE that marks a part that the server refused.
  private static let unwritable = "BT002"

  private func isExpected(_ part: CommitPart, base: Int64) async throws(PostgreSQLFailure) -> Bool {
    guard let expected = part.expected else { return true }
    let found = try await run([
      SQLStatement("SELECT revision FROM channels WHERE id = $1", [.int(expected.channel.rawValue)])
    ])[0]
    return found.int(0, 0) == PendingRevision.settled(expected.revision, base: base)
  }

  /// - Returns: why it was rolled back, or `nil` if it was written.
  private func writeOrTakeBack(
    _ part: CommitPart, _ receipt: inout CommitReceipt
  ) async throws(PostgreSQLFailure) -> CommitReceipt.Rejection? {
    var batch = WriteBatch(session: script.commit.session)
    for mutation in part.mutations { batch.add(mutation) }
    let before = [SQLStatement("SAVEPOINT part")] + batch.unordered(script.commit)
    let (rest, forgetting) = batch.ordered(script.commit)
    do throws(PostgreSQLFailure) {
      let rows = try await run(before + rest + [SQLStatement("RELEASE part")])
      receipt.forgotten += forgetting.reduce(0) { $0 + Int(rows[before.count + $1].int(0, 0) ?? 0) }
      receipt.revision = max(receipt.revision, receipt.base + batch.places.channels, batch.named.channels)
      receipt.postRevision = max(receipt.postRevision, receipt.postBase + batch.places.posts, batch.named.posts)
      return nil
    } catch {
      guard case .refused(let fault) = error, !CommitScript.isPassing(fault) else { throw error }
      try await run("ROLLBACK TO part")
      return .refused(fault.description)
    }
  }
}
