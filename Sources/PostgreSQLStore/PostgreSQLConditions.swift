internal import Filters
internal import PostgreSQL
internal import Storage
internal import Store
internal import StrictJSON

/// Filters on channels in the SQL of PostgreSQL, and the parameters of the statement in which they stand.
struct PostgreSQLConditions: ConditionWriter {
  /// Parameters have numbers here, and are not listed in the order of the SQL.
  typealias Value = Never

  private(set) var values: [SQLValue] = []

  var dialect: ListDialect { .postgreSQL }

  /// - Returns: the parameter.
  mutating func add(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  /// A number, as PostgreSQL's numeric, which has all digits.
  mutating func add(number: JSONValue) -> String { "\(add(.text(number.text)))::numeric" }

  mutating func bind(_ value: JSONValue) -> (sql: String, arguments: [Never])? {
    switch value {
    // No text in the database has U+0000.
    case .string(let text): text.contains("\0") ? nil : (add(.text(text)), [])
    case .integer(let number): (add(.int(number)), [])
    case .number: (add(number: value), [])
    case .null, .bool, .array, .object: nil
    }
  }

  // MARK: - JSON

  /// A value below a column with JSON. Names are printable ASCII without quotes and backslashes. PostgreSQL also finds elements of lists by
  /// their places. Names are never places here, so everything above has to be an object.
  static func json(_ column: String, _ names: [String]) -> String {
    func path(_ count: Int) -> String {
      let list = names.prefix(count).map { "\"\($0.replacing("'", with: "''"))\"" }.joined(separator: ",")
      return count == 0 ? "\(column)::json" : "(\(column)::json #> '{\(list)}')"
    }
    let objects = names.indices.map { "json_typeof(\(path($0))) = 'object'" }
    return "(CASE WHEN \(objects.joined(separator: " AND ")) THEN \(path(names.count)) END)"
  }

  mutating func json(_ column: String, _ names: [String], _ test: JSONTest) -> Condition {
    let value = Self.json(column, names)
    func has(_ types: String) -> Condition { Condition("(json_typeof(\(value)) IN (\(types))) IS TRUE", isExact: false) }
    switch test {
    case .exists(let wanted): return Condition("coalesce(json_typeof(\(value)), 'null') \(wanted ? "<>" : "=") 'null'")
    case .isList: return has("'array'")
    // PostgreSQL's letters are not Swift's, so the caller looks itself.
    case .searched: return has("'string'")
    case .equal(.null): return json(column, names, .exists(false))
    // Custom data is written in one way only, so equal texts and equal booleans are written alike.
    case .equal(.bool(let flag)): return written(value, JSONValue.bool(flag).text)
    case .equal(.string(let text)): return written(value, JSONValue.string(text).text)
    case .equal(.array), .equal(.object): return has("'array', 'object'")
    case .equal(let number): return json(column, names, .ordered(sign: "=", number))
    // The text itself may contain characters that PostgreSQL cannot extract.
    case .ordered(_, .string): return has("'string'")
    case .ordered(let sign, let bound):
      return Condition(
        "(CASE WHEN json_typeof(\(value)) = 'number' THEN (\(value))::text::numeric \(sign) \(add(number: bound)) END) IS TRUE")
    }
  }

  private mutating func written(_ value: String, _ text: String) -> Condition {
    Condition("((\(value))::text = \(add(.text(text)))) IS TRUE")
  }

  // MARK: - Texts and relays

  func search(_ sql: String, _ search: TextSearch) -> Condition { Condition("\(sql) IS NOT NULL", isExact: false) }

  mutating func relays(_ wanted: RelayTerms) -> Condition {
    var parts = wanted.ids.map { "relay_id = ANY(\(add(.ints($0.compactMap(\.integer)))))" }
    parts += wanted.operators.map {
      "relay_id IN (SELECT id FROM relays WHERE operator_id = ANY(\(add(.ints($0.compactMap(\.integer))))))"
    }
    for wanted in wanted.statuses {
      let words = Set(wanted.compactMap(\.string))
      parts.append("status = ANY(\(add(SharedStore.wanted(words))))")
      // The words of an index.
      if words.isSubset(of: ["failed", "inactive"]) { parts.append("status IN ('failed', 'inactive')") }
    }
    for wanted in wanted.causes {
      // Where work is left and no cause is stored, clients may see the network's cause.
      let words = SharedStore.wanted(Set(wanted.compactMap(\.string)))
      parts.append("(cause = ANY(\(add(words))) OR cause IS NULL AND task IS NOT NULL)")
    }
    let condition = parts.joined(separator: " AND ")
    // No index has the cause of all relays, so it is looked for at each channel, which ends with the page.
    let isLost = wanted.statuses.contains { Set($0.compactMap(\.string)).isSubset(of: ["failed", "inactive"]) }
    let isSought = !wanted.causes.isEmpty && wanted.ids.isEmpty && wanted.operators.isEmpty && !isLost
    return Condition(
      isSought
        ? "EXISTS (SELECT 1 FROM channel_relays WHERE channel_id = c.id AND \(condition))"
        : "c.id IN (SELECT channel_id FROM channel_relays WHERE \(condition))", isExact: false)
  }
}
