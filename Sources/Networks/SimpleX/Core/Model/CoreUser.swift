internal import StrictJSON

/// A user profile of the core (`User`, docs/design/simplex.md#users).
public struct CoreUser: Hashable, Sendable {
  public typealias ID = CoreID<CoreUser>

  /// The number in the core's database.
  public let id: ID
  /// The name of the user in this core's database.
  public let localName: String
  /// The name that others see.
  public let displayName: String
  /// Whether commands without a user apply to this one.
  public let isActive: Bool
  /// Whether the user is a chat relay itself, which owns no channels.
  public let isChatRelay: Bool
}

extension CoreUser: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    id = try reader.id("userId")
    localName = try reader.string("localDisplayName")
    displayName = try reader.object("profile").string("displayName")
    isActive = try reader.bool("activeUser")
    isChatRelay = try reader.boolIfPresent("userChatRelay") ?? false
  }
}
