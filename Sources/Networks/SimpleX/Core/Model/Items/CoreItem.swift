internal import Channels
internal import StrictJSON

/// A message in a chat of the core (`ChatItem`, docs/design/simplex.md#posts-in-a-core).
public struct CoreItem: Hashable, Sendable {
  public typealias ID = CoreID<CoreItem>

  /// The author of a message, as its readers see it.
  public enum Author: Hashable, Sendable {
    /// The core's user, as the channel.
    case channel
    /// The core's user, under the user's own name.
    case user
    /// Another owner, as the channel.
    case otherOwner
    case member(CoreMember.ID)
    /// A word unknown to this version of Baton, or one of chats that are not groups.
    case unknown(String)
  }

  /// Why a message is shown as deleted (`CIDeleted`).
  public enum Deletion: String, Hashable, Sendable, CaseIterable {
    case deleted, blocked, blockedByAdmin, moderated
  }

  /// The number in the core's database.
  public let id: ID
  /// The name of the message, the same at every relay and reader. `nil` for items that only this core has.
  public let sharedID: String?
  /// When it was sent, as the core writes it (ISO 8601).
  public let sentAt: String
  /// Its author.
  public let author: Author
  /// The author as all members see it. `nil` if the author is not a member, or the core does not name one.
  public let sender: CoreSender?
  /// Its text as the core shows it, cut if it is longer than a message can be.
  public let text: String
  /// Whether it names the core's user.
  public let isMention: Bool
  /// The message that it answers, or `nil`.
  public let quote: CoreItemQuote?
  /// The message, or `nil` for news of the group, such as a member that joined.
  public let content: CoreItemContent?
  /// The file that belongs to it, or `nil`.
  public let file: CoreItemFile?
  /// How far it came, for all members together.
  public let status: CoreItemStatus
  /// Whether it was edited.
  public let isEdited: Bool
  /// Why it is shown as deleted, or `nil` if it is not.
  public let deletion: CoreWord<Deletion>?
  /// Whether the core would edit it now.
  public let isEditable: Bool
  /// Whether the core's own window offers to delete it for everyone. The command works for six hours more.
  public let isDeletable: Bool
  /// The reactions of its readers.
  public let reactions: [CoreReactionCount]
}

extension CoreItem {
  /// The reactions of the core's user.
  var ownReactions: Set<CoreReaction> { Set(reactions.compactMap { $0.isOwn ? CoreReaction(rawValue: $0.emoji) : nil }) }
}

extension CoreItem: CoreReadable {
  static let reactionsMax = 100
  /// The longest name and time, in bytes.
  static let wordBytesMax = 200

  init(_ reader: CoreReader) throws(CoreShapeError) {
    let meta = try reader.object("meta")
    id = try meta.id("itemId")
    sharedID = try meta.stringIfPresent("itemSharedMsgId", bytesMax: Self.wordBytesMax)
    sentAt = try meta.stringIfPresent("itemTs", bytesMax: Self.wordBytesMax) ?? ""
    let isAsGroup = try meta.boolIfPresent("showGroupAsSender") ?? false
    let direction = try reader.object("chatDir")
    author = try Author(direction, isAsGroup: isAsGroup)
    sender = CoreSender(of: direction)
    text = (meta.value("itemText")?.string ?? "").cut(toBytes: CoreItemContent.textBytesMax)
    isMention = try meta.boolIfPresent("userMention") ?? false
    quote = CoreItemQuote(of: reader)
    content = try CoreItemContent(of: try reader.object("content"))
    file = try reader.readIfPresent("file")
    status = try CoreItemStatus(try meta.object("itemStatus"))
    isEdited = try meta.boolIfPresent("itemEdited") ?? false
    let deleted = try meta.objectIfPresent("itemDeleted")
    deletion = try deleted.map { deleted throws(CoreShapeError) in CoreWord(CoreText.bounded(try deleted.string("type"))) }
    isEditable = try meta.boolIfPresent("editable") ?? false
    isDeletable = try meta.boolIfPresent("deletable") ?? false
    reactions = try reader.listIfPresent("reactions", atMost: Self.reactionsMax) ?? []
  }
}

extension CoreItem.Author {
  /// - Parameters:
  ///   - direction: the `CIDirection`.
  ///   - isAsGroup: whether readers see the channel as the author.
  init(_ direction: CoreReader, isAsGroup: Bool) throws(CoreShapeError) {
    let word = try direction.string("type")
    switch word {
    case "groupSnd": self = isAsGroup ? .channel : .user
    case "channelRcv": self = .otherOwner
    case "groupRcv": self = .member(try direction.object("groupMember").id("groupMemberId"))
    default: self = .unknown(CoreText.bounded(word))
    }
  }
}

/// A description for logs: without the text.
extension CoreItem: CustomStringConvertible, CustomReflectable {
  public var description: String { "item \(id)" }
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "sharedID": sharedID as Any, "status": status]) }
}
