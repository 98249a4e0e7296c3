public import Channels

/// The reasons why a request about messages is refused.
public enum MessageError: Error, Hashable, Sendable {
  case noSuchMessage(MessageID)
  /// The daemon reads no messages, or not those of this channel.
  case notFollowed(ChannelID)
}
