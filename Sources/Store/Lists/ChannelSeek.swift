internal import Channels
internal import Filters
internal import GRDB
internal import StrictJSON

/// The terms by which channels are sorted in SQL, and the condition for channels behind a certain place.
struct ChannelSeek {
  struct Term {
    let sql: String
    let arguments: [DatabaseValue]
    let isDescending: Bool
    let isNullable: Bool
    /// The index on custom data that has this term.
    let index: KeyIndex?
  }

  /// A part of the list in which an index gives the order. The parts follow each other.
  struct Stretch {
    let sql: String
    let arguments: [DatabaseValue]
    /// The terms by which the stretch must still be sorted.
    let terms: [Term]
    /// Terms of an index that have one value in all of the stretch.
    var fixed: Set<String> = []
    /// The term of an index behind whose bound the stretch begins.
    var moving: Term?

    var ordering: (sql: String, arguments: [DatabaseValue]) {
      (terms.map { $0.sql + ($0.isDescending ? " DESC" : "") }.joined(separator: ", "), terms.flatMap(\.arguments))
    }
  }

  private let keys: [(column: ChannelColumn, isDescending: Bool)]
  let terms: [Term]
  /// The SQL of terms that have the same value for all wanted channels. SQLite would sort by them.
  private let constants: Set<String>

  /// - Parameters:
  ///   - indexes: the indexes on custom data, by the path of their field.
  ///   - constants: the SQL of terms that have the same value for all wanted channels.
  /// - Returns: `nil` if the order has a key without a column.
  init?(_ order: ListOrder, indexes: [[String]: KeyIndex] = [:], constants: Set<String> = []) {
    var keys: [(column: ChannelColumn, isDescending: Bool)] = []
    var terms: [Term] = []
    for key in order.keys {
      guard let column = ChannelColumn(key.path) else { return nil }
      keys.append((column, key.isDescending))
      let index = indexes[key.path]
      let isNullable = column.isNullable
      terms += Self.expressions(column, index).map {
        Term(sql: $0.sql, arguments: $0.arguments, isDescending: key.isDescending, isNullable: isNullable, index: index)
      }
    }
    self.keys = keys
    self.terms = terms
    self.constants = constants
  }

  private static func expressions(_ column: ChannelColumn, _ index: KeyIndex?) -> [(sql: String, arguments: [DatabaseValue])] {
    if let index { return [(index.rank, []), (index.value, [])] }
    switch column {
    case .integer(let sql), .optionalInteger(let sql), .boolean(let sql), .text(let sql), .word(let sql), .time(let sql),
      .optionalTime(let sql):
      return [(sql, [])]
    case .json(let sql, let names):
      let path = ChannelColumn.jsonPath(names)
      let rank = """
        CASE coalesce(json_type(\(sql), ?), 'null') WHEN 'null' THEN 0 WHEN 'true' THEN 1 WHEN 'false' THEN 1
          WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'text' THEN 3 ELSE 4 END
        """
      return [(rank, [path.databaseValue]), ("json_extract(\(sql), ?)", [path.databaseValue])]
    }
  }

  /// The terms by which channels differ.
  var loose: [Term] { terms.filter { !constants.contains($0.sql) } }

  /// Everything that comes after the channel with these `values`, or everything if they are `nil`.
  func stretches(after values: [JSONValue]?) -> [Stretch] {
    guard let values else { return [Stretch(sql: "TRUE", arguments: [], terms: loose)] }
    let bounds = zip(keys, values).flatMap { Self.bounds($0.column, $1) }
    let bounded = Array(zip(terms, bounds).filter { !constants.contains($0.0.sql) })
    let lead = bounded.first?.0.index.map { index in bounded.prefix { $0.0.index == index }.count } ?? 0
    // An index on custom data is not used through alternatives, so each has its own stretch.
    return (0...lead).reversed().compactMap { Self.stretch(bounded, $0, of: lead) }
  }

