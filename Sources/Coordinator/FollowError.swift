public import Channels

/// The reasons why a request about followed channels is refused.
public enum FollowError: Error, Hashable, Sendable {
  /// Other people own the channel, and it is only read.
  case notOwned(ChannelID)
  /// The channel is Baton's own.
  case owned(ChannelID)
  /// A text without the name of a channel that can be followed.
  case invalidLink(reason: String)
  /// Baton has none of the relays that a link names.
  case noKnownRelay(addresses: [String])
  /// A channel that cannot be followed.
  case notFollowable(reason: String)
}
