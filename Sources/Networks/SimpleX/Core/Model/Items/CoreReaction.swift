/// A reaction that the core supports. It forwards any other reaction, which readers see as a question mark.
public enum CoreReaction: String, Hashable, Sendable, CaseIterable {
  case thumbsUp = "👍"
  case thumbsDown = "👎"
  case smile = "😀"
  case laugh = "😂"
  case sad = "😢"
  /// The heart is a single character here, without the mark that makes it colourful: with the mark it is another reaction.
  case heart = "\u{2764}"
  case rocket = "🚀"
  case check = "✅"

  /// How many of them the core accepts from one user for one message.
  static let countMax = 3
}

/// How often readers reacted to a message in one way (`CIReactionCount`).
public struct CoreReactionCount: Hashable, Sendable {
  /// The reaction, or empty if it is unknown to this version of the core.
  public let emoji: String
  /// Whether the core's user is among them.
  public let isOwn: Bool
  /// The number of readers.
  public let count: Int64
}

extension CoreReactionCount: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    emoji = try CoreReactionChange.emoji(of: try reader.object("reaction"))
    isOwn = try reader.boolIfPresent("userReacted") ?? false
    count = try reader.integerIfPresent("totalReacted") ?? 0
  }
}

/// A reaction that was added or removed (`chatItemReaction`).
public struct CoreReactionChange: Hashable, Sendable {
  /// Whether it was added.
  public let isAdded: Bool
  /// The reaction, or empty if it is unknown to this version of the core.
  public let emoji: String
  /// The author of the change.
  public let author: CoreItem.Author
  /// The author as all members see it. `nil` if the author is not a member, or the core does not name one.
  public let sender: CoreSender?
  /// The group or channel. `nil` for chats of another kind.
  public let group: CoreGroup?
  /// The message after the change.
  public let item: CoreItem
}

extension CoreReactionChange: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    isAdded = try reader.bool("added")
    let outer = try reader.object("reaction")
    group = try CoreChatItem.group(of: try outer.object("chatInfo"))
    let inner = try outer.object("chatReaction")
    emoji = try Self.emoji(of: try inner.object("reaction"))
    let direction = try inner.objectIfPresent("chatDir")
    author = try direction.map { direction throws(CoreShapeError) in try .init(direction, isAsGroup: false) } ?? .unknown("")
    sender = direction.flatMap(CoreSender.init(of:))
    item = try inner.read("chatItem")
  }

  /// - Parameter reaction: a `MsgReaction`.
  static func emoji(of reaction: CoreReader) throws(CoreShapeError) -> String {
    guard try reaction.string("type") == "emoji" else { return "" }
    return CoreText.bounded(try reaction.stringIfPresent("emoji") ?? "")
  }
}
