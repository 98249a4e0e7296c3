internal import Channels
internal import Foundation
public import PostgreSQL
internal import Storage
public import Store

/// Carries all channels from a store in a file into a database, or back, while no daemon uses either. Ids, revisions and history do not
/// change. The written rows are read again and compared before they count.
public struct StoreCopy: Sendable {
  private let database: IdleDatabase
  private let timeout = IdleDatabase.timeout
  /// How many rows go in one step.
  private static let batch = 500

  /// - Parameter schema: PostgreSQL's schema with the tables.
  public init(_ address: PostgreSQLAddress, schema: String = DatabaseSchema.name) {
    database = IdleDatabase(address: address, schema: schema)
  }

  // MARK: - Into the database

  /// Carries everything from a file into an empty database. The store in the file does not change.
  /// - Parameter tell: is called with each table.
  /// - Throws: `StoreError`. Nothing was written then. `inUse` while a daemon uses the database, `notAccessible` if something is in it, or
  ///   if channels live where daemons that share a database cannot serve them.
  public func intoDatabase(from store: Store, tell: (String, Int) -> Void = { _, _ in }) async throws {
    let served = try store.livingChannels(on: NetworkKind.simplex.rawValue)
    guard served == 0 else {
      throw StoreError(
        .notAccessible,
        "\(served) \(served == 1 ? "channel is" : "channels are") on SimpleX, which cannot be moved, because the file does not show which daemon's chat core has them. Delete them first, or keep the store in its file"
      )
    }
    try await database.use(makesTables: true) { connection in
      try await write(store, over: connection, tell)
    }
  }

  private func write(
    _ store: Store, over connection: PostgreSQLConnection, _ tell: (String, Int) -> Void
  ) async throws {
    for table in Store.carriedTables {
      let found = try await connection.run(SQLStatement("SELECT 1 FROM \(table.name) LIMIT 1"), within: timeout)
      guard found.count == 0 else {
        throw StoreError(
          .notAccessible,
          "the database already contains data. Copy into an empty database")
      }
    }
    // Revisions are final, so nothing is asked of a commit.
    let none = TableStatements.Commit(session: 0, number: 0)
    for table in Store.carriedTables {
      let statements = TableStatements(table)
      let sum = try await eachPage(of: table, inFile(table, store)) { rows in
        do throws(PostgreSQLFailure) {
          _ = try await connection.run([statements.insert(rows, none)], within: timeout)
        } catch {
          throw Self.named(error, table)
        }
      }
      guard try await eachPage(of: table, inDatabase(table, connection)) == sum else { throw Self.differs(table) }
      tell(table.name, sum.rows)
    }
    let (revisions, settings) = (try store.revisions(), try store.settingsToCarry())
    var rest = settings.sorted { $0.key < $1.key }.map {
      SQLStatement("INSERT INTO settings (key, value) VALUES ($1, $2)", [.text($0.key), .text($0.value)])
    }
    for (channel, reason, at) in try store.quarantine() {
      rest.append(
        SQLStatement(
          "INSERT INTO quarantine (channel_id, reason, at) VALUES ($1, $2, $3)", [.int(channel), .text(reason), .int(at)]))
    }
    if let sign = try store.lastSignOfLife() {
      rest.append(
        SQLStatement(
          "INSERT INTO signs (session, at, commit) VALUES (0, $1, $2)",
          [.int(sign.at.milliseconds), .int(Int64(bitPattern: sign.commit))]))
    }
    // The order of all commits continues behind the existing revisions.
    rest.append(
      SQLStatement(
        "INSERT INTO commits (number, session, seq, base, count, post_base, post_count) VALUES (1, 0, 1, 0, $1, 0, $2)",
        [.int(revisions.channels), .int(revisions.posts)]))
    _ = try await connection.run(rest, within: timeout)
  }

  // MARK: - Into a file

