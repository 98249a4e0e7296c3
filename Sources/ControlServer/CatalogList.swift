internal import ControlAPI
internal import Foundation
internal import StrictJSON
internal import Varlink

/// One page of a list that fits into memory: operators, servers, relays. Pages are by key: what changes between two of them moves
/// nothing else.
struct CatalogList: Sendable {
  private struct Key: Sendable {
    let path: [String]
    let isDescending: Bool
  }
  private let limit: Int
  private let keys: [Key]
  private let filter: Filter
  private let fields: Set<String>
  /// The keys and the identifier of the last object of the page before.
  private let after: [JSONValue]?

  static let sortKeysMax = 8

  /// - Throws: `InvalidFilter` of `interface`, or `InvalidParameter`.
  init(_ request: ListRequest, fields: Set<String>, interface: String) throws {
    func invalid(_ path: String, _ reason: String) -> VarlinkError {
      VarlinkError("\(interface).InvalidFilter", ["path": .string(path), "reason": .string(reason)])
    }
    self.fields = fields
    limit = request.limit ?? ListPage.limitDefault
    guard (1...ListPage.limitMax).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
    let sort = request.sort ?? []
    guard sort.count <= Self.sortKeysMax else { throw invalid("sort", "has more than \(Self.sortKeysMax) keys") }
    var keys: [Key] = []
    for (index, key) in sort.enumerated() {
      let path = "sort.\(index)"
      guard let members = key.object, Set(members.keys).isSubset(of: ["field", "direction"]),
        let field = key["field"]?.string
      else { throw invalid(path, "must be like {\"field\": \"name\", \"direction\": 1}") }
      let parts = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard let first = parts.first, fields.contains(first) else { throw invalid("\(path).field", "is no field") }
      guard let direction = (key["direction"] ?? 1).integer, [1, -1].contains(direction) else {
        throw invalid("\(path).direction", "must be 1 or -1")
      }
      keys.append(Key(path: parts, isDescending: direction == -1))
    }
    self.keys = keys + [Key(path: ["id"], isDescending: false)]
    do throws(Filter.Invalid) {
      filter = try Filter(request.filter, known: fields)
    } catch {
      throw invalid(error.path, error.reason)
    }
    if let cursor = request.cursor {
      guard let data = Data(base64Encoded: cursor), let values = try? JSONParser.parse(Array(data)).array,
        values.count == self.keys.count + 1, values.first == .string(Self.order(self.keys))
      else { throw invalid("cursor", "it does not come from a list with the same order") }
      after = Array(values.dropFirst())
    } else {
      after = nil
    }
  }

  /// Whether removed objects are asked for.
  var asksForDeleted: Bool { filter.fields.contains("deleted") }

  /// The page of `objects`, which may come in any order.
  func page(of objects: [JSONValue]) -> (objects: [JSONValue], next: String?) {
    var found = objects.filter { asksForDeleted || $0["deleted"] != .bool(true) }.filter(filter.matches)
      .map { (values: values(of: $0), object: $0) }
    if let after { found.removeAll { !isBefore(after, $0.values) } }
    found.sort { isBefore($0.values, $1.values) }
    let page = found.prefix(limit)
    guard found.count > limit, let last = page.last else { return (page.map(\.object), nil) }
    let cursor = JSONValue.array([.string(Self.order(keys))] + last.values)
    return (page.map(\.object), Data(cursor.bytes).base64EncodedString())
  }

  private func values(of object: JSONValue) -> [JSONValue] {
    keys.map { key in key.path.reduce(object) { $0?[$1] } ?? .null }
  }

  private func isBefore(_ a: [JSONValue], _ b: [JSONValue]) -> Bool {
    for (index, key) in keys.enumerated() {
      let order = Self.compare(a[index], b[index])
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return false
  }

  private static func order(_ keys: [Key]) -> String {
    keys.map { ($0.isDescending ? "-" : "") + $0.path.joined(separator: ".") }.joined(separator: ",")
  }

  /// A total order: what is absent, booleans, numbers, texts, the rest.
  static func compare(_ a: JSONValue, _ b: JSONValue) -> Int {
    func rank(_ value: JSONValue) -> Int {
      switch value {
      case .null: 0
      case .bool: 1
      case .integer, .number: 2
      case .string: 3
      case .array, .object: 4
      }
    }
    func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }
    func number(_ value: JSONValue) -> Double {
      switch value {
      case .integer(let number): Double(number)
      case .number(let number): number
      default: 0
      }
    }
    switch (a, b) {
    case (.bool(let a), .bool(let b)): return sign(a ? 1 : 0, b ? 1 : 0)
    case (.integer(let a), .integer(let b)): return sign(a, b)
    case (.string(let a), .string(let b)): return sign(a, b)
    default:
      guard rank(a) == rank(b) else { return sign(rank(a), rank(b)) }
      return rank(a) == 2 ? sign(number(a), number(b)) : rank(a) == 4 ? sign(a.text, b.text) : 0
    }
  }

  /// Answers a List call: one page, or with `more` page after page until there are no more.
  /// - Parameter read: the revision, and the objects as they are then or later.
  static func answer(
    _ call: VarlinkCall, _ stream: VarlinkStream, _ name: String, fields: Set<String>, interface: String,
    read: () throws -> (revision: Int64, objects: [JSONValue])
  ) async throws -> [String: JSONValue] {
    var request = try call.decode(ListRequest.self)
    while true {
      let list = try CatalogList(request, fields: fields, interface: interface)
      let (revision, objects) = try read()
      let (page, next) = list.page(of: objects)
      var reply: [String: JSONValue] = [name: .array(page), "revision": .integer(revision)]
      if let next { reply["nextCursor"] = .string(next) }
      guard call.mode == .more, let next else { return reply }
      try await stream.send(reply)
      request.cursor = next
    }
  }
}
