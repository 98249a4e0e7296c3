public import Channels

/// The reasons why a request about a post is refused.
public enum PostError: Error, Hashable, Sendable {
  case noSuchPost(PostID)
  /// Nothing is published in the channel until it is unfrozen.
  case frozen(ChannelID)
  /// - field: the field of the request, as on the wire.
  /// - reason: a sentence about what to change.
  case invalidPost(field: String, reason: String)
  /// The key belongs to a post whose request was different, or which was deleted since.
  case keyReused(PostID, isDeleted: Bool)
  /// Every relay has the post, or may have it, so it can only be deleted.
  case notCancellable(PostID)
  /// The network, or the kind of channel, cannot do it.
  case notSupported(NetworkKind, reason: String)
  /// - field: the field of the request, as on the wire.
  /// - reason: a sentence about what to change.
  case invalidRetention(field: String, reason: String)
}
