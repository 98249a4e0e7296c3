/// Identifier of an operator: a positive 64-bit integer given by the store.
public struct OperatorID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Identifier of a chat relay: a positive 64-bit integer given by the store.
public struct RelayID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Identifier of a message or file server: a positive 64-bit integer given by the store.
public struct ServerID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Identifier of an identity, the owner of channels.
public struct IdentityID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Identifier of a channel: a positive 64-bit integer given by the store, never reused.
public struct ChannelID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Identifier of a post: a positive 64-bit integer given by the store, never reused. Later posts have higher ones.
public struct PostID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Identifier of a message: a positive 64-bit integer given by the store, never reused. It grows in the order in which messages arrive.
public struct MessageID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
