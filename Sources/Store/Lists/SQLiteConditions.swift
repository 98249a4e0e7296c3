internal import Filters
internal import GRDB
internal import StrictJSON

/// Filters on channels in the SQL of SQLite.
struct SQLiteConditions: ConditionWriter {
  typealias Value = DatabaseValue

  /// Whether few channels have a relay with such a row in `channel_relays`, so that all of them may be sorted.
  let areFew: (_ sql: String, _ arguments: [DatabaseValue]) -> Bool

  var dialect: ListDialect { .sqlite }

  func bind(_ value: JSONValue) -> (sql: String, arguments: [DatabaseValue])? { ("?", [ChannelSeek.scalar(value)]) }

  // MARK: - JSON

  func json(_ column: String, _ names: [String], _ test: JSONTest) -> Condition {
    let type = "json_type(\(column), ?)"
    let path = ChannelColumn.jsonPath(names).databaseValue
    switch test {
    case .exists(let wanted): return Condition("coalesce(\(type), 'null') \(wanted ? "<>" : "=") 'null'", [path])
    case .isList: return Condition("(\(type) = 'array') IS TRUE", [path], isExact: false)
    case .searched(let search):
      let (function, text) = Self.call(search)
      return Condition(
        "(\(type) = 'text' AND \(function)(json_extract(\(column), ?), ?)) IS TRUE", [path, path, text.databaseValue])
    case .equal(let value):
      switch value {
      case .null: return json(column, names, .exists(false))
      case .bool(let flag):
        return Condition("(\(type) = ?) IS TRUE", [path, (flag ? "true" : "false").databaseValue])
      case .integer, .number, .string: return json(column, names, .ordered(sign: "=", value))
      case .array, .object: return Condition("(\(type) IN ('array', 'object')) IS TRUE", [path], isExact: false)
      }
    case .ordered(let sign, let bound):
      let types = bound.string == nil ? "'integer', 'real'" : "'text'"
      return Condition(
        "(\(type) IN (\(types)) AND json_extract(\(column), ?) \(sign) ?) IS TRUE", [path, path, ChannelSeek.scalar(bound)])
    }
  }

  // MARK: - Texts

  func search(_ sql: String, _ search: TextSearch) -> Condition {
    let (function, text) = Self.call(search)
    return Condition("\(function)(\(sql), ?)", [text.databaseValue])
  }

  private static func call(_ search: TextSearch) -> (function: String, text: String) {
    switch search {
    case .holds(let text): ("baton_holds", text)
    case .hasWord(let text): ("baton_has_word", text)
    }
  }

  /// The functions that conditions use in addition to SQLite's own.
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

  // MARK: - Relays

  func relays(_ wanted: RelayTerms) -> Condition {
    func among(_ column: String, _ values: [JSONValue]) -> String {
      "\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))"
    }
    func scalars(_ values: [[JSONValue]]) -> [DatabaseValue] { values.joined().map(ChannelSeek.scalar) }
    var arguments = scalars(wanted.ids + wanted.operators + wanted.statuses)
    var parts = wanted.ids.map { among("relay_id", $0) }
    parts += wanted.operators.map { "relay_id IN (SELECT id FROM relays WHERE \(among("operator_id", $0)))" }
    parts += wanted.statuses.map { among("status", $0) }
    let isNamed = !wanted.ids.isEmpty || !wanted.operators.isEmpty
    // An index has the relay and the status, so that these are counted quickly.
    let isMany = isNamed && !areFew(parts.joined(separator: " AND "), arguments)
    arguments += scalars(wanted.causes)
    // Where work is left and no cause is stored, clients may see the network's cause.
    parts += wanted.causes.map { "(\(among("cause", $0)) OR cause IS NULL AND task IS NOT NULL)" }
    // Channels are in the order of the list, and the condition is tried at each until there are enough for the page.
    let each = Condition(
      "EXISTS (SELECT 1 FROM channel_relays WHERE channel_id = c.id AND \(parts.joined(separator: " AND ")))", arguments,
      isExact: false)
    if isMany { return each }
    var index = ""
    if let statuses = wanted.statuses.last, Set(statuses.compactMap(\.string)).isSubset(of: ["failed", "inactive"]) {
      // If no relay is named, SQLite would walk through the relays of all channels, in an index that has all columns. It refuses an
      // `INDEXED BY` where nothing can match.
      if !isNamed, !wanted.statuses.contains([]) { index = "INDEXED BY channel_relays_lost " }
      // The condition is repeated in the words of the index, so that the index can be used.
      parts.append("status IN ('failed', 'inactive')")
    } else if !isNamed, !wanted.causes.isEmpty {
      // No index has the cause of all relays.
      return each
    }
    return Condition(
      "c.id IN (SELECT channel_id FROM channel_relays \(index)WHERE \(parts.joined(separator: " AND ")))", arguments,
      isExact: false)
  }
}
