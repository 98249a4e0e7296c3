public import Channels

/// The reasons why a request about channels of others is refused.
public enum FollowError: Error, Hashable, Sendable {
  /// Others run the channel, and it is only read.
  case notOwned(ChannelID)
  /// The channel is Baton's own.
  case owned(ChannelID)
  /// A text that does not name a channel that can be followed.
  case invalidLink(reason: String)
  /// None of the relays that a link names is known here.
  case noKnownRelay(addresses: [String])
  /// A channel that cannot be read.
  case notFollowable(reason: String)
}
