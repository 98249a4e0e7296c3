internal import PostgreSQL
internal import Storage
internal import Store

/// One row of an answer, which has all columns of a table in their order.
struct AnswerRow: RowSource {
  private let rows: SQLRows
  private let row: Int
  private var column = 0
  private var isMistyped = false

  init(_ rows: SQLRows, _ row: Int) {
    self.rows = rows
    self.row = row
  }

  private mutating func next() -> Int {
    defer { column += 1 }
    return column
  }

  mutating func integerIfAny() -> Int64? { rows.int(row, next()) }
  mutating func textIfAny() -> String? { rows.text(row, next()) }
  mutating func blobIfAny() -> [UInt8]? { rows.bytes(row, next()) }

  mutating func integer() -> Int64 {
    let value = integerIfAny()
    isMistyped = isMistyped || value == nil
    return value ?? 0
  }

  mutating func text() -> String {
    let value = textIfAny()
    isMistyped = isMistyped || value == nil
    return value ?? ""
  }

  func end(_ table: SummedTable) throws {
    guard !isMistyped, column == table.columns.count else { throw unreadable(table) }
  }

  func unreadable(_ table: SummedTable) -> StoreError {
    let key = table.key.indices.map { column in
      "\(table.key[column]) \(rows.int(row, column).map(String.init) ?? rows.text(row, column) ?? "?")"
    }
    return StoreError(.corrupt, "a row of the table \(table.name) (\(key.joined(separator: ", "))) is unreadable")
  }
}

extension SQLRows {
  /// The results of `read` for each row, which has all columns of a table in their order.
  func map<T>(_ read: (inout AnswerRow) throws -> T) rethrows -> [T] {
    try (0..<count).map { index in
      var row = AnswerRow(self, index)
      return try read(&row)
    }
  }

  /// The integers of a column, without NULLs.
  func ints(_ column: Int = 0) -> [Int64] { (0..<count).compactMap { int($0, column) } }
}
