internal import Channels
internal import Filters
internal import PostgreSQL
internal import Store
internal import StrictJSON

/// The terms by which channels are sorted in SQL, and the condition for channels behind a certain place.
struct ListSeek {
  private struct Term {
    let sql: String
    let isDescending: Bool
    let isNullable: Bool
  }

  private let keys: [(column: ChannelColumn, isDescending: Bool)]
  private let terms: [Term]

  /// - Returns: `nil` if the order has a key without a column.
  init?(_ order: ListOrder) {
    var keys: [(column: ChannelColumn, isDescending: Bool)] = []
    var terms: [Term] = []
    for key in order.keys {
      guard let column = ChannelColumn(key.path, in: .postgreSQL) else { return nil }
      keys.append((column, key.isDescending))
      terms += Self.expressions(column).map {
        Term(sql: $0, isDescending: key.isDescending, isNullable: column.isNullable)
      }
    }
    self.keys = keys
    self.terms = terms
  }

  /// A value of JSON is sorted by its kind, then as a number, then as a text: booleans, texts, and others by their notation.
  private static func expressions(_ column: ChannelColumn) -> [String] {
    switch column {
    case .integer(let sql), .optionalInteger(let sql), .boolean(let sql), .text(let sql), .word(let sql), .time(let sql),
      .optionalTime(let sql):
      return [sql]
    case .json(let column, let names):
      let sql = PostgreSQLConditions.json(column, names)
      let kind = "json_typeof(\(sql))"
      return [
        """
        (CASE coalesce(\(kind), 'null') WHEN 'null' THEN 0 WHEN 'boolean' THEN 1 WHEN 'number' THEN 2 WHEN 'string' THEN 3 ELSE 4 END)::int8
        """,
        "(CASE WHEN \(kind) = 'number' THEN (\(sql))::text::numeric END)",
        // No text in PostgreSQL has U+0000.
        """
        (CASE \(kind) WHEN 'string' THEN replace((\(sql))::text, '\\u0000', '\\u0001')::json #>> '{}' WHEN 'null' THEN NULL
          WHEN 'number' THEN NULL ELSE (\(sql))::text END COLLATE "C")
        """,
      ]
    }
  }

  /// Where nothing can be NULL, the place of NULL is left out: an index with another one would not be used.
  var ordering: String {
    terms.map { term in
      let nulls = term.isNullable ? (term.isDescending ? " NULLS LAST" : " NULLS FIRST") : ""
      return term.sql + (term.isDescending ? " DESC" : " ASC") + nulls
    }.joined(separator: ", ")
  }

  // MARK: - Continuing

  /// Everything that comes after the channel with these `values`, or everything if they are `nil`.
  func condition(after values: [JSONValue]?, _ parameters: inout PostgreSQLConditions) -> String {
    guard let values else { return "TRUE" }
    let bounds = zip(keys, values).flatMap { Self.bounds($0.column, $1, &parameters) }
    // An index can continue behind a row, but not by alternatives.
    let known = bounds.compactMap { $0 }
    if let isDescending = terms.first?.isDescending, known.count == terms.count,
      terms.allSatisfy({ !$0.isNullable && $0.isDescending == isDescending })
    {
      let row = terms.map(\.sql).joined(separator: ", ")
      return "(\(row)) \(isDescending ? "<" : ">") (\(known.joined(separator: ", ")))"
    }
    var alternatives: [String] = []
    for (index, (term, bound)) in zip(terms, bounds).enumerated() {
      var parts = zip(terms, bounds).prefix(index).map { earlier, bound in
        bound.map { "\(earlier.sql) = \($0)" } ?? "\(earlier.sql) IS NULL"
      }
      switch (term.isDescending, bound) {
      case (false, nil): parts.append("\(term.sql) IS NOT NULL")
      case (true, nil): continue
      case (false, let bound?): parts.append("\(term.sql) > \(bound)")
      case (true, let bound?):
        parts.append(term.isNullable ? "(\(term.sql) < \(bound) OR \(term.sql) IS NULL)" : "\(term.sql) < \(bound)")
      }
      alternatives.append("(\(parts.joined(separator: " AND ")))")
    }
    return alternatives.isEmpty ? "FALSE" : "(\(alternatives.joined(separator: " OR ")))"
  }

  /// The parameters for the terms of a key. `nil` for NULL.
  private static func bounds(
    _ column: ChannelColumn, _ value: JSONValue, _ parameters: inout PostgreSQLConditions
  ) -> [String?] {
    switch column {
    case .time, .optionalTime:
      return [value.string.flatMap(Timestamp.init(wireText:)).map { parameters.add(.int($0.milliseconds)) }]
    case .integer, .optionalInteger: return [value.integer.map { parameters.add(.int($0)) }]
    case .boolean: return [value.bool.map { parameters.add(.int($0 ? 1 : 0)) }]
    case .text, .word: return [value.string.map { parameters.add(.text($0.replacing("\0", with: "\u{1}"))) }]
    case .json:
      var (number, text): (String?, String?) = (nil, nil)
      switch value {
      case .null: break
      case .integer, .number: number = parameters.add(number: value)
      case .string(let word): text = parameters.add(.text(word.replacing("\0", with: "\u{1}")))
      case .bool, .array, .object: text = parameters.add(.text(value.text))
      }
      return [parameters.add(.int(Int64(JSONOrder.rank(value)))), number, text]
    }
  }

  // MARK: - Where a channel stands

  /// The columns that a statement selects for each channel, so that `values` can return its sort values.
  var selection: String {
    keys.map { key in
      switch key.column {
      case .integer(let sql), .optionalInteger(let sql), .boolean(let sql), .text(let sql), .word(let sql), .time(let sql),
        .optionalTime(let sql):
        sql
      case .json(let column, let names): "(\(PostgreSQLConditions.json(column, names)))::text"
      }
    }.joined(separator: ", ")
  }

  func values(of rows: SQLRows, _ row: Int) -> [JSONValue] {
    keys.enumerated().map { place, key in
      switch key.column {
      case .time, .optionalTime: rows.int(row, place).map { .string(Timestamp(milliseconds: $0).wireText) } ?? .null
      case .boolean: .bool(rows.int(row, place) == 1)
      case .integer, .optionalInteger: rows.int(row, place).map(JSONValue.integer) ?? .null
      case .text, .word: rows.text(row, place).map(JSONValue.string) ?? .null
      case .json: rows.text(row, place).flatMap { try? JSONParser.parse($0) } ?? .null
      }
    }
  }
}
