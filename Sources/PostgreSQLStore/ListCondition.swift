internal import Channels
internal import Filters
internal import PostgreSQL
internal import Store
internal import StrictJSON

/// The values of a statement's parameters, as they are needed.
struct Parameters {
  private(set) var values: [SQLValue] = []

  /// - Returns: the parameter.
  mutating func add(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  /// A number, as PostgreSQL's numeric, which has all digits.
  mutating func add(number: JSONValue) -> String { "\(add(.text(number.text)))::numeric" }
}

/// A filter on channels as SQL. What SQL cannot express is left open: every channel that matches the filter meets the condition, and
/// `isExact` tells whether the reverse holds too.
struct ListCondition {
  let sql: String
  let isExact: Bool

  private init(_ sql: String, isExact: Bool = true) {
    self.sql = sql
    self.isExact = isExact
  }

  private static let open = ListCondition("TRUE", isExact: false)
  private static let never = ListCondition("FALSE")
  private static let always = ListCondition("TRUE")

  init(_ filter: Filter, _ values: inout Parameters) { self = Self.compile(filter.root, &values) }

  private static func compile(_ node: Filter.Node, _ values: inout Parameters) -> ListCondition {
    switch node {
    case .all(let nodes): return joined(nodes.map { compile($0, &values) }, " AND ", empty: .always)
    case .any(let nodes): return joined(nodes.map { compile($0, &values) }, " OR ", empty: .never)
    case .none(let nodes): return negated(joined(nodes.map { compile($0, &values) }, " OR ", empty: .never))
    case .field(let path, let test): return compile(path, test, &values)
    }
  }

  private static func joined(_ parts: [ListCondition], _ word: String, empty: ListCondition) -> ListCondition {
    guard !parts.isEmpty else { return empty }
    return ListCondition(
      "(" + parts.map(\.sql).joined(separator: word) + ")", isExact: parts.allSatisfy(\.isExact))
  }

  /// The negated condition; only an exact one can be negated. All conditions are true or false, and never NULL.
  private static func negated(_ part: ListCondition) -> ListCondition {
    part.isExact ? ListCondition("NOT (\(part.sql))") : .open
  }

  private static func compile(_ path: [String], _ test: Filter.Test, _ values: inout Parameters) -> ListCondition {
    if path == ["relays"], case .element(let node) = test { return relays(node, &values) }
    guard !ListColumn.isOfMessages(path), let column = ListColumn(path) else { return .open }
    let condition: ListCondition
    switch test {
    case .equal(let value): condition = equal(column, value, &values)
    case .notEqual(let value): condition = negated(equal(column, value, &values))
    case .greater(let bound): condition = ordered(column, ">", bound, &values)
    case .greaterOrEqual(let bound): condition = ordered(column, ">=", bound, &values)
    case .less(let bound): condition = ordered(column, "<", bound, &values)
    case .lessOrEqual(let bound): condition = ordered(column, "<=", bound, &values)
    case .isIn(let all): condition = joined(all.map { equal(column, $0, &values) }, " OR ", empty: .never)
    case .isNotIn(let all): condition = negated(joined(all.map { equal(column, $0, &values) }, " OR ", empty: .never))
    case .exists(let wanted): condition = exists(column, wanted)
    case .contains: condition = contains(column)
    case .element: condition = .open
    case .query, .autocomplete: condition = searched(column)
    }
    guard path == ["phase"], let phases = phases(test), let narrowing = ListColumn.narrowing(phases) else {
      return condition
    }
    return ListCondition("(\(narrowing) AND \(condition.sql))", isExact: condition.isExact)
  }

  private static func phases(_ test: Filter.Test) -> Set<String>? {
    switch test {
    case .equal(.string(let phase)): [phase]
    case .isIn(let values): Set(values.compactMap(\.string))
    default: nil
    }
  }

  /// Channels of which one relay meets conditions on `relayId` and `status`; the other conditions are left to the caller.
  private static func relays(_ node: Filter.Node, _ parameters: inout Parameters) -> ListCondition {
    guard case .all(let nodes) = node else { return .open }
    var parts: [String] = []
    for case .field(let path, let test) in nodes {
      let wanted: [JSONValue]
      switch test {
      case .equal(let value): wanted = [value]
      case .isIn(let values): wanted = values
      default: continue
      }
      switch path {
      // SQL cannot compare numbers that are equal without being written alike.
      case ["relayId"] where wanted.allSatisfy({ $0.integer != nil }):
        parts.append("relay_id = ANY(\(parameters.add(.ints(wanted.map(\.integer)))))")
      case ["status"]:
        let statuses = wanted.compactMap(\.string).filter { !$0.contains("\0") }
        parts.append("status = ANY(\(parameters.add(.texts(statuses))))")
        // The words of an index.
        if Set(statuses).isSubset(of: ["failed", "inactive"]) { parts.append("status IN ('failed', 'inactive')") }
      default: continue
      }
    }
    guard !parts.isEmpty else { return .open }
    return ListCondition(
      "c.id IN (SELECT channel_id FROM channel_relays WHERE \(parts.joined(separator: " AND ")))", isExact: false)
  }

