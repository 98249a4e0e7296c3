internal import Channels
internal import Filters
internal import GRDB
internal import StrictJSON

/// The values that every wanted channel has under keys with an index, so that the other channels need not be looked at.
struct KeyNarrowing {
  /// The values that channels have under one key.
  struct Part {
    let index: KeyIndex
    var form: Form
  }

  enum Form {
    /// One value, or NULL for its absence.
    case equal(rank: Int, DatabaseValue)
    case among(rank: Int, [DatabaseValue])
    /// Values of a rank between bounds, each with its sign.
    case range(rank: Int, lower: Bound?, upper: Bound?)
    /// Any value that is present.
    case present
  }

  struct Bound {
    let sign: String
    let value: DatabaseValue
  }

  /// Narrowings of which a channel meets at least one.
  private let parts: [Part]

  /// Narrowings that must all hold.
  static func all(of filter: Filter, _ indexes: [[String]: KeyIndex]) -> [KeyNarrowing] {
    indexes.isEmpty ? [] : of(filter.root, indexes)
  }

  private static func of(_ node: Filter.Node, _ indexes: [[String]: KeyIndex]) -> [KeyNarrowing] {
    switch node {
    case .all(let nodes): return merged(nodes.flatMap { of($0, indexes) })
    case .any(let nodes):
      let each = nodes.compactMap { of($0, indexes).first }
      guard !nodes.isEmpty, each.count == nodes.count else { return [] }
      return [KeyNarrowing(parts: each.flatMap(\.parts))]
    case .none: return []
    case .field(let path, let test):
      guard let index = indexes[path] else { return [] }
      let forms = forms(test)
      return forms.isEmpty ? [] : [KeyNarrowing(parts: forms.map { Part(index: index, form: $0) })]
    }
  }

  /// Joins both ends of a range.
  private static func merged(_ all: [KeyNarrowing]) -> [KeyNarrowing] {
    var merged: [KeyNarrowing] = []
    for narrowing in all {
      let place = merged.firstIndex { narrowing.joined($0) != nil }
      if let place, let joined = narrowing.joined(merged[place]) { merged[place] = joined } else { merged.append(narrowing) }
    }
    return merged
  }

  /// - Returns: `nil` if they are not two ends of one range.
  private func joined(_ other: KeyNarrowing) -> KeyNarrowing? {
    guard parts.count == 1, other.parts.count == 1, parts[0].index == other.parts[0].index,
      case .range(let rank, let lower, let upper) = parts[0].form,
      case .range(rank, let otherLower, let otherUpper) = other.parts[0].form, lower == nil || otherLower == nil,
      upper == nil || otherUpper == nil
    else { return nil }
    let form = Form.range(rank: rank, lower: lower ?? otherLower, upper: upper ?? otherUpper)
    return KeyNarrowing(parts: [Part(index: parts[0].index, form: form)])
  }

  // MARK: - Tests

  /// A channel that passes has one of these. Without any, an index cannot help.
  private static func forms(_ test: Filter.Test) -> [Form] {
    switch test {
    case .equal(let value): among([value])
    case .isIn(let values): among(values)
    case .exists(let wanted): [wanted ? .present : .equal(rank: 0, .null)]
    case .greater(let bound): range(bound, lower: ">")
    case .greaterOrEqual(let bound): range(bound, lower: ">=")
    case .less(let bound): range(bound, upper: "<")
    case .lessOrEqual(let bound): range(bound, upper: "<=")
    case .contains: [.range(rank: JSONOrder.rank([]), lower: nil, upper: nil)]
    case .query, .autocomplete: [.range(rank: JSONOrder.rank(""), lower: nil, upper: nil)]
    case .notEqual, .isNotIn, .element: []
    }
  }

  /// SQLite bounds how many values a statement has, and the filter itself has each of them too.
  private static let amongMax = 1_000

  private static func among(_ values: [JSONValue]) -> [Form] {
    Dictionary(grouping: values, by: JSONOrder.rank).sorted { $0.key < $1.key }.map { rank, values in
      if rank == JSONOrder.rank(.null) { return .equal(rank: rank, .null) }
      // Lists and objects can be equal without being written alike.
      if rank == JSONOrder.rank([]) { return .range(rank: rank, lower: nil, upper: nil) }
      guard values.count <= amongMax else { return .range(rank: rank, lower: nil, upper: nil) }
      let scalars = values.map(ChannelSeek.scalar)
      return scalars.count == 1 ? .equal(rank: rank, scalars[0]) : .among(rank: rank, scalars)
    }
  }

