internal import Channels
internal import Filters
internal import GRDB
internal import StrictJSON

/// The terms that channels are sorted by in SQL, and the condition that goes on behind a certain place.
struct ChannelSeek {
  struct Term {
    let sql: String
    let arguments: [DatabaseValue]
    let isDescending: Bool
    let isNullable: Bool
  }

  private let keys: [(column: ChannelColumn, isDescending: Bool)]
  let terms: [Term]

  /// - Returns: nil when the order has a key without a column.
  init?(_ order: ListOrder) {
    var keys: [(column: ChannelColumn, isDescending: Bool)] = []
    for key in order.keys {
      guard let column = ChannelColumn(key.path) else { return nil }
      keys.append((column, key.isDescending))
    }
    self.keys = keys
    terms = keys.flatMap { key in
      Self.expressions(key.column).map {
        Term(
          sql: $0.sql, arguments: $0.arguments, isDescending: key.isDescending, isNullable: Self.isNullable(key.column))
      }
    }
  }

  private static func isNullable(_ column: ChannelColumn) -> Bool {
    switch column {
    case .integer, .boolean, .word, .time: false
    case .text, .json: true
    }
  }

  private static func expressions(_ column: ChannelColumn) -> [(sql: String, arguments: [DatabaseValue])] {
    switch column {
    case .integer(let sql), .boolean(let sql), .text(let sql), .word(let sql), .time(let sql): return [(sql, [])]
    case .json(let sql, let path):
      let rank = """
        CASE coalesce(json_type(\(sql), ?), 'null') WHEN 'null' THEN 0 WHEN 'true' THEN 1 WHEN 'false' THEN 1
          WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'text' THEN 3 ELSE 4 END
        """
      return [(rank, [path.databaseValue]), ("json_extract(\(sql), ?)", [path.databaseValue])]
    }
  }

  var ordering: (sql: String, arguments: [DatabaseValue]) {
    (terms.map { $0.sql + ($0.isDescending ? " DESC" : "") }.joined(separator: ", "), terms.flatMap(\.arguments))
  }

  /// Everything that comes after `values`, which are those of one channel.
  func condition(after values: [JSONValue]) -> (sql: String, arguments: [DatabaseValue]) {
    let bounds = zip(keys, values).flatMap { Self.bounds($0.column, $1) }
    guard let first = terms.first, let bound = bounds.first else { return ("FALSE", []) }
    var alternatives: [String] = []
    var arguments: [DatabaseValue] = []
    // For the index of the first key, which cannot be used through alternatives.
    var seek = "TRUE"
    if !bound.isNull {
      let isTwice = first.isDescending && first.isNullable
      seek = "\(first.sql) \(first.isDescending ? "<=" : ">=") ?"
      if isTwice { seek = "(\(seek) OR \(first.sql) IS NULL)" }
      arguments += first.arguments + [bound] + (isTwice ? first.arguments : [])
    }
    for index in terms.indices {
      var parts: [String] = []
      for earlier in terms.indices where earlier < index {
        parts.append("\(terms[earlier].sql) IS ?")
        arguments += terms[earlier].arguments + [bounds[earlier]]
      }
      let (term, bound) = (terms[index], bounds[index])
      switch (term.isDescending, bound.isNull) {
      case (false, true):
        parts.append("\(term.sql) IS NOT NULL")
        arguments += term.arguments
      case (true, true): parts.append("FALSE")
      case (false, false):
        parts.append("\(term.sql) > ?")
        arguments += term.arguments + [bound]
      case (true, false) where !term.isNullable:
        parts.append("\(term.sql) < ?")
        arguments += term.arguments + [bound]
      case (true, false):
        parts.append("(\(term.sql) < ? OR \(term.sql) IS NULL)")
        arguments += term.arguments + [bound] + term.arguments
      }
      alternatives.append("(\(parts.joined(separator: " AND ")))")
    }
    return ("\(seek) AND (\(alternatives.joined(separator: " OR ")))", arguments)
  }

  private static func bounds(_ column: ChannelColumn, _ value: JSONValue) -> [DatabaseValue] {
    switch column {
    case .time: return [value.string.flatMap(Timestamp.init(wireText:))?.milliseconds.databaseValue ?? .null]
    case .integer, .boolean, .text, .word: return [scalar(value)]
    case .json: return [JSONOrder.rank(value).databaseValue, scalar(value)]
    }
  }

  private static func scalar(_ value: JSONValue) -> DatabaseValue {
    switch value {
    case .null: .null
    case .bool(let flag): flag.databaseValue
    case .integer(let number): number.databaseValue
    case .number(let number): number.databaseValue
    case .string(let text): text.databaseValue
    case .array, .object: value.text.databaseValue
    }
  }

  /// What a channel is sorted by, from the terms of its row.
  func values(of row: [DatabaseValue]) -> [JSONValue] {
    var index = 0
    return keys.map { key in
      defer { index += 1 }
      switch key.column {
      case .time: return Int64.fromDatabaseValue(row[index]).map { .string(Timestamp(milliseconds: $0).wireText) } ?? .null
      case .boolean: return .bool(Bool.fromDatabaseValue(row[index]) ?? false)
      case .integer, .text, .word: return Self.json(row[index])
      case .json:
        let rank = Int.fromDatabaseValue(row[index]) ?? 0
        index += 1
        switch rank {
        case 0: return .null
        case 1: return .bool(Bool.fromDatabaseValue(row[index]) ?? false)
        case 4: return String.fromDatabaseValue(row[index]).flatMap { try? JSONParser.parse($0) } ?? .null
        default: return Self.json(row[index])
        }
      }
    }
  }

  private static func json(_ value: DatabaseValue) -> JSONValue {
    switch value.storage {
    case .null, .blob: .null
    case .int64(let number): .integer(number)
    case .double(let number): .number(number)
    case .string(let text): .string(text)
    }
  }
}
