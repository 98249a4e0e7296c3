/// A page of the messages in a chat (`apiChat`, docs/design/simplex.md#posts-in-a-core).
public struct CoreItemPage: Hashable, Sendable {
  /// Where a page lies. Messages are ordered by the time when they were sent, then by number.
  public enum Place: Hashable, Sendable {
    /// The end of the chat.
    case newest
    /// Right before this message, which must be there: the core looks it up.
    case before(CoreItem.ID)
    /// Right after this message, which must be there.
    case after(CoreItem.ID)
  }

  /// The largest page that Baton asks for.
  public static let countMax = 100

  /// The group or channel. `nil` for chats of another kind.
  public let group: CoreGroup?
  /// The messages that can be read, oldest first.
  public let items: [CoreItem]
  /// The faults of unreadable messages. Other people write messages, so such faults do not spoil the page.
  public let faults: [CoreShapeError]
  /// Whether nothing came.
  public var isEmpty: Bool { items.isEmpty && faults.isEmpty }
}

extension CoreItemPage: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let chat = try reader.object("chat")
    group = try CoreChatItem.group(of: try chat.object("chatInfo"))
    var items: [CoreItem] = []
    var faults: [CoreShapeError] = []
    for element in try chat.list("chatItems", of: Element.self, atMost: CoreChatItem.countMax) {
      do throws(CoreShapeError) { items.append(try CoreItem(element.reader)) } catch { faults.append(error) }
    }
    self.items = items
    self.faults = faults
  }

  /// A message that may be unreadable.
  private struct Element: CoreReadable {
    let reader: CoreReader
    init(_ reader: CoreReader) throws(CoreShapeError) { self.reader = reader }
  }
}
