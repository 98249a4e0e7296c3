public import Channels
public import StrictJSON

/// A part of a list of channels.
public struct ChannelPart: Sendable {
  /// The channels in the list's order; those whose rows cannot be read are left out.
  public let channels: [StoredChannel]
  /// The newest posts of these channels, read at the same moment; channels without one are left out.
  public let lastPosts: [ChannelID: LastPost]
  /// What is known of their messages at the same moment, without previews; channels without a conversation are left out. `nil`
  /// if the store knows nothing of messages.
  public let conversations: [ChannelID: ConversationSummary]?
  /// The channels that cannot be read.
  public let unreadable: [ChannelID]
  /// What the last channel that was looked at is sorted by; `nil` if there are no more.
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
