public import Channels
public import StrictJSON

/// A part of a list of channels.
public struct ChannelPart: Sendable {
  /// The channels in the list's order, without damaged ones.
  public let channels: [StoredChannel]
  /// The newest posts of these channels, read at the same moment. Channels without a post are left out.
  public let lastPosts: [ChannelID: LastPost]
  /// Their conversations at the same moment, without previews. Channels without a conversation are left out. `nil` if the store has no
  /// messages.
  public let conversations: [ChannelID: ConversationSummary]?
  /// The damaged channels.
  public let unreadable: [ChannelID]
  /// The sort values of the last channel that was looked at, or `nil` at the end of the list.
  public let last: [JSONValue]?
  /// The revision at which this is true.
  public let revision: Int64

  public init(
    channels: [StoredChannel], lastPosts: [ChannelID: LastPost],
    conversations: [ChannelID: ConversationSummary]?, unreadable: [ChannelID], last: [JSONValue]?, revision: Int64
  ) {
    self.channels = channels
    self.lastPosts = lastPosts
    self.conversations = conversations
    self.unreadable = unreadable
    self.last = last
    self.revision = revision
  }
}
