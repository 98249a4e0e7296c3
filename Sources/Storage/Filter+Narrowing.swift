public import Filters
public import StrictJSON

// Bounds that a filter sets for all that it wants, so that other rows need not be looked at. Only conditions that must all hold count.
extension Filter {
  /// The values that a field may have, whole numbers as integers. `nil` if the filter admits other values, or an absent field.
  public func values(at field: String) -> Set<JSONValue>? {
    var known: Set<JSONValue>?
    eachCondition(on: field) { test in
      let values: [JSONValue]
      switch test {
      case .equal(let value): values = [value]
      case .isIn(let some): values = some
      case .notEqual, .greater, .greaterOrEqual, .less, .lessOrEqual, .isNotIn, .exists, .contains, .element, .query,
        .autocomplete:
        return
      }
      // Absent values have their own condition.
      guard !values.contains(.null) else { return }
      // A number is the same in any notation.
      let wanted = Set(values.map { Self.number($0).map(JSONValue.integer) ?? $0 })
      known = known?.intersection(wanted) ?? wanted
    }
    return known
  }

  /// The whole numbers that a field may have.
  public func ids(at field: String) -> Set<Int64>? { values(at: field).map { Set($0.compactMap(\.integer)) } }

  /// The texts that a field may have.
  public func texts(at field: String) -> Set<String>? { values(at: field).map { Set($0.compactMap(\.string)) } }

  /// The least text that a field may have, or a lower bound of it. `nil` without a bound.
  public func least(at field: String) -> String? {
    var least: String?
    eachCondition(on: field) { test in
      switch test {
      case .greater(.string(let bound)), .greaterOrEqual(.string(let bound)): least = max(least ?? bound, bound)
      case .equal, .notEqual, .greater, .greaterOrEqual, .less, .lessOrEqual, .isIn, .isNotIn, .exists, .contains, .element,
        .query, .autocomplete:
        break
      }
    }
    return least
  }

  private func eachCondition(on field: String, _ take: (Test) -> Void) { Self.each(root, field, take) }

  private static func each(_ node: Node, _ field: String, _ take: (Test) -> Void) {
    switch node {
    case .all(let nodes): for node in nodes { each(node, field, take) }
    case .any, .none: break
    case .field(let path, let test): if path == [field] { take(test) }
    }
  }

  private static func number(_ value: JSONValue) -> Int64? {
    switch value {
    case .integer(let number): number
    case .number(let number): Int64(exactly: number)
    case .null, .bool, .string, .array, .object: nil
    }
  }
}
