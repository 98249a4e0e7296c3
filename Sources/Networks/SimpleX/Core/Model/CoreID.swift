/// How the core names one of its things: a number of its database. The type tells apart what the numbers name, since a member's
/// number in the place of a relay's would hit something else.
public struct CoreID<Thing>: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
  /// As it stands in commands and JSON.
  public let rawValue: Int64

  /// - Parameter rawValue: as it stands in commands and JSON.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// By number: what the core made earlier comes first.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { String(rawValue) }
}

extension CoreReader {
  /// The member `key` as the name of a thing.
  func id<Thing>(_ key: String) throws(CoreShapeError) -> CoreID<Thing> { CoreID(rawValue: try integer(key)) }

  /// The member `key` as the name of a thing; nil when it is not there.
  func idIfPresent<Thing>(_ key: String) throws(CoreShapeError) -> CoreID<Thing>? {
    try integerIfPresent(key).map(CoreID.init(rawValue:))
  }
}
