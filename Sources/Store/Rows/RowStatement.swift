/// SQL that writes one row of a summed table. Its parameters ?1, ?2, … are the columns of the table, in their order, with the sum last.
struct RowStatement: Sendable {
  let sql: String
  /// How many columns there are before the sum.
  let count: Int
  /// One bit for each column, the lowest for the first: whether the statement uses its value. The sum covers all of them.
  let used: UInt64

  private init(_ sql: String, _ columns: [String], used: [String]) {
    self.sql = sql
    count = columns.count
    self.used = columns.indices.reduce(0) { used.contains(columns[$1]) ? $0 | 1 << UInt64($1) : $0 }
  }

  static func inserting(into table: String, _ columns: [String]) -> RowStatement {
    let all = columns + ["sum"]
    let places = all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return RowStatement("INSERT INTO \(table) (\(all.joined(separator: ", "))) VALUES (\(places))", columns, used: columns)
  }

  /// Inserts a row, or replaces the row with the same key.
  static func upserting(into table: String, _ columns: [String], key: [String]) -> RowStatement {
    let rest = columns.filter { !key.contains($0) }
    return RowStatement(
      "\(inserting(into: table, columns).sql) ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET "
        + assignments(rest + ["sum"], columns).joined(separator: ", "), columns, used: columns)
  }

  /// Changes some columns of an existing row. The other values must equal the stored ones, because the sum covers them.
  static func updating(_ table: String, _ columns: [String], key: [String], setting changed: [String]) -> RowStatement {
    RowStatement(
      "UPDATE \(table) SET \(assignments(changed + ["sum"], columns).joined(separator: ", ")) WHERE "
        + assignments(key, columns).joined(separator: " AND "), columns, used: key + changed)
  }

  /// "name = ?5" for each of `names`.
  private static func assignments(_ names: [String], _ columns: [String]) -> [String] {
    (columns + ["sum"]).enumerated().filter { names.contains($0.element) }.map { "\($0.element) = ?\($0.offset + 1)" }
  }
}
