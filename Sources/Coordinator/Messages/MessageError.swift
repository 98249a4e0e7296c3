public import Channels

/// The reasons why a request about messages is refused.
public enum MessageError: Error, Hashable, Sendable {
  case noSuchMessage(MessageID)
  /// As many messages of its channel are pinned as can be.
  case tooManyPinned(MessageID)
  /// The daemon reads no messages, or not those of this channel.
  case notFollowed(ChannelID)
}
