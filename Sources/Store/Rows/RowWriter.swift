internal import GRDB
internal import GRDBSQLite
internal import Storage

/// A prepared statement that writes rows of a summed table. It serves one transaction.
///
/// Values go straight to SQLite. GRDB runs the statement, and turns SQLite's refusals into errors.
struct RowWriter {
  private let statement: Statement
  private let columns: Int
  private let used: UInt64

  init(_ source: RowStatement, _ db: Database) throws {
    columns = source.count
    used = source.used
    statement = try db.cachedStatement(sql: source.sql)
    // GRDB binds nothing itself, and does not touch directly bound values.
    statement.setUncheckedArguments(StatementArguments())
  }

  /// Writes one row.
  /// - Parameters:
  ///   - base: the revision from which pending ones are counted.
  ///   - values: binds the values of all columns except the sum, in the table's order.
  func write(base: Int64, _ values: (inout BoundRow) -> Void) throws {
    let handle = statement.sqliteStatement
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    var row = BoundRow(handle, columns: columns, used: used, base: base)
    values(&row)
    try row.bindSum()
    try statement.execute()
  }
}

/// The values of one row on their way to a statement, in the order of the table. Each of them goes into the row's sum.
struct BoundRow: RowSink {
  private let handle: SQLiteStatement
  private let columns: Int
  private let used: UInt64
  private let base: Int64
  private var sum = RowSum()
  /// How many values have come, which is the number of the last one's parameter.
  private var count: CInt = 0
  /// The first result that was not SQLITE_OK.
  private var fault = SQLITE_OK

  fileprivate init(_ handle: SQLiteStatement, columns: Int, used: UInt64, base: Int64) {
    self.handle = handle
    self.base = base
    self.columns = columns
    self.used = used
  }

  /// The destructor value that makes SQLite copy the bytes before the call returns.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
  }

  /// Advances to the next parameter.
  /// - Returns: whether the statement uses it.
  private mutating func advance() -> Bool {
    count += 1
    return used >> UInt64(count - 1) & 1 == 1
  }

  private mutating func note(_ result: CInt) {
    if result != SQLITE_OK, fault == SQLITE_OK { fault = result }
  }

  mutating func bindNull() {
    sum.addNull()
    // A parameter that is not bound is NULL.
    _ = advance()
  }

  mutating func bind(_ number: Int64) {
    sum.add(number)
    if advance() { note(sqlite3_bind_int64(handle, count, number)) }
  }

  /// Binds a revision. A pending one becomes its final revision.
  mutating func bind(revision: Int64) { bind(PendingRevision.settled(revision, base: base)) }

  mutating func bind(_ text: String) {
    var text = text
    let isUsed = advance()
    text.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      sum.add(text: bytes)
      guard isUsed else { return }
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return note(sqlite3_bind_text(handle, count, "", 0, Self.transient))
      }
      guard let length = CInt(exactly: bytes.count) else { return note(SQLITE_TOOBIG) }
      note(sqlite3_bind_text(handle, count, start.assumingMemoryBound(to: CChar.self), length, Self.transient))
    }
  }

  mutating func bind(_ blob: [UInt8]) {
    let isUsed = advance()
    blob.withUnsafeBytes { bytes in
      sum.add(blob: bytes)
      guard isUsed else { return }
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return note(sqlite3_bind_zeroblob(handle, count, 0)) }
      guard let length = CInt(exactly: bytes.count) else { return note(SQLITE_TOOBIG) }
      note(sqlite3_bind_blob(handle, count, start, length, Self.transient))
    }
  }

  /// - Throws: `DatabaseError` when a value could not be bound, or there are more or fewer of them than columns.
  fileprivate mutating func bindSum() throws {
    note(count == CInt(columns) ? sqlite3_bind_int64(handle, count + 1, sum.value) : SQLITE_RANGE)
    guard fault == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: fault), message: String(cString: sqlite3_errstr(fault)))
    }
  }
}
