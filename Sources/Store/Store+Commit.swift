internal import Channels
internal import Foundation
internal import GRDB
public import Storage
internal import StrictJSON
internal import Synchronization

extension Store {
  /// What one transaction has done.
  private struct Done {
    var receipt = CommitReceipt()
    /// Rows that were written or deleted.
    var rows = 0
    /// How large the history is from now on, if that was counted.
    var history: HistorySize?
  }

  /// Makes all `mutations` durable in one transaction; when it returns they survive a crash of the machine.
  /// - Throws: `StoreError`; then most likely none of them happened.
  @discardableResult
  public func commit(_ mutations: [StoreMutation]) async throws -> CommitReceipt {
    let known = history.withLock { $0 }
    let done: Done
    do {
      done = try await pool.write { db in
        var done = Done()
        let before = db.totalChangesCount
        var rows = HotRows(db)
        for mutation in mutations {
          guard case .forgetHistory(let end, let rowsMax, let limit) = mutation else {
            try Self.apply(mutation, &rows, db)
            continue
          }
          var size = try Self.historySize(since: done.history ?? known, db)
          let gone = try Self.forgetHistory(size, before: end, rowsMax: rowsMax, limit: limit, db)
          size.rows -= gone
          done.history = size
          done.receipt.forgotten += gone
        }
        done.rows = db.totalChangesCount - before
        return done
      }
    } catch {
      // It is not known whether anything was deleted, so the next call counts.
      if mutations.contains(where: \.isUpkeep) { history.withLock { $0 = nil } }
      throw noted(error)
    }
    if let size = done.history { history.withLock { $0 = size } }
    if isCheckpointDue(after: done.rows) { await checkpointApart() }
    return done.receipt
  }

  private static func apply(_ mutation: StoreMutation, _ rows: inout HotRows, _ db: Database) throws {
    switch mutation {
    case .quarantine(let channel, let reason, let at): try quarantine(channel, reason, at, db)
    case .clampTimes(let now, let latestVerifyDue): try clampTimes(now, latestVerifyDue, db)
    case .compactChanges(let revision): try compactChanges(through: revision, db)
    case .forgetHistory: break  // `commit` does it, which knows how large the history is.
    case .insertChannel(let row): try rows.write(.insertChannel) { row.bind(to: &$0) }
    case .touchChannel(let row): try rows.write(.touchChannel) { row.bind(to: &$0) }
    case .rewriteChannel(let row): try rows.write(.rewriteChannel) { row.bind(to: &$0) }
    case .saveChannelRelay(let channel, let position, let row):
      try rows.write(.saveChannelRelay) { row.bind(to: &$0, channel, position) }
    case .appendTransition(let row): try rows.write(.appendTransition) { row.bind(to: &$0) }
    case .appendChange(let row): try rows.write(.appendChange) { row.bind(to: &$0) }
    case .saveOperator(let row): try save(row, db)
    case .saveServer(let row): try save(row, db)
    case .saveRelay(let row): try save(row, db)
    case .recordRoundTrip(let peer, let at, let milliseconds): try record(peer, at, milliseconds, db)
    case .probe(let at): try put("probe", String(at.milliseconds), db)
    case .removeIdentity(let id):
      guard let row = try storedIdentity(id.rawValue, db) else { return }
      let name: String = row["name"]
      try replace(
        .identities,
        Self.values(
          id.rawValue, name + "\u{1F}\(id.rawValue)", row["network"] as String, row["public_key"] as String, Data(),
          row["created_at"] as Int64, true), db)
    case .insertIdentity(let row):
      try insert(
        .identities,
        Self.values(
          row.id.rawValue, row.name, row.network.rawValue, row.publicKey, Data(row.sealedKey), row.createdAt.milliseconds, false
        ),
        db)
    }
  }

  /// An identity as it is stored, even a removed one.
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

  /// - Parameter values: those of all columns except the sum, in the table's order.
  static func insert(_ table: SummedTable, _ values: [DatabaseValue], _ db: Database) throws {
    try run(table.insertion, values, db)
  }

  /// Inserts a row, or replaces the one with the same key.
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
