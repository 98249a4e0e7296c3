internal import Channels
internal import Filters
internal import GRDB
internal import StrictJSON

/// A filter on channels as SQL. What SQL cannot express is left open: every channel that matches the filter meets the condition, and
/// `isExact` tells whether the reverse holds too. Values are bound, never pasted.
struct ChannelCondition {
  let sql: String
  let arguments: [DatabaseValue]
  let isExact: Bool

  private init(_ sql: String, _ arguments: [DatabaseValue] = [], isExact: Bool = true) {
    self.sql = sql
    self.arguments = arguments
    self.isExact = isExact
  }

  static let open = ChannelCondition("TRUE", isExact: false)
  private static let never = ChannelCondition("FALSE")
  private static let always = ChannelCondition("TRUE")

  init(_ filter: Filter) { self = Self.compile(filter.root) }

  private static func compile(_ node: Filter.Node) -> ChannelCondition {
    switch node {
    case .all(let nodes): joined(nodes.map(compile), " AND ", empty: .always)
    case .any(let nodes): joined(nodes.map(compile), " OR ", empty: .never)
    case .none(let nodes): negated(joined(nodes.map(compile), " OR ", empty: .never))
    case .field(let path, let test): compile(path, test)
    }
  }

  private static func joined(_ parts: [ChannelCondition], _ word: String, empty: ChannelCondition) -> ChannelCondition {
    guard !parts.isEmpty else { return empty }
    return ChannelCondition(
      "(" + parts.map(\.sql).joined(separator: word) + ")", parts.flatMap(\.arguments), isExact: parts.allSatisfy(\.isExact))
  }

  /// The negated condition; only an exact one can be negated.
  private static func negated(_ part: ChannelCondition) -> ChannelCondition {
    part.isExact ? ChannelCondition("NOT \(part.sql)", part.arguments) : .open
  }

  private static func compile(_ path: [String], _ test: Filter.Test) -> ChannelCondition {
    if path == ["relays"], case .element(let node) = test { return relays(node) }
    guard let column = ChannelColumn(path) else { return .open }
    let condition: ChannelCondition =
      switch test {
      case .equal(let value): equal(column, value)
      case .notEqual(let value): negated(equal(column, value))
      case .greater(let bound): ordered(column, ">", bound)
      case .greaterOrEqual(let bound): ordered(column, ">=", bound)
      case .less(let bound): ordered(column, "<", bound)
      case .lessOrEqual(let bound): ordered(column, "<=", bound)
      case .isIn(let values): joined(values.map { equal(column, $0) }, " OR ", empty: .never)
      case .isNotIn(let values): negated(joined(values.map { equal(column, $0) }, " OR ", empty: .never))
      case .exists(let wanted): exists(column, wanted)
      case .contains: contains(column)
      case .element: .open
      case .query(let text): searched(column, "baton_holds", text)
      case .autocomplete(let prefix): searched(column, "baton_has_word", prefix)
      }
    guard path == ["phase"], let phases = phases(test), let narrowing = ChannelColumn.narrowing(phases) else {
      return condition
    }
    return ChannelCondition("(\(narrowing) AND \(condition.sql))", condition.arguments, isExact: condition.isExact)
  }

  private static func phases(_ test: Filter.Test) -> Set<String>? {
    switch test {
    case .equal(.string(let phase)): [phase]
    case .isIn(let values): Set(values.compactMap(\.string))
    default: nil
    }
  }

