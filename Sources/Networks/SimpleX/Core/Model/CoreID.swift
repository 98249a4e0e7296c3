internal import StrictJSON

/// The core's id of one of its objects: a number in its database. The type distinguishes the kinds of objects, because a member's
/// number in place of a relay's would name something else.
public struct CoreID<Thing>: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number as written in commands and JSON.
  public let rawValue: Int64

  /// - Parameter rawValue: the number as written in commands and JSON.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Orders by number: objects that the core created earlier come first.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { String(rawValue) }
}

extension CoreReader {
  /// The member `key` as an id.
  func id<Thing>(_ key: String) throws(CoreShapeError) -> CoreID<Thing> { CoreID(rawValue: try integer(key)) }

  /// The member `key` as an id, or `nil` if it is missing.
  func idIfPresent<Thing>(_ key: String) throws(CoreShapeError) -> CoreID<Thing>? {
    try integerIfPresent(key).map(CoreID.init(rawValue:))
  }

  /// The ids in the list at `key`. More than `limit` are an error.
  func ids<Thing>(_ key: String, atMost limit: Int) throws(CoreShapeError) -> [CoreID<Thing>] {
    guard let elements = value(key)?.array else { throw fault(key, "must be a list") }
    let ids = elements.compactMap(\.integer)
    guard elements.count <= limit, ids.count == elements.count else { throw fault(key, "must have at most \(limit) integers") }
    return ids.map(CoreID.init(rawValue:))
  }
}
