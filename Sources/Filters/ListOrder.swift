public import StrictJSON

/// The order of a list: keys, the most important first, and finally the id or another unique value, so that no two objects are equal.
public struct ListOrder: Hashable, Sendable {
  public struct Key: Hashable, Sendable {
    public let path: [String]
    public let isDescending: Bool
  }

  public let keys: [Key]

  public static let keysMax = 8

  /// - Parameters:
  ///   - sort: keys such as `[{"field": "name", "direction": -1}]`. A key without a direction is ascending.
  ///   - known: the fields that objects have. `nil` allows any.
  ///   - isSortable: returns whether objects can be sorted by a path of names.
  ///   - ties: the fields that no two objects have in common, all of them together.
  /// - Throws: an error with the reason and the place.
  public init(
    _ sort: [JSONValue], known: ListFields? = nil, isSortable: ([String]) -> Bool = { _ in true }, ties: [String] = ["id"]
  ) throws(Filter.Invalid) {
    guard sort.count <= Self.keysMax else { throw Filter.Invalid(path: "sort", reason: "has more than \(Self.keysMax) keys") }
    var keys: [Key] = []
    for (index, key) in sort.enumerated() {
      let path = "sort.\(index)"
      guard let members = key.object, Set(members.keys).isSubset(of: ["field", "direction"]), let field = key["field"]?.string
      else { throw Filter.Invalid(path: path, reason: "must be like {\"field\": \"name\", \"direction\": 1}") }
      let parts = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      _ = try known?.place(parts, at: "\(path).field")
      guard parts.allSatisfy(Self.isPlain), isSortable(parts) else {
        let names = known.map { ", only by \($0.names(where: isSortable).joined(separator: ", "))" } ?? ""
        throw Filter.Invalid(path: "\(path).field", reason: "cannot sort by '\(field.prefix(64))'\(names)")
      }
      guard let direction = (key["direction"] ?? 1).integer, [1, -1].contains(direction) else {
        throw Filter.Invalid(path: "\(path).direction", reason: "must be 1 or -1")
      }
      keys.append(Key(path: parts, isDescending: direction == -1))
    }
    // The id has the direction of the key before it, so that one index serves both.
    let isDescending = keys.last?.isDescending ?? false
    self.keys = keys + ties.map { Key(path: [$0], isDescending: isDescending) }
  }

  /// Whether a name is compared in the same way everywhere: printable ASCII without quotes and backslashes.
  package static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  /// The order as text. Lists with different orders have different cursors.
  public var text: String {
    JSONValue.array(keys.map { [.array($0.path.map(JSONValue.string)), .bool($0.isDescending)] }).text
  }

  /// The values by which `object` is sorted.
  public func values(of object: JSONValue) -> [JSONValue] { values { object[$0] } }

  /// The values by which an object with these fields is sorted.
  /// - Parameter field: the value of a field of the object itself, by its name, or `nil` if it is absent.
  public func values(_ field: (String) -> JSONValue?) -> [JSONValue] {
    keys.map { key in key.path.dropFirst().reduce(key.path.first.flatMap(field)) { $0?[$1] } ?? .null }
  }

  public func isBefore(_ a: [JSONValue], _ b: [JSONValue]) -> Bool {
    for (index, key) in keys.enumerated() {
      let order = JSONOrder.compare(a[index], b[index])
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return false
  }
}