  /// Channels of which one relay meets conditions on `relayId` and `status`; the other conditions are left to the caller.
  private static func relays(_ node: Filter.Node) -> ChannelCondition {
    guard case .all(let nodes) = node else { return .open }
    var parts: [String] = []
    var arguments: [DatabaseValue] = []
    var statuses: Set<String>?
    func among(_ column: String, _ values: [JSONValue]) {
      // SQL cannot compare numbers that are equal without being written alike.
      guard values.allSatisfy({ $0.integer != nil || $0.string != nil }) else { return }
      parts.append("\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))")
      arguments += values.map { $0.integer?.databaseValue ?? $0.string?.databaseValue ?? .null }
    }
    for case .field(let path, let test) in nodes {
      switch (path, test) {
      case (["relayId"], .equal(let value)): among("relay_id", [value])
      case (["relayId"], .isIn(let values)): among("relay_id", values)
      case (["status"], .equal(let value)):
        among("status", [value])
        statuses = Set([value].compactMap(\.string))
      case (["status"], .isIn(let values)):
        among("status", values)
        statuses = Set(values.compactMap(\.string))
      default: continue
      }
    }
    guard !parts.isEmpty else { return .open }
    var index = ""
    if statuses?.isSubset(of: ["failed", "inactive"]) == true {
      // If no relay is named, SQLite would walk through the relays of all channels, in an index that has all columns. It refuses to be
      // told an index where nothing can match.
      if !parts.contains(where: { $0.hasPrefix("relay_id") || $0.hasSuffix("()") }) {
        index = "INDEXED BY channel_relays_lost "
      }
      // The condition is repeated in the words of the index; otherwise the index could not be used.
      parts.append("status IN ('failed', 'inactive')")
    }
    return ChannelCondition(
      "c.id IN (SELECT channel_id FROM channel_relays \(index)WHERE \(parts.joined(separator: " AND ")))", arguments,
      isExact: false)
  }

  // MARK: - Tests

  private static func equal(_ column: ChannelColumn, _ value: JSONValue) -> ChannelCondition {
    switch (column, value) {
    case (.word(let sql), .string(let text)): return ChannelCondition("\(sql) = ?", [text.databaseValue])
    case (.text(let sql), .null): return ChannelCondition("\(sql) IS NULL")
    case (.text(let sql), .string(let text)): return ChannelCondition("(\(sql) = ?) IS TRUE", [text.databaseValue])
    case (.integer(let sql), .integer(let number)): return ChannelCondition("\(sql) = ?", [number.databaseValue])
    case (.optionalInteger(let sql), .null): return ChannelCondition("\(sql) IS NULL")
    case (.optionalInteger(let sql), .integer(let number)): return ChannelCondition("\(sql) IS ?", [number.databaseValue])
    case (.optionalInteger(let sql), .number(let number)): return ChannelCondition("\(sql) IS ?", [number.databaseValue])
    case (.integer(let sql), .number(let number)): return ChannelCondition("\(sql) = ?", [number.databaseValue])
    case (.boolean(let sql), .bool(let flag)): return ChannelCondition("\(sql) = ?", [flag.databaseValue])
    case (.time(let sql), .string(let text)):
      return Timestamp(wireText: text).map { ChannelCondition("\(sql) = ?", [$0.milliseconds.databaseValue]) } ?? .never
    case (.optionalTime(let sql), .null): return ChannelCondition("\(sql) IS NULL")
    case (.optionalTime(let sql), .string(let text)):
      return Timestamp(wireText: text).map { ChannelCondition("\(sql) IS ?", [$0.milliseconds.databaseValue]) } ?? .never
    case (.text, _), (.word, _), (.integer, _), (.optionalInteger, _), (.boolean, _), (.time, _), (.optionalTime, _):
      return .never
    case (.json(let sql, let path), _):
      let type = "json_type(\(sql), ?)"
      let at = path.databaseValue
      switch value {
      case .null: return ChannelCondition("coalesce(\(type), 'null') = 'null'", [at])
      case .bool(let flag): return ChannelCondition("(\(type) = ?) IS TRUE", [at, (flag ? "true" : "false").databaseValue])
      case .string(let text): return extracted(sql, at, "'text'", "=", text.databaseValue)
      case .integer(let number): return extracted(sql, at, "'integer', 'real'", "=", number.databaseValue)
      case .number(let number): return extracted(sql, at, "'integer', 'real'", "=", number.databaseValue)
      case .array, .object: return ChannelCondition("(\(type) IN ('array', 'object')) IS TRUE", [at], isExact: false)
      }
    }
  }

