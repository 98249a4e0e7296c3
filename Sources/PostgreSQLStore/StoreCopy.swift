internal import Channels
internal import Foundation
public import PostgreSQL
internal import Storage
public import Store

/// Carries all channels from a store in a file into a database, or back, while no daemon uses either. Ids, revisions and history stay as
/// they are. What was written is read again and compared before it counts.
public struct StoreCopy: Sendable {
  /// What was carried: rows by table, in the order in which they went.
  public typealias Report = [(table: String, rows: Int)]

  private let address: PostgreSQLAddress
  private let schema: String
  /// How many rows go at once.
  private let batch: Int
  private let timeout = Duration.seconds(60)

  /// - Parameter schema: PostgreSQL's schema with the tables.
  public init(_ address: PostgreSQLAddress, schema: String = DatabaseSchema.name, batch: Int = 500) {
    self.address = address
    self.schema = schema
    self.batch = batch
  }

  // MARK: - Into the database

  /// Carries everything from a file into a database in which there is nothing yet. The store in the file stays as it is.
  /// - Parameter tell: is told of each table.
  /// - Throws: `StoreError`; then nothing is in the database. `inUse` while a daemon uses it; `notAccessible` if something is in it, or if
  ///   channels live where daemons that share a database cannot serve them.
  public func intoDatabase(from store: Store, tell: (String, Int) -> Void = { _, _ in }) async throws {
    let served = try store.livingChannels(on: NetworkKind.simplex.rawValue)
    guard served == 0 else {
      throw StoreError(
        .notAccessible,
        "\(served) \(served == 1 ? "channel is" : "channels are") on SimpleX, which daemons that share a database do not serve; delete them first, or keep the store in its file"
      )
    }
    try await exclusively { connection throws(PostgreSQLFailure) in
      try await write(store, over: connection, tell)
    }
  }

  private func write(
    _ store: Store, over connection: PostgreSQLConnection, _ tell: (String, Int) -> Void
  ) async throws(PostgreSQLFailure) {
    for table in Store.carriedTables {
      let found = try await connection.run(SQLStatement("SELECT 1 FROM \(table.name) LIMIT 1"), within: timeout)
      guard found.count == 0 else {
        throw Self.unfit("something is stored in the database already; copy into one in which there is nothing")
      }
    }
    // Revisions are final, so nothing is asked of a commit.
    let none = TableStatements.Commit(session: 0, number: 0)
    for table in Store.carriedTables {
      let statements = TableStatements(table)
      var (sum, last): (CellSum, [Cell]?) = (CellSum(), nil)
      while true {
        let rows = try Self.reading { try store.cells(of: table, after: last, limit: batch) }
        guard let end = rows.last else { break }
        for row in rows { sum.add(row) }
        do throws(PostgreSQLFailure) {
          _ = try await connection.run([statements.insert(rows, none)], within: timeout)
        } catch {
          throw Self.named(error, table)
        }
        last = Array(end.prefix(table.key.count))
      }
      guard try await sumInDatabase(table, over: connection) == sum else { throw Self.differs(table) }
      tell(table.name, sum.rows)
    }
    let (revisions, settings) = try Self.reading { (try store.revisions(), try store.settingsToCarry()) }
    var rest = settings.sorted { $0.key < $1.key }.map {
      SQLStatement("INSERT INTO settings (key, value) VALUES ($1, $2)", [.text($0.key), .text($0.value)])
    }
    // The order of all commits goes on behind what there is.
    rest.append(
      SQLStatement(
        "INSERT INTO commits (number, session, seq, base, count, post_base, post_count) VALUES (1, 0, 1, 0, $1, 0, $2)",
        [.int(revisions.channels), .int(revisions.posts)]))
    _ = try await connection.run(rest, within: timeout)
  }

  // MARK: - Into a file

  /// Carries everything from a database into a new store in a file. The database stays as it is.
  /// - Parameters:
  ///   - store: has nothing in it yet. It is of no use if this throws.
  ///   - tell: is told of each table.
  /// - Throws: `StoreError`: `inUse` while a daemon uses the database.
  public func intoFile(_ store: Store, tell: (String, Int) -> Void = { _, _ in }) async throws {
    try await exclusively { connection throws(PostgreSQLFailure) in
      for table in Store.carriedTables {
        let sum = try await eachRow(of: table, over: connection) { rows throws(PostgreSQLFailure) in
          try Self.reading { try store.add(rows, to: table) }
        }
        guard try sumInFile(table, store) == sum else { throw Self.differs(table) }
        tell(table.name, sum.rows)
      }
      let rows = try await connection.run(
        [CommitScript.end, SQLStatement("SELECT key, value FROM settings")], within: timeout)
      var settings: [String: String] = [:]
      for row in 0..<rows[1].count { settings[rows[1].text(row, 0) ?? ""] = rows[1].text(row, 1) }
      let known = settings
      try Self.reading {
        try store.carryOn(from: known, revision: rows[0].int(0, 0) ?? 0, postRevision: rows[0].int(0, 2) ?? 0)
      }
    }
  }

