public import Channels

/// A channel's reaction to its own post, or to someone else's message. The same reaction, sent twice, is one reaction.
public struct PostReaction: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    case post(PostID)
    /// - networkID: the network's name of the message.
    case message(in: ChannelID, networkID: String)
    /// Someone who is to belong to the channel, or not: the post with the latest wish, with any text.
    case person(in: ChannelID, name: String)
    /// The same for a ban on their messages, or its end.
    case ban(in: ChannelID, name: String)
    /// Someone about whom there was any wish: the latest post, even if it was given up.
    case anyWish(in: ChannelID, name: String)
  }
  public var target: Target
  /// The text, as in `PostRow.text`.
  public var text: String

  public init(target: Target, text: String) {
    self.target = target
    self.text = text
  }

  public init(target: PostID, text: String) { self.init(target: .post(target), text: text) }
}

extension PostRow {
  /// The text of the post that pins another one. No reaction has it.
  public static let pinText = "pin"

  /// Its reaction to another post of its channel, or to a message in the channel. `nil` if it is not a reaction.
  public var reaction: PostReaction? {
    if let reactionTo { return PostReaction(target: reactionTo, text: text) }
    guard let about, about.act == .reaction else { return nil }
    return PostReaction(target: .message(in: channel, networkID: about.networkID), text: text)
  }
}
