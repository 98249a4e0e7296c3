public import Channels

/// The reasons why a request about messages is refused.
public enum MessageError: Error, Hashable, Sendable {
  case noSuchMessage(MessageID)
  /// The channel has the maximum number of pinned messages.
  case tooManyPinned(MessageID)
  /// The daemon reads no messages, or none of this channel.
  case notFollowed(ChannelID)
}
