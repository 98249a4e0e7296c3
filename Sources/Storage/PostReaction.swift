public import Channels

/// What a channel says without words to a post of its own, or to a message of others. Said twice, it is one reaction.
public struct PostReaction: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    case post(PostID)
    /// - networkID: what the network calls the message.
    case message(in: ChannelID, networkID: String)
    /// Someone who is to belong to the channel, or not: the post with the latest wish, whatever its text.
    case person(in: ChannelID, name: String)
    /// The same for what they write, which is to be kept from everyone, or shown.
    case ban(in: ChannelID, name: String)
    /// Someone of whom anything was wished: the latest post, also if it was given up.
    case anyWish(in: ChannelID, name: String)
  }
  public var target: Target
  /// As `PostRow.text` has it.
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

  /// What it says to another post of its channel, or to a message there; `nil` if it is not a reaction.
  public var reaction: PostReaction? {
    if let reactionTo { return PostReaction(target: reactionTo, text: text) }
    guard let about, about.act == .reaction else { return nil }
    return PostReaction(target: .message(in: channel, networkID: about.networkID), text: text)
  }
}
