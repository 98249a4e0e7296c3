internal import GRDB
internal import GRDBSQLite
internal import Storage

/// The values of the row that a statement is at, read by position in the order of a summed table. Each of them goes into the row's sum, and
/// no value may be trusted before `end` has compared it.
///
/// Texts are converted as GRDB does it, so that sums mean the same however a row is read.
struct RowReader: RowSource {
  private let handle: SQLiteStatement
  private var sum = RowSum()
  /// The position of the next value.
  private var position: CInt = 0
  /// Whether a value is of another type than its column.
  private var isMistyped = false

  init(_ handle: SQLiteStatement) { self.handle = handle }

  mutating func integerIfAny() -> Int64? {
    let place = advance()
    guard sqlite3_column_type(handle, place) == SQLITE_INTEGER else { return skip(place) }
    let number = sqlite3_column_int64(handle, place)
    sum.add(number)
    return number
  }

  mutating func textIfAny() -> String? {
    let place = advance()
    guard sqlite3_column_type(handle, place) == SQLITE_TEXT, var text = text(at: place) else { return skip(place) }
    text.withUTF8 { sum.add(text: UnsafeRawBufferPointer($0)) }
    return text
  }

  mutating func blobIfAny() -> [UInt8]? {
    let place = advance()
    guard sqlite3_column_type(handle, place) == SQLITE_BLOB else { return skip(place) }
    let bytes = blob(at: place)
    sum.add(blob: bytes)
    return Array(bytes)
  }

  mutating func integer() -> Int64 { required(integerIfAny(), 0) }
  mutating func text() -> String { required(textIfAny(), "") }
  /// Compares the sum, once all other columns are read.
  /// - Throws: `StoreError.corrupt` that names the row, when it is damaged, or has values of other types.
  func end(_ table: SummedTable) throws {
    guard sqlite3_column_count(handle) == position + 1, sqlite3_column_type(handle, position) == SQLITE_INTEGER,
      sqlite3_column_int64(handle, position) == sum.value
    else { throw table.changed(row(of: table)) }
    guard !isMistyped else { throw unreadable(table) }
  }

  /// A row with an impossible value.
  func unreadable(_ table: SummedTable) -> StoreError { Store.unreadable(table, row(of: table)) }

  /// The row as GRDB has it, which gives its name. GRDB looks up all columns by name first, so it is made for a damaged row only.
  private func row(of table: SummedTable) -> Row {
    var values: [String: (any DatabaseValueConvertible)?] = [:]
    for (column, place) in zip(table.columns, 0..<sqlite3_column_count(handle)) {
      values[column] = DatabaseValue(sqliteStatement: handle, index: place)
    }
    return Row(values)
  }

  private mutating func advance() -> CInt {
    defer { position += 1 }
    return position
  }

  private mutating func required<T>(_ value: T?, _ other: T) -> T {
    if value == nil { isMistyped = true }
    return value ?? other
  }

  /// Adds a value to the sum that is NULL or not of the requested type.
  private mutating func skip<T>(_ place: CInt) -> T? {
    let type = sqlite3_column_type(handle, place)
    isMistyped = isMistyped || type != SQLITE_NULL
    switch type {
    case SQLITE_INTEGER: sum.add(sqlite3_column_int64(handle, place))
    case SQLITE_FLOAT: sum.add(sqlite3_column_double(handle, place))
    case SQLITE_TEXT:
      var text = text(at: place) ?? ""
      text.withUTF8 { sum.add(text: UnsafeRawBufferPointer($0)) }
    case SQLITE_BLOB: sum.add(blob: blob(at: place))
    default: sum.addNull()
    }
    return nil
  }

  /// The text, or `nil` without enough memory for it.
  private func text(at place: CInt) -> String? { sqlite3_column_text(handle, place).map { String(cString: $0) } }

  /// The bytes, which are valid until the next step of the statement.
  private func blob(at place: CInt) -> UnsafeRawBufferPointer {
    let bytes = sqlite3_column_blob(handle, place)
    return UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_column_bytes(handle, place)))
  }
}

extension Store {
  /// The result of `read` for each row that a query on one summed table finds. The query asks for all columns.
  static func read<T>(
    _ db: Database, cached sql: String, arguments: StatementArguments, _ read: (inout RowReader) throws -> T
  ) throws -> [T] {
    let statement = try db.cachedStatement(sql: sql)
    var found: [T] = []
    try Row.fetchCursor(statement, arguments: arguments).forEach { _ in
      var values = RowReader(statement.sqliteStatement)
      found.append(try read(&values))
    }
    return found
  }

  /// Reads rows of a history, whose first column is the revision. Damaged rows are noted and left out, so that they do not keep the rest
  /// from being read.
  /// - Returns: the rows, and the revision of the last row, if there were as many rows as requested. `nil` if there were fewer.
  func readIntact<T>(
    _ db: Database, cached sql: String, arguments: [DatabaseValue], limit: Int, _ read: (inout RowReader) throws -> T
  ) throws -> (rows: [T], last: Int64?) {
    let statement = try db.cachedStatement(sql: sql)
    var (found, count, last): ([T], Int, Int64?) = ([], 0, nil)
    try Row.fetchCursor(statement, arguments: StatementArguments(arguments)).forEach { row in
      count += 1
      last = Int64.fromDatabaseValue(row[0])
      var values = RowReader(statement.sqliteStatement)
      do { found.append(try read(&values)) } catch let error as StoreError where error.code == .corrupt { _ = noted(error) }
    }
    return (found, count == limit ? last : nil)
  }
}
