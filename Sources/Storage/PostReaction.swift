public import Channels

/// What a channel says to one of its posts without words. Said twice, it is one reaction.
public struct PostReaction: Hashable, Sendable {
  public var target: PostID
  /// As `PostRow.text` has it.
  public var text: String

  public init(target: PostID, text: String) {
    self.target = target
    self.text = text
  }
}

extension PostRow {
  /// The text of the post that pins another one. No reaction has it.
  public static let pinText = "pin"
}
