internal import Channels
internal import StrictJSON

/// The content of a message of the core (`MsgContent`). The bytes of pictures are not kept.
public struct CoreItemContent: Hashable, Sendable {
  /// The kind of a message.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case text, link, image, video, voice, file, report, chat
  }

  /// The longest text kept, in bytes, which is more than any message can carry.
  static let textBytesMax = 65_536
  /// The longest link kept, in bytes.
  static let linkBytesMax = 8192

  /// The kind.
  public let kind: CoreWord<Kind>
  /// The text as written, cut if it is longer than a message can be.
  public let text: String
  /// The link that is previewed, or `nil`.
  public let link: String?
  /// The title of the previewed page, cut if it is longer than `linkBytesMax`. `nil` if no link is previewed.
  public let title: String?
}

extension CoreItemContent {
  /// - Parameter content: the `CIContent` of an item.
  /// - Returns: `nil` if it is not a message.
  init?(of content: CoreReader) throws(CoreShapeError) {
    switch try content.string("type") {
    case "sndMsgContent", "rcvMsgContent": try self.init(try content.object("msgContent"))
    default: return nil
    }
  }
}

extension CoreItemContent: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    kind = CoreWord(CoreText.bounded(try reader.string("type")))
    text = (try reader.stringIfPresent("text") ?? "").cut(toBytes: Self.textBytesMax)
    let preview = kind == .known(.link) ? try reader.objectIfPresent("preview") : nil
    link = try preview?.stringIfPresent("uri").map { $0.cut(toBytes: Self.linkBytesMax) }
    title = preview?.value("title")?.string.map { $0.cut(toBytes: Self.linkBytesMax) }
  }
}

/// A description for logs: without the text.
extension CoreItemContent: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(CoreText.bounded(kind.text)) of \(text.utf8.count) bytes" }
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}
