/// A message and the chat that it belongs to (`AChatItem`).
public struct CoreChatItem: Hashable, Sendable {
  /// How many of them a message of the core may have.
  static let countMax = 1000

  /// The group or channel. `nil` for chats of another kind.
  public let group: CoreGroup?
  /// The message.
  public let item: CoreItem
}

extension CoreChatItem: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    group = try Self.group(of: try reader.object("chatInfo"))
    item = try reader.read("chatItem")
  }

  /// - Parameter chat: a `ChatInfo`.
  /// - Returns: the group whose members all see the chat. `nil` also for a chat between a member and the people who run the group.
  static func group(of chat: CoreReader) throws(CoreShapeError) -> CoreGroup? {
    guard try chat.string("type") == "group", chat.value("groupChatScope") == nil else { return nil }
    return try chat.read("groupInfo")
  }
}

/// A message that was deleted (`ChatItemDeletion`).
public struct CoreItemDeletion: Hashable, Sendable {
  /// The message before its deletion.
  public let deleted: CoreChatItem
  /// The message now, or `nil` if nothing of it is left. A channel without full deletion keeps it, marked.
  public let remaining: CoreChatItem?
}

extension CoreItemDeletion: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    deleted = try reader.read("deletedChatItem")
    remaining = try reader.readIfPresent("toChatItem")
  }
}
