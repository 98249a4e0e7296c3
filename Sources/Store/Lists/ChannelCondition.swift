internal import Channels
package import Filters
package import StrictJSON

/// A filter on channels as SQL. Tests that SQL cannot express are left out: every channel that matches the filter meets the condition, and
/// `isExact` shows whether the reverse holds too. Values are bound, never pasted. A condition is true or false, and never NULL.
package struct ChannelCondition<Value> {
  package let sql: String
  package let arguments: [Value]
  let isExact: Bool

  package init(_ sql: String, _ arguments: [Value] = [], isExact: Bool = true) {
    self.sql = sql
    self.arguments = arguments
    self.isExact = isExact
  }

  package static var open: ChannelCondition { ChannelCondition("TRUE", isExact: false) }
  package static var never: ChannelCondition { ChannelCondition("FALSE") }
  static var always: ChannelCondition { ChannelCondition("TRUE") }

  fileprivate static func joined(_ parts: [ChannelCondition], _ word: String, empty: ChannelCondition) -> ChannelCondition {
    guard !parts.isEmpty else { return empty }
    return ChannelCondition(
      "(" + parts.map(\.sql).joined(separator: word) + ")", parts.flatMap(\.arguments), isExact: parts.allSatisfy(\.isExact))
  }

  /// The negated condition. Only an exact one can be negated.
  fileprivate var negated: ChannelCondition {
    isExact ? ChannelCondition("NOT (\(sql))", arguments) : .open
  }
}

/// A value below a column with JSON, as a condition asks for it.
package enum JSONTest {
  case equal(JSONValue)
  /// A comparison with a number or a text.
  case ordered(sign: String, JSONValue)
  case exists(Bool)
  case isList
  case searched(TextSearch)
}

/// A search in a text, regardless of case.
package enum TextSearch {
  /// The text occurs in it.
  case holds(String)
  /// One of its words begins with the text.
  case hasWord(String)
}

/// Conditions that one relay of a channel must meet: one value of each list.
package struct RelayTerms {
  package var ids: [[JSONValue]] = []
  package var statuses: [[JSONValue]] = []
  package var operators: [[JSONValue]] = []
  /// Stored causes. While a network as a whole is unusable, clients see other causes where none is stored.
  package var causes: [[JSONValue]] = []

  var isEmpty: Bool { ids.isEmpty && statuses.isEmpty && operators.isEmpty && causes.isEmpty }
}

/// How one database expresses a filter. Conditions are made in the order in which they stand in the SQL.
package protocol ConditionWriter {
  associatedtype Value
  var dialect: ListDialect { get }
  /// A parameter for a text, a whole number, or another number. `nil` if no value in the database can be equal.
  mutating func bind(_ value: JSONValue) -> (sql: String, arguments: [Value])?
  mutating func json(_ column: String, _ names: [String], _ test: JSONTest) -> ChannelCondition<Value>
  /// A search in a text that may be NULL.
  mutating func search(_ sql: String, _ search: TextSearch) -> ChannelCondition<Value>
  /// Channels of which one relay meets this. Other conditions are not included.
  mutating func relays(_ wanted: RelayTerms) -> ChannelCondition<Value>
}

extension ChannelCondition {
  package init<Writer: ConditionWriter>(_ filter: Filter, _ writer: inout Writer) where Writer.Value == Value {
    self = writer.compile(filter.root)
  }
}

extension ConditionWriter {
  package typealias Condition = ChannelCondition<Value>

  fileprivate mutating func compile(_ node: Filter.Node) -> Condition {
    switch node {
    case .all(let nodes): .joined(nodes.map { compile($0) }, " AND ", empty: .always)
    case .any(let nodes): .joined(nodes.map { compile($0) }, " OR ", empty: .never)
    case .none(let nodes): Condition.joined(nodes.map { compile($0) }, " OR ", empty: .never).negated
    case .field(let path, let test): compile(path, test)
    }
  }

  private mutating func compile(_ path: [String], _ test: Filter.Test) -> Condition {
    if path == ["relays"], case .element(let node) = test { return relays(node) }
    guard let column = ChannelColumn(path, in: dialect) else { return .open }
    let condition: Condition =
      switch test {
      case .equal(let value): equal(column, value)
      case .notEqual(let value): equal(column, value).negated
      case .greater(let bound): ordered(column, ">", bound)
      case .greaterOrEqual(let bound): ordered(column, ">=", bound)
      case .less(let bound): ordered(column, "<", bound)
      case .lessOrEqual(let bound): ordered(column, "<=", bound)
      case .isIn(let values): .joined(values.map { equal(column, $0) }, " OR ", empty: .never)
      case .isNotIn(let values): Condition.joined(values.map { equal(column, $0) }, " OR ", empty: .never).negated
      case .exists(let wanted): exists(column, wanted)
      case .contains: contains(column)
      case .element: .open
      case .query(let text): searched(column, .holds(text))
      case .autocomplete(let prefix): searched(column, .hasWord(prefix))
      }
    guard path == ["phase"], let phases = phases(test), let narrowing = ChannelColumn.narrowing(phases, in: dialect) else {
      return condition
    }
    return Condition("(\(narrowing) AND \(condition.sql))", condition.arguments, isExact: condition.isExact)
  }