  /// - Parameters:
  ///   - count: how many terms at the beginning are fixed to the values of the place.
  ///   - lead: how many terms the index has. Other terms come behind them.
  private static func stretch(_ bounded: [(Term, DatabaseValue)], _ count: Int, of lead: Int) -> Stretch? {
    var parts: [String] = []
    var arguments: [DatabaseValue] = []
    for (term, bound) in bounded.prefix(count) {
      parts.append(bound.isNull ? "\(term.sql) IS NULL" : "\(term.sql) = ?")
      if !bound.isNull { arguments.append(bound) }
    }
    let fixed = Set(bounded.prefix(count).map(\.0.sql))
    let rest = bounded.dropFirst(count)
    guard count < lead, let (next, bound) = rest.first else {
      let behind = condition(Array(rest))
      return Stretch(
        sql: (parts + [behind.sql]).joined(separator: " AND "), arguments: arguments + behind.arguments, terms: rest.map(\.0),
        fixed: fixed)
    }
    // Channels without a value are equal here, and values of one rank are never NULL.
    guard !bound.isNull else { return nil }
    parts.append("\(next.sql) \(next.isDescending ? "<" : ">") ?")
    return Stretch(
      sql: parts.joined(separator: " AND "), arguments: arguments + [bound], terms: rest.map(\.0), fixed: fixed, moving: next)
  }

  /// The condition for everything after the place with these bounds.
  private static func condition(_ bounded: [(term: Term, bound: DatabaseValue)]) -> (sql: String, arguments: [DatabaseValue]) {
    guard let (first, bound) = bounded.first else { return ("FALSE", []) }
    var alternatives: [String] = []
    var arguments: [DatabaseValue] = []
    // For the index of the first key, which alternatives would rule out.
    var seek = "TRUE"
    if !bound.isNull {
      let isTwice = first.isDescending && first.isNullable
      seek = "\(first.sql) \(first.isDescending ? "<=" : ">=") ?"
      if isTwice { seek = "(\(seek) OR \(first.sql) IS NULL)" }
      arguments += first.arguments + [bound] + (isTwice ? first.arguments : [])
    }
    for (index, (term, bound)) in bounded.enumerated() {
      var parts: [String] = []
      for (earlier, bound) in bounded.prefix(index) {
        parts.append("\(earlier.sql) IS ?")
        arguments += earlier.arguments + [bound]
      }
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
    case .time, .optionalTime: return [value.string.flatMap(Timestamp.init(wireText:))?.milliseconds.databaseValue ?? .null]
    case .integer, .optionalInteger, .boolean, .text, .word: return [scalar(value)]
    case .json: return [JSONOrder.rank(value).databaseValue, scalar(value)]
    }
  }

  /// The value as SQLite extracts it from JSON.
  static func scalar(_ value: JSONValue) -> DatabaseValue {
    switch value {
    case .null: .null
    case .bool(let flag): flag.databaseValue
    case .integer(let number): number.databaseValue
    case .number(let number): number.databaseValue
    case .string(let text): text.databaseValue
    case .array, .object: value.text.databaseValue
    }
  }

  /// The sort values of a channel, from the terms of its row.
  func values(of row: [DatabaseValue]) -> [JSONValue] {
    var index = 0
    return keys.map { key in
      defer { index += 1 }
      switch key.column {
      case .time, .optionalTime:
        return Int64.fromDatabaseValue(row[index]).map { .string(Timestamp(milliseconds: $0).wireText) } ?? .null
      case .boolean: return .bool(Bool.fromDatabaseValue(row[index]) ?? false)
      case .integer, .optionalInteger, .text, .word: return Self.json(row[index])
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

  static func json(_ value: DatabaseValue) -> JSONValue {
    switch value.storage {
    case .null, .blob: .null
    case .int64(let number): .integer(number)
    case .double(let number): .number(number)
    case .string(let text): .string(text)
    }
  }
}