  private func sumInFile(_ table: SummedTable, _ store: Store) throws(PostgreSQLFailure) -> CellSum {
    var (sum, last): (CellSum, [Cell]?) = (CellSum(), nil)
    while true {
      let rows = try Self.reading { try store.cells(of: table, after: last, limit: batch) }
      guard let end = rows.last else { return sum }
      for row in rows { sum.add(row) }
      last = Array(end.prefix(table.key.count))
    }
  }

  // MARK: - The database

  private func sumInDatabase(
    _ table: SummedTable, over connection: PostgreSQLConnection
  ) async throws(PostgreSQLFailure) -> CellSum {
    try await eachRow(of: table, over: connection) { _ in }
  }

  /// Reads all rows of a table in the order of its key, which consists of numbers.
  private func eachRow(
    of table: SummedTable, over connection: PostgreSQLConnection, _ take: ([[Cell]]) throws(PostgreSQLFailure) -> Void
  ) async throws(PostgreSQLFailure) -> CellSum {
    let (statements, key) = (TableStatements(table), table.key.joined(separator: ", "))
    var (sum, last): (CellSum, [Cell]?) = (CellSum(), nil)
    while true {
      var (condition, values): (String, [SQLValue]) = ("", [])
      if let last {
        condition = " WHERE (\(key)) > (\(last.indices.map { "$\($0 + 2)::int8" }.joined(separator: ", ")))"
        values = last.map { if case .int(let number) = $0 { .int(number) } else { .int(nil) } }
      }
      let rows = try await connection.run(
        SQLStatement("\(statements.selection)\(condition) ORDER BY \(key) LIMIT $1", [.int(Int64(batch))] + values),
        within: timeout)
      let cells = (0..<rows.count).map { row in
        table.columns.indices.map { Self.cell(rows, row, $0, TableStatements.type(of: table.columns[$0])) }
      }
      guard let end = cells.last else { return sum }
      for row in cells { sum.add(row) }
      try take(cells)
      last = Array(end.prefix(table.key.count))
    }
  }

  private static func cell(_ rows: SQLRows, _ row: Int, _ column: Int, _ type: String) -> Cell {
    switch type {
    case "text": rows.text(row, column).map(Cell.text) ?? .null
    case "bytea": rows.bytes(row, column).map(Cell.bytes) ?? .null
    default: rows.int(row, column).map(Cell.int) ?? .null
    }
  }

  /// Does something in one transaction, while no daemon has a session and none can begin one.
  private func exclusively(
    _ body: (PostgreSQLConnection) async throws(PostgreSQLFailure) -> Void
  ) async throws {
    do throws(PostgreSQLFailure) {
      let connection = try await PostgreSQLConnection.open(
        address, name: "batond/copy", schema: schema, hostTimeout: .seconds(5))
      do throws(PostgreSQLFailure) {
        try await DatabaseSchema.prepare(connection, schema: schema, within: .seconds(600))
        _ = try await connection.run(
          [SQLStatement("BEGIN"), SQLStatement("LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE")], within: timeout)
        let living = try await connection.run(
          SQLStatement("SELECT name FROM sessions WHERE NOT stopped AND expires >= clock_timestamp() ORDER BY name LIMIT 1"),
          within: timeout)
        if let name = living.text(0, 0) {
          throw Self.unfit(
            "the daemon '\(name)' uses the database; stop all daemons first (one that was killed counts for five seconds)")
        }
        try await body(connection)
        _ = try await connection.run(SQLStatement("COMMIT"), within: timeout)
      } catch {
        await connection.close()
        throw error
      }
      await connection.close()
    } catch {
      if case .refused(let fault) = error, let own = Self.own(fault) { throw own }
      throw StoreError(.inputOutput, "\(error)")
    }
  }

  // MARK: - Errors

  /// The SQLSTATE of what is not the database's fault.
  private static let state = "BT003"
  private static func unfit(_ words: String) -> PostgreSQLFailure { .refused(SQLError(state: state, message: words)) }

  private static func own(_ fault: SQLError) -> StoreError? {
    fault.state == state ? StoreError(.inUse, fault.message) : nil
  }

  private static func differs(_ table: SummedTable) -> PostgreSQLFailure {
    unfit("the table \(table.name) does not read as it was written; nothing was kept")
  }

  private static func named(_ error: PostgreSQLFailure, _ table: SummedTable) -> PostgreSQLFailure {
    guard case .refused(let fault) = error else { return error }
    return unfit("a row of the table \(table.name) cannot be stored in the database: \(fault.message)")
  }

  private static func reading<T>(_ body: () throws -> T) throws(PostgreSQLFailure) -> T {
    do { return try body() } catch { throw unfit("\(error)") }
  }
}