  private static func range(_ value: JSONValue, lower: String? = nil, upper: String? = nil) -> [Form] {
    func bound(_ sign: String) -> Bound { Bound(sign: sign, value: ChannelSeek.scalar(value)) }
    return [.range(rank: JSONOrder.rank(value), lower: lower.map(bound), upper: upper.map(bound))]
  }

  // MARK: - SQL

  /// The only index that it needs.
  var index: KeyIndex? { parts.count == 1 ? parts[0].index : nil }

  /// The SQL of terms that have the same value for all channels.
  var constants: Set<String> {
    guard parts.count == 1 else { return [] }
    let index = parts[0].index
    return switch parts[0].form {
    case .equal: [index.rank, index.value]
    case .among, .range: [index.rank]
    case .present: []
    }
  }

  /// Whether a channel with this value at a key, whose index is given, has the same constants as all that meet it.
  func holds(of value: JSONValue, at index: KeyIndex?) -> Bool {
    guard parts.count == 1, parts[0].index == index else { return true }
    let own = JSONOrder.rank(value)
    switch parts[0].form {
    case .equal(let rank, let wanted):
      // Equal numbers may be written in two ways.
      let isNumber = rank == JSONOrder.rank(0)
      return own == rank
        && (isNumber ? JSONOrder.compare(value, ChannelSeek.json(wanted)) == 0 : ChannelSeek.scalar(value) == wanted)
    case .among(let rank, _), .range(let rank, _, _): return own == rank
    case .present: return true
    }
  }

  /// Whether its index gives channels in the order of these terms, so that it does not matter how many there are.
  func gives(_ loose: [String]) -> Bool {
    guard parts.count == 1 else { return false }
    let own = [parts[0].index.rank, parts[0].index.value].filter { !constants.contains($0) }
    switch parts[0].form {
    case .equal: return loose.count == 1
    // SQLite reads the first few of each value.
    case .among: return loose.count == 1 || loose.starts(with: own)
    case .range, .present: return loose.starts(with: own)
    }
  }

  /// The condition in a statement for this stretch of a list, or `nil` if the stretch expresses all of it already.
  func condition(in stretch: ChannelSeek.Stretch) -> (sql: String, arguments: [DatabaseValue])? {
    let each = parts.compactMap { $0.condition(in: stretch) }
    guard each.count == parts.count else { return nil }
    let sql = each.map(\.sql).joined(separator: " OR ")
    return (each.count == 1 ? sql : "(\(sql))", each.flatMap(\.arguments))
  }

  /// How many channels meet it, or `nil` if there are more than `max`.
  func count(upTo max: Int, _ db: Database) throws -> Int? {
    guard let (sql, arguments) = condition(in: ChannelSeek.Stretch(sql: "TRUE", arguments: [], terms: [])) else { return nil }
    let count = try Int.fetchOne(
      db, sql: "SELECT count(*) FROM (SELECT 1 FROM channels c WHERE \(sql) LIMIT ?)",
      arguments: StatementArguments(arguments + [(max + 1).databaseValue]))
    return count.flatMap { $0 <= max ? $0 : nil }
  }
}

extension KeyNarrowing.Part {
  fileprivate func condition(in stretch: ChannelSeek.Stretch) -> (sql: String, arguments: [DatabaseValue])? {
    let isAtValue = stretch.fixed.contains(index.value)
    let isBehindValue = stretch.moving?.sql == index.value
    let isDescending = stretch.moving?.isDescending == true
    switch form {
    case .equal(let rank, let value):
      let (sql, arguments) = value.isNull ? ("\(index.value) IS NULL", []) : ("\(index.value) = ?", [value])
      return ("(\(index.rank) = \(rank) AND \(sql))", arguments)
    case .among(let rank, let values):
      guard !isAtValue else { return ("\(index.rank) = \(rank)", []) }
      let marks = values.map { _ in "?" }.joined(separator: ", ")
      return ("(\(index.rank) = \(rank) AND \(index.value) IN (\(marks)))", values)
    case .range(let rank, let lower, let upper):
      // If there are two bounds on one side, SQLite uses the first for the index, but the place of the stretch is the nearer one.
      let bounds = [
        isAtValue || isBehindValue && !isDescending ? nil : lower, isAtValue || isBehindValue && isDescending ? nil : upper,
      ]
      .compactMap { $0 }
      let parts = ["\(index.rank) = \(rank)"] + bounds.map { "\(index.value) \($0.sign) ?" }
      return ("(\(parts.joined(separator: " AND ")))", bounds.map(\.value))
    case .present:
      if stretch.fixed.contains(index.rank) { return nil }
      guard stretch.moving?.sql == index.rank else { return ("\(index.rank) IN (1, 2, 3, 4)", []) }
      return isDescending ? ("\(index.rank) > 0", []) : nil
    }
  }
}
