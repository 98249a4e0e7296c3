internal import Foundation
internal import GRDB
public import Storage
internal import Synchronization

extension Store {
  /// Makes the parts of `request` durable. When it returns they survive a crash of the machine. Requests that wait for the writer at the
  /// same moment share its next transaction. Upkeep goes alone, so that damage that only it meets fails nothing else. Cancelling the task
  /// has no effect.
  /// - Returns: the revisions, and which parts were not written.
  /// - Throws: `CommitFailure`, but never `fenced`, because the state directory belongs to this process until it is closed.
  @discardableResult
  public func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    let outcome = await withCheckedContinuation { reply in
      if commits.add(CommitQueue.Entry(request: request, reply: reply)) { commitNext() }
    }
    if isCheckpointDue(after: outcome.rows) { await checkpointApart() }
    return try outcome.result.get()
  }

  /// Has the writer commit the requests that wait when it comes.
  private func commitNext() {
    do {
      try open.asyncWriteWithoutTransaction { [self] db in answerNext { commit($0, db) } }
    } catch {
      answerNext { fail($0, .unavailable(noted(error).description)) }
    }
  }

  /// - Parameter answer: the results of requests.
  private func answerNext(_ answer: ([CommitRequest]) -> [CommitOutcome]) {
    let (group, isMore) = commits.take()
    if isMore { commitNext() }
    for (entry, outcome) in zip(group, answer(group.map(\.request))) { entry.reply.resume(returning: outcome) }
  }

  /// Commits requests in one transaction.
  /// - Returns: the result of each.
  private func commit(_ requests: [CommitRequest], _ db: Database) -> [CommitOutcome] {
    if let trouble = fileTrouble() { return fail(requests, .unavailable(trouble)) }
    let written: [RequestWriter.Written]
    let size: HistorySizes
    do {
      (written, size) = try write(requests, db)
    } catch {
      try? db.rollback()
      return fail(
        requests, Self.isPermanent(error) ? .refused(noted(error).description) : .unavailable(noted(error).description))
    }
    do {
      try db.commit()
    } catch {
      let words = noted(error).description
      // A transaction that SQLite can still roll back was not committed.
      if db.isInsideTransaction, (try? db.rollback()) != nil { return fail(requests, .unavailable(words)) }
      return fail(requests, .inDoubt("\(words). It is not known whether the last changes were stored"))
    }
    history.withLock { $0 = size }
    return written.map { CommitOutcome(result: $0.result, rows: $0.rows) }
  }

  private func fail(_ requests: [CommitRequest], _ failure: CommitFailure) -> [CommitOutcome] {
    // It is not known whether anything was forgotten, so the next call counts.
    if requests.contains(where: { $0.mutations.contains(where: \.isUpkeep) }) { history.withLock { $0 = HistorySizes() } }
    return requests.map { _ in CommitOutcome(result: .failure(failure), rows: 0) }
  }

  /// Begins a transaction and writes requests. Most often all of them can be stored, so it begins without savepoints. Once a part is
  /// rejected, everything is written again with a savepoint for each part.
  private func write(
    _ requests: [CommitRequest], _ db: Database
  ) throws -> (written: [RequestWriter.Written], size: HistorySizes) {
    let known = history.withLock { $0 }
    try db.beginTransaction()
    do {
      var writer = try RequestWriter(db, history: known)
      let written = try requests.map { try writer.write($0) }
      return (written, writer.history)
    } catch let error where error is RequestWriter.Conflict || RequestWriter.isRefusal(error) {
      try db.rollback()
      try db.beginTransaction()
      var writer = try RequestWriter(db, history: known)
      let written = try requests.map { try writer.writeApart($0) { noted($0).description } }
      return (written, writer.history)
    }
  }

  /// Whether a transaction that failed because of an error would fail again.
  private static func isPermanent(_ error: any Error) -> Bool { error is DatabaseError && RequestWriter.isRefusal(error) }

  /// An identity as stored, even a removed one.
  static func storedIdentity(_ id: Int64, _ db: Database) throws -> Row? {
    let table = SummedTable.identities
    return try Row.fetchOne(db, cached: table.selection + " WHERE id = ?", arguments: [id]).map(table.verified)
  }

  static func run(_ db: Database, _ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws {
    let statement = try db.cachedStatement(sql: sql)
    try statement.execute(arguments: StatementArguments(arguments))
  }

  // MARK: - Rows with a sum

  /// The values of a row in the order of its table, as SQLite stores them.
  static func values(_ values: (any DatabaseValueConvertible)?...) -> [DatabaseValue] {
    values.map { $0?.databaseValue ?? .null }
  }

  // `values` are the values of all columns except the sum, in the table's order.

  /// Inserts a row, or replaces the row with the same key.
  static func upsert(_ table: SummedTable, _ values: [DatabaseValue], _ db: Database) throws {
    try run(table.upsertion, values, db)
  }

  /// Replaces an existing row.
  static func replace(_ table: SummedTable, _ values: [DatabaseValue], _ db: Database) throws {
    try run(table.replacement, values, db)
  }

  private static func run(_ statement: RowStatement, _ values: [DatabaseValue], _ db: Database) throws {
    try db.cachedStatement(sql: statement.sql).execute(
      arguments: StatementArguments(values + [RowSum.of(values).databaseValue]))
  }

  static func put(_ setting: String, _ value: String, _ db: Database) throws {
    try upsert(.settings, values(setting, value), db)
  }
}