  /// Carries everything from a database into a new store in a file. The database does not change.
  /// - Parameters:
  ///   - store: an empty store. It is of no use if this throws.
  ///   - tell: is called with each table.
  /// - Throws: `StoreError`: `inUse` while a daemon uses the database.
  public func intoFile(_ store: Store, tell: (String, Int) -> Void = { _, _ in }) async throws {
    try await database.use(makesTables: false) { connection in
      for table in Store.carriedTables {
        let sum = try await eachPage(of: table, inDatabase(table, connection)) { try store.add($0, to: table) }
        guard try await eachPage(of: table, inFile(table, store)) == sum else { throw Self.differs(table) }
        try store.writeBack()
        tell(table.name, sum.rows)
      }
      let rows = try await connection.run(
        [
          CommitScript.end, SQLStatement("SELECT key, value FROM settings"),
          SQLStatement("SELECT channel_id, reason, at FROM quarantine"),
          SQLStatement("SELECT at, commit FROM signs WHERE at IS NOT NULL ORDER BY at DESC LIMIT 1"),
        ], within: timeout)
      var settings: [String: String] = [:]
      for row in 0..<rows[1].count { settings[rows[1].text(row, 0) ?? ""] = rows[1].text(row, 1) }
      try store.carryOn(from: settings, revision: rows[0].int(0, 0) ?? 0, postRevision: rows[0].int(0, 2) ?? 0)
      let quarantine = (0..<rows[2].count).map { (rows[2].int($0, 0) ?? 0, rows[2].text($0, 1) ?? "", rows[2].int($0, 2) ?? 0) }
      try store.carry(
        quarantine: quarantine,
        sign: rows[3].int(0, 0).map { (at: Timestamp(milliseconds: $0), commit: UInt64(bitPattern: rows[3].int(0, 1) ?? 0)) })
    }
  }

  // MARK: - Reading

  /// Gives the rows of a table that follow a key, or the first ones.
  private typealias Pages = ([Cell]?) async throws -> [[Cell]]

  /// Goes through all rows of a table in the order of its key.
  private func eachPage(
    of table: SummedTable, _ page: Pages, _ take: ([[Cell]]) async throws -> Void = { _ in }
  ) async throws -> CellSum {
    var (sum, last): (CellSum, [Cell]?) = (CellSum(), nil)
    while true {
      let rows = try await page(last)
      guard let end = rows.last else { return sum }
      for row in rows { sum.add(row) }
      try await take(rows)
      last = Array(end.prefix(table.key.count))
    }
  }

  private func inFile(_ table: SummedTable, _ store: Store) -> Pages {
    { last in try store.cells(of: table, after: last, limit: Self.batch) }
  }

  /// The keys of all tables consist of numbers.
  private func inDatabase(_ table: SummedTable, _ connection: PostgreSQLConnection) -> Pages {
    let (statements, key) = (TableStatements(table), table.key.joined(separator: ", "))
    return { last in
      var (condition, values): (String, [SQLValue]) = ("", [])
      if let last {
        condition = " WHERE (\(key)) > (\(last.indices.map { "$\($0 + 2)::int8" }.joined(separator: ", ")))"
        values = last.map { if case .int(let number) = $0 { .int(number) } else { .int(nil) } }
      }
      let rows = try await connection.run(
        SQLStatement("\(statements.selection)\(condition) ORDER BY \(key) LIMIT $1", [.int(Int64(Self.batch))] + values),
        within: timeout)
      return (0..<rows.count).map { row in
        table.columns.indices.map { Self.cell(rows, row, $0, TableStatements.type(of: table.columns[$0])) }
      }
    }
  }

  private static func cell(_ rows: SQLRows, _ row: Int, _ column: Int, _ type: String) -> Cell {
    switch type {
    case "text": rows.text(row, column).map(Cell.text) ?? .null
    case "bytea": rows.bytes(row, column).map(Cell.bytes) ?? .null
    default: rows.int(row, column).map(Cell.int) ?? .null
    }
  }

  // MARK: - Errors

  private static func differs(_ table: SummedTable) -> StoreError {
    StoreError(.inputOutput, "the table \(table.name) reads back differently, so nothing was kept")
  }

  private static func named(_ error: PostgreSQLFailure, _ table: SummedTable) -> any Error {
    guard case .refused(let fault) = error else { return error }
    return StoreError(.incompatible, "a row of the table \(table.name) cannot be stored in the database: \(fault.message)")
  }
}