  private func phases(_ test: Filter.Test) -> Set<String>? {
    switch test {
    case .equal(.string(let phase)): [phase]
    case .isIn(let values): Set(values.compactMap(\.string))
    default: nil
    }
  }

  /// Channels of which one relay meets conditions on `relayId`, `operatorId`, `status` and `cause`. The caller checks the other conditions.
  private mutating func relays(_ node: Filter.Node) -> Condition {
    guard case .all(let nodes) = node else { return .open }
    var terms = RelayTerms()
    for case .field(let path, let test) in nodes {
      let wanted: [JSONValue]
      switch test {
      case .equal(let value): wanted = [value]
      case .isIn(let values): wanted = values
      default: continue
      }
      // SQL cannot compare numbers that are equal without being written alike.
      guard wanted.allSatisfy({ $0.integer != nil || $0.string != nil }) else { continue }
      switch path {
      case ["relayId"]: terms.ids.append(wanted)
      case ["operatorId"]: terms.operators.append(wanted)
      case ["status"]: terms.statuses.append(wanted)
      case ["cause"]: terms.causes.append(wanted)
      default: continue
      }
    }
    return terms.isEmpty ? .open : relays(terms)
  }

  // MARK: - Tests

  /// - Parameter isNullable: whether the SQL may give NULL. Without a test for that an index on it can be used.
  private mutating func comparison(
    _ sql: String, _ sign: String, _ value: JSONValue, isNullable: Bool
  ) -> Condition? {
    bind(value).map { Condition("(\(sql) \(sign) \($0.sql))\(isNullable ? " IS TRUE" : "")", $0.arguments) }
  }

  private mutating func equal(_ column: ChannelColumn, _ value: JSONValue) -> Condition {
    switch (column, value) {
    case (.json(let sql, let names), _): return json(sql, names, .equal(value))
    case (.text(let sql), .null), (.optionalInteger(let sql), .null), (.optionalTime(let sql), .null):
      return Condition("\(sql) IS NULL")
    case (.text(let sql), .string), (.word(let sql), .string), (.integer(let sql), .integer), (.integer(let sql), .number),
      (.optionalInteger(let sql), .integer), (.optionalInteger(let sql), .number):
      return comparison(sql, "=", value, isNullable: column.isNullable) ?? .never
    case (.boolean(let sql), .bool(let flag)): return Condition("\(sql) = \(flag ? 1 : 0)")
    case (.time(let sql), .string(let text)), (.optionalTime(let sql), .string(let text)):
      return Timestamp(wireText: text).flatMap {
        comparison(sql, "=", .integer($0.milliseconds), isNullable: column.isNullable)
      } ?? .never
    case (.text, _), (.word, _), (.integer, _), (.optionalInteger, _), (.boolean, _), (.time, _), (.optionalTime, _):
      return .never
    }
  }

  private mutating func ordered(_ column: ChannelColumn, _ sign: String, _ bound: JSONValue) -> Condition {
    switch (column, bound) {
    case (.json(let sql, let names), .string), (.json(let sql, let names), .integer), (.json(let sql, let names), .number):
      return json(sql, names, .ordered(sign: sign, bound))
    case (.text(let sql), .string), (.word(let sql), .string):
      return comparison(sql, sign, bound, isNullable: column.isNullable) ?? .open
    case (.time(let sql), .string(let text)), (.optionalTime(let sql), .string(let text)):
      // A part of a time, such as a day, is compared as text by the caller, which sees the channel itself.
      return Timestamp(wireText: text).flatMap {
        comparison(sql, sign, .integer($0.milliseconds), isNullable: column.isNullable)
      } ?? .open
    case (.integer(let sql), .integer), (.integer(let sql), .number), (.optionalInteger(let sql), .integer),
      (.optionalInteger(let sql), .number):
      return comparison(sql, sign, bound, isNullable: column.isNullable) ?? .never
    case (.json, _), (.text, _), (.word, _), (.integer, _), (.optionalInteger, _), (.boolean, _), (.time, _),
      (.optionalTime, _):
      return .never
    }
  }

  private mutating func exists(_ column: ChannelColumn, _ wanted: Bool) -> Condition {
    switch column {
    case .text(let sql), .optionalTime(let sql), .optionalInteger(let sql):
      Condition("\(sql) IS \(wanted ? "NOT " : "")NULL")
    case .integer, .boolean, .time, .word: wanted ? .always : .never
    case .json(let sql, let names): json(sql, names, .exists(wanted))
    }
  }

  private mutating func contains(_ column: ChannelColumn) -> Condition {
    switch column {
    case .text, .word, .integer, .optionalInteger, .boolean, .time, .optionalTime: .never
    case .json(let sql, let names): json(sql, names, .isList)
    }
  }

  private mutating func searched(_ column: ChannelColumn, _ search: TextSearch) -> Condition {
    switch column {
    case .text(let sql), .word(let sql): self.search(sql, search)
    case .integer, .optionalInteger, .boolean: .never
    case .time, .optionalTime: .open
    case .json(let sql, let names): json(sql, names, .searched(search))
    }
  }
}
