public import StrictJSON

/// A condition on objects. Members name fields and operators: a bare value means `$eq`, and several members must all hold.
public struct Filter: Sendable {
  public struct Invalid: Error, Hashable, Sendable {
    /// The offending part, like `filter.$or.1.phase`.
    public let path: String
    public let reason: String

    public init(path: String, reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  package indirect enum Node: Sendable {
    case all([Node])
    case any([Node])
    case none([Node])
    case field([String], Test)
  }

  package indirect enum Test: Sendable {
    case equal(JSONValue), notEqual(JSONValue)
    case greater(JSONValue), greaterOrEqual(JSONValue), less(JSONValue), lessOrEqual(JSONValue)
    case isIn([JSONValue]), isNotIn([JSONValue])
    case exists(Bool)
    case contains(JSONValue)
    /// At least one element of a list meets all of these conditions.
    case element(Node)
    case query(String), autocomplete(String)
  }

  /// The limits on the size of a filter.
  public struct Limits: Hashable, Sendable {
    /// The depth to which conditions may be nested.
    public var depthMax = 8
    /// The number of conditions, tests and values that a filter may have in total.
    public var nodesMax = 500

    public init() {}
  }

  package let root: Node
  /// The outermost names of the fields that the filter looks at.
  public let fields: Set<String>

  /// All operators that compare a field with something.
  static let operators = [
    "$eq", "$ne", "$in", "$nin", "$exists", "$gt", "$gte", "$lt", "$lte", "$contains", "$elemMatch", "$q", "$autocomplete",
  ]

  /// - Parameter known: the fields that objects have. `nil` allows any fields, of any type.
  public init(_ json: JSONValue?, known: ListFields? = nil, limits: Limits = Limits()) throws(Invalid) {
    var parser = Parser(known: known, limits: limits)
    root = try parser.node(json ?? [:], path: "filter", depth: 0)
    fields = parser.fields
  }

  public func matches(_ object: JSONValue) -> Bool { matches { object[$0] } }

  /// Whether an object with these fields matches.
  /// - Parameter field: the value of a field of the object itself, by its name, or `nil` if it is absent.
  public func matches(_ field: (String) -> JSONValue?) -> Bool { Self.matches(root, field) }

  private static func matches(_ node: Node, _ field: (String) -> JSONValue?) -> Bool {
    switch node {
    case .all(let nodes): nodes.allSatisfy { matches($0, field) }
    case .any(let nodes): nodes.contains { matches($0, field) }
    case .none(let nodes): !nodes.contains { matches($0, field) }
    case .field(let path, let test): matches(test, path.dropFirst().reduce(path.first.flatMap(field)) { $0?[$1] })
    }
  }

  private static func matches(_ test: Test, _ value: JSONValue?) -> Bool {
    let value = value == .null ? nil : value
    switch test {
    case .equal(let wanted): return wanted == .null ? value == nil : value.map { JSONOrder.equal($0, wanted) } ?? false
    case .notEqual(let other): return !matches(.equal(other), value)
    case .greater(let bound): return order(value, bound).map { $0 > 0 } ?? false
    case .greaterOrEqual(let bound): return order(value, bound).map { $0 >= 0 } ?? false
    case .less(let bound): return order(value, bound).map { $0 < 0 } ?? false
    case .lessOrEqual(let bound): return order(value, bound).map { $0 <= 0 } ?? false
    case .isIn(let values): return values.contains { matches(.equal($0), value) }
    case .isNotIn(let values): return !values.contains { matches(.equal($0), value) }
    case .exists(let wanted): return (value != nil) == wanted
    case .contains(let element): return value?.array?.contains { JSONOrder.equal($0, element) } ?? false
    case .element(let node): return value?.array?.contains { element in matches(node) { element[$0] } } ?? false
    case .query(let text): return value?.string.map { Self.holds($0, text) } ?? false
    case .autocomplete(let prefix): return value?.string.map { Self.hasWord($0, prefix) } ?? false
    }
  }

  /// Evaluates `$q`: whether `text` occurs in `value`, as searches compare texts.
  package static func holds(_ value: String, _ text: String) -> Bool {
    // Swift compares each place with the whole text, so its time grows with the product of both lengths. The search of Knuth, Morris and
    // Pratt reads each byte of the value once.
    let text = Array(text.folded.utf8)
    guard !text.isEmpty else { return true }
    // For each byte, how many before and with it are also the beginning of the text.
    var again = [0]
    func next(_ count: Int, _ byte: UInt8) -> Int {
      var count = count
      while count > 0, text[count] != byte { count = again[count - 1] }
      return text[count] == byte ? count + 1 : 0
    }
    for byte in text.dropFirst() { again.append(next(again[again.count - 1], byte)) }
    var count = 0
    for byte in value.folded.utf8 {
      count = next(count, byte)
      if count == text.count { return true }
    }
    return false
  }

  /// Evaluates `$autocomplete`: whether a word of `value` begins with `prefix`, as searches compare texts.
  package static func hasWord(_ value: String, _ prefix: String) -> Bool {
    let words = value.folded.split { !$0.isLetter && !$0.isNumber }
    let prefix = prefix.folded
    return words.contains { $0.hasPrefix(prefix) }
  }

  private static func order(_ a: JSONValue?, _ b: JSONValue) -> Int? { a.flatMap { JSONOrder.order($0, b) } }

  private struct Parser {
    var known: ListFields?
    let limits: Limits
    var fields: Set<String> = []
    var nodes = 0

    mutating func node(_ json: JSONValue, path: String, depth: Int) throws(Invalid) -> Node {
      guard let members = json.object else { throw Invalid(path: path, reason: "must be an object") }
      guard depth < limits.depthMax else { throw Invalid(path: path, reason: "is nested too deeply") }
      var all: [Node] = []
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        try count(1, path)
        switch key {
        case "$and": all.append(.all(try list(value, "\(path).$and", depth)))
        case "$or": all.append(.any(try list(value, "\(path).$or", depth)))
        case "$nor": all.append(.none(try list(value, "\(path).$nor", depth)))
        case _ where key.hasPrefix("$"): throw Self.noOperator(key, of: ["$and", "$or", "$nor"], "\(path).\(key)")
        default: all += try field(key, value, "\(path).\(key)", depth)
        }
      }
      return .all(all)
    }

    private mutating func list(_ json: JSONValue, _ path: String, _ depth: Int) throws(Invalid) -> [Node] {
      guard let elements = json.array, !elements.isEmpty else {
        throw Invalid(path: path, reason: "must be a list of at least one condition")
      }
      try count(elements.count, path)
      var list: [Node] = []
      for (index, element) in elements.enumerated() {
        list.append(try node(element, path: "\(path).\(index)", depth: depth + 1))
      }
      return list
    }

    private mutating func field(_ name: String, _ json: JSONValue, _ path: String, _ depth: Int) throws(Invalid) -> [Node] {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let place = try known?.place(parts, at: path)
      fields.insert(parts[0])
      guard let tests = json.object, tests.keys.contains(where: { $0.hasPrefix("$") }) else {
        try place?.check(json, of: "$eq", at: path)
        return [.field(parts, .equal(json))]
      }
      try count(tests.count, path)
      var nodes: [Node] = []
      for (key, value) in tests.sorted(by: { $0.key < $1.key }) {
        let path = "\(path).\(key)"
        let test = try key == "$elemMatch" ? element(value, of: place, path, depth) : test(key, value, path)
        try place?.check(value, of: key, at: path)
        nodes.append(.field(parts, test))
      }
      return nodes
    }

    /// Conditions that one element of a list must all meet. They use the field names of the elements.
    private mutating func element(
      _ json: JSONValue, of place: ListFields.Place?, _ path: String, _ depth: Int
    ) throws(Invalid) -> Test {
      let (outer, names) = (known, fields)
      if case .list(.object(let members))? = place?.kind { known = ListFields(members) } else { known = nil }
      defer { (known, fields) = (outer, names) }
      return .element(try node(json, path: path, depth: depth + 1))
    }

    private static func noOperator(_ word: String, of all: [String], _ path: String) -> Invalid {
      let hint = Nearest.to(word, among: all).map { ". Did you mean \($0)?" } ?? "."
      return Invalid(
        path: path, reason: "there is no operator '\(word.prefix(64))'\(hint) There are \(all.joined(separator: ", "))")
    }

    private mutating func count(_ added: Int, _ path: String) throws(Invalid) {
      nodes += added
      guard nodes <= limits.nodesMax else {
        throw Invalid(path: path, reason: "has too many conditions: at most \(limits.nodesMax) in all, values counted")
      }
    }

    private mutating func test(_ key: String, _ value: JSONValue, _ path: String) throws(Invalid) -> Test {
      func text() throws(Invalid) -> String {
        guard let text = value.string, !text.isEmpty else { throw Invalid(path: path, reason: "must be a text") }
        return text
      }
      func comparable() throws(Invalid) -> JSONValue {
        switch value {
        case .integer, .number, .string: return value
        case .null, .bool, .array, .object: throw Invalid(path: path, reason: "must be a number or a text")
        }
      }
      switch key {
      case "$eq": return .equal(value)
      case "$ne": return .notEqual(value)
      case "$gt": return .greater(try comparable())
      case "$gte": return .greaterOrEqual(try comparable())
      case "$lt": return .less(try comparable())
      case "$lte": return .lessOrEqual(try comparable())
      case "$in", "$nin":
        guard let values = value.array else { throw Invalid(path: path, reason: "must be a list of values") }
        try count(values.count, path)
        return key == "$in" ? .isIn(values) : .isNotIn(values)
      case "$exists":
        guard let wanted = value.bool else { throw Invalid(path: path, reason: "must be a boolean") }
        return .exists(wanted)
      case "$contains": return .contains(value)
      case "$q": return .query(try text())
      case "$autocomplete": return .autocomplete(try text())
      default: throw Self.noOperator(key, of: Filter.operators, path)
      }
    }
  }
}
