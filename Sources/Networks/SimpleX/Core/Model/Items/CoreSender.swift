internal import Channels
internal import StrictJSON

/// The member who wrote a message, as all members see it (`GroupMember` of a `CIDirection`).
public struct CoreSender: Hashable, Sendable {
  /// The longest name kept, in bytes.
  static let nameBytesMax = 200

  /// The name that all members have for this one, in base64url.
  public let sharedID: String
  /// The member's own name, cut if it is longer than `nameBytesMax`. `nil` if the core gives none.
  public let name: String?
}

extension CoreSender {
  /// Reads a sender as far as possible. No fault in it makes a message unreadable.
  /// - Parameter direction: the `CIDirection`.
  /// - Returns: `nil` if it names no member, or a member whose name is too long: two long names may begin alike.
  init?(of direction: CoreReader) {
    guard let member = direction.value("groupMember"), let id = member["memberId"]?.string,
      (1...CoreItem.wordBytesMax).contains(id.utf8.count)
    else { return nil }
    sharedID = id
    let shown = member["memberProfile"]?["displayName"]?.string ?? member["localDisplayName"]?.string
    name = shown.flatMap { $0.isEmpty ? nil : $0.cut(toBytes: Self.nameBytesMax) }
  }
}

/// The message that another one answers (`CIQuote`).
public struct CoreItemQuote: Hashable, Sendable {
  /// The number in the core's database, or `nil` if the core does not have the message.
  public let item: CoreItem.ID?
  /// The name of the message, the same at every relay and reader, or `nil`.
  public let sharedID: String?
}

extension CoreItemQuote {
  /// Reads the quote of a message. No fault in it makes the message unreadable.
  /// - Parameter reader: the `ChatItem`.
  /// - Returns: `nil` if it quotes nothing.
  init?(of reader: CoreReader) {
    guard let quote = reader.value("quotedItem")?.object else { return nil }
    item = quote["itemId"]?.integer.map(CoreItem.ID.init(rawValue:))
    sharedID = quote["sharedMsgId"]?.string.flatMap { $0.utf8.count <= CoreItem.wordBytesMax ? $0 : nil }
  }
}

/// A description for logs: without the name.
extension CoreSender: CustomStringConvertible, CustomReflectable {
  public var description: String { CoreText.bounded(sharedID) }
  public var customMirror: Mirror { Mirror(self, children: ["sharedID": sharedID]) }
}