  // MARK: - Tests

  private static func equal(_ column: ListColumn, _ value: JSONValue, _ values: inout Parameters) -> ListCondition {
    switch (column, value) {
    // No text in the database has it.
    case (.word, .string(let text)) where text.contains("\0"), (.text, .string(let text)) where text.contains("\0"):
      return .never
    case (.word(let sql), .string(let text)): return ListCondition("\(sql) = \(values.add(.text(text)))")
    case (.text(let sql), .string(let text)): return ListCondition("(\(sql) = \(values.add(.text(text)))) IS TRUE")
    case (.text(let sql), .null), (.optionalInteger(let sql), .null), (.optionalTime(let sql), .null):
      return ListCondition("\(sql) IS NULL")
    case (.integer(let sql), .integer), (.integer(let sql), .number), (.optionalInteger(let sql), .integer),
      (.optionalInteger(let sql), .number):
      return ListCondition("(\(sql) = \(values.add(number: value))) IS TRUE")
    case (.boolean(let sql), .bool(let flag)): return ListCondition("\(sql) = \(flag ? 1 : 0)")
    case (.time(let sql), .string(let text)), (.optionalTime(let sql), .string(let text)):
      return Timestamp(wireText: text).map { ListCondition("(\(sql) = \(values.add(.int($0.milliseconds)))) IS TRUE") }
        ?? .never
    case (.text, _), (.word, _), (.integer, _), (.optionalInteger, _), (.boolean, _), (.time, _), (.optionalTime, _):
      return .never
    case (.json(let sql), .null): return ListCondition("coalesce(json_typeof(\(sql)), 'null') = 'null'")
    // Custom data is written in one way only, so equal texts and equal booleans are written alike.
    case (.json(let sql), .bool), (.json(let sql), .string):
      return ListCondition("((\(sql))::text = \(values.add(.text(value.text)))) IS TRUE")
    case (.json(let sql), .integer), (.json(let sql), .number): return number(sql, "=", value, &values)
    case (.json(let sql), .array), (.json(let sql), .object):
      return ListCondition("(json_typeof(\(sql)) IN ('array', 'object')) IS TRUE", isExact: false)
    }
  }

  private static func number(_ sql: String, _ sign: String, _ bound: JSONValue, _ values: inout Parameters) -> ListCondition {
    ListCondition(
      """
      (CASE WHEN json_typeof(\(sql)) = 'number' THEN (\(sql))::text::numeric \(sign) \(values.add(number: bound)) END) IS TRUE
      """)
  }

  private static func ordered(
    _ column: ListColumn, _ sign: String, _ bound: JSONValue, _ values: inout Parameters
  ) -> ListCondition {
    switch (column, bound) {
    case (.text(let sql), .string(let text)), (.word(let sql), .string(let text)):
      guard !text.contains("\0") else { return .open }
      return ListCondition("(\(sql) \(sign) \(values.add(.text(text)))) IS TRUE")
    case (.time(let sql), .string(let text)), (.optionalTime(let sql), .string(let text)):
      // A part of a time, such as a day, is compared as text by the caller, which sees the channel itself.
      return Timestamp(wireText: text).map { ListCondition("(\(sql) \(sign) \(values.add(.int($0.milliseconds)))) IS TRUE") }
        ?? .open
    case (.integer(let sql), .integer), (.integer(let sql), .number), (.optionalInteger(let sql), .integer),
      (.optionalInteger(let sql), .number):
      return ListCondition("(\(sql) \(sign) \(values.add(number: bound))) IS TRUE")
    // The text itself may hold what PostgreSQL cannot take out of it.
    case (.json(let sql), .string): return ListCondition("(json_typeof(\(sql)) = 'string') IS TRUE", isExact: false)
    case (.json(let sql), .integer), (.json(let sql), .number): return number(sql, sign, bound, &values)
    default: return .never
    }
  }

  private static func exists(_ column: ListColumn, _ wanted: Bool) -> ListCondition {
    switch column {
    case .text(let sql), .optionalTime(let sql), .optionalInteger(let sql):
      ListCondition("\(sql) IS \(wanted ? "NOT " : "")NULL")
    case .integer, .boolean, .time, .word: wanted ? .always : .never
    case .json(let sql): ListCondition("coalesce(json_typeof(\(sql)), 'null') \(wanted ? "<>" : "=") 'null'")
    }
  }

  private static func contains(_ column: ListColumn) -> ListCondition {
    switch column {
    case .text, .word, .integer, .optionalInteger, .boolean, .time, .optionalTime: .never
    case .json(let sql): ListCondition("(json_typeof(\(sql)) = 'array') IS TRUE", isExact: false)
    }
  }

  /// PostgreSQL's letters are not Swift's, so the caller looks itself.
  private static func searched(_ column: ListColumn) -> ListCondition {
    switch column {
    case .text(let sql): ListCondition("\(sql) IS NOT NULL", isExact: false)
    case .integer, .optionalInteger, .boolean: .never
    case .word, .time, .optionalTime: .open
    case .json(let sql): ListCondition("(json_typeof(\(sql)) = 'string') IS TRUE", isExact: false)
    }
  }
}