  private static func extracted(
    _ sql: String, _ path: DatabaseValue, _ types: String, _ sign: String, _ value: DatabaseValue
  ) -> ChannelCondition {
    ChannelCondition(
      "(json_type(\(sql), ?) IN (\(types)) AND json_extract(\(sql), ?) \(sign) ?) IS TRUE", [path, path, value])
  }

  private static func ordered(_ column: ChannelColumn, _ sign: String, _ bound: JSONValue) -> ChannelCondition {
    let number: DatabaseValue? =
      switch bound {
      case .integer(let number): number.databaseValue
      case .number(let number): number.databaseValue
      case .string, .null, .bool, .array, .object: nil
      }
    switch (column, bound) {
    case (.text(let sql), .string(let text)), (.word(let sql), .string(let text)):
      return ChannelCondition("(\(sql) \(sign) ?) IS TRUE", [text.databaseValue])
    case (.time(let sql), .string(let text)):
      // A part of a time, such as a day, is compared as text by the caller, which sees the channel itself.
      return Timestamp(wireText: text).map { ChannelCondition("\(sql) \(sign) ?", [$0.milliseconds.databaseValue]) } ?? .open
    case (.optionalTime(let sql), .string(let text)):
      return Timestamp(wireText: text).map {
        ChannelCondition("(\(sql) \(sign) ?) IS TRUE", [$0.milliseconds.databaseValue])
      } ?? .open
    case (.integer(let sql), _):
      return number.map { ChannelCondition("\(sql) \(sign) ?", [$0]) } ?? .never
    case (.optionalInteger(let sql), _):
      return number.map { ChannelCondition("(\(sql) \(sign) ?) IS TRUE", [$0]) } ?? .never
    case (.json(let sql, let path), .string(let text)):
      return extracted(sql, path.databaseValue, "'text'", sign, text.databaseValue)
    case (.json(let sql, let path), _):
      return number.map { extracted(sql, path.databaseValue, "'integer', 'real'", sign, $0) } ?? .never
    case (.text, _), (.word, _), (.time, _), (.optionalTime, _), (.boolean, _): return .never
    }
  }

  private static func exists(_ column: ChannelColumn, _ wanted: Bool) -> ChannelCondition {
    switch column {
    case .text(let sql), .optionalTime(let sql), .optionalInteger(let sql):
      ChannelCondition("\(sql) IS \(wanted ? "NOT " : "")NULL")
    case .integer, .boolean, .time, .word: wanted ? .always : .never
    case .json(let sql, let path):
      ChannelCondition("coalesce(json_type(\(sql), ?), 'null') \(wanted ? "<>" : "=") 'null'", [path.databaseValue])
    }
  }

  private static func contains(_ column: ChannelColumn) -> ChannelCondition {
    switch column {
    case .text, .word, .integer, .optionalInteger, .boolean, .time, .optionalTime: .never
    case .json(let sql, let path):
      ChannelCondition("(json_type(\(sql), ?) = 'array') IS TRUE", [path.databaseValue], isExact: false)
    }
  }

  private static func searched(_ column: ChannelColumn, _ function: String, _ text: String) -> ChannelCondition {
    switch column {
    case .text(let sql), .word(let sql): ChannelCondition("\(function)(\(sql), ?)", [text.databaseValue])
    case .integer, .optionalInteger, .boolean: .never
    case .time, .optionalTime: .open
    case .json(let sql, let path):
      ChannelCondition(
        "(json_type(\(sql), ?) = 'text' AND \(function)(json_extract(\(sql), ?), ?)) IS TRUE",
        [path.databaseValue, path.databaseValue, text.databaseValue])
    }
  }

  /// The functions that conditions use beside SQLite's own.
  static let functions = [
    function("baton_holds", Filter.holds), function("baton_has_word", Filter.hasWord),
  ]

  private static func function(_ name: String, _ test: @escaping @Sendable (String, String) -> Bool) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: 2, pure: true) { values in
      guard let value = String.fromDatabaseValue(values[0]), let text = String.fromDatabaseValue(values[1]) else {
        return false
      }
      return test(value, text)
    }
  }
}
