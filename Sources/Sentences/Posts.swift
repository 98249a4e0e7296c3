// Refusals that are about posts.
extension RefusalSentence {
  /// A retention that is not allowed.
  public static func invalidRetention(field: String, reason: String) -> Self {
    Self("invalid retention (\(field)): \(reason)")
  }

  /// A field of a post that is not allowed.
  public static func invalidPost(field: String, reason: String) -> Self {
    Self("invalid post (\(field)): \(reason)")
  }

  /// A key that was used before.
  /// - Parameters:
  ///   - post: that the key was used for.
  ///   - isDeleted: whether it was deleted since.
  public static func postKeyReused(id post: Int64, deleted isDeleted: Bool) -> Self {
    Self(
      "this idempotency key published post \(post), \(isDeleted ? "which was deleted" : "with other parameters")",
      "Use another key for a new post")
  }

  /// A channel in which Baton publishes nothing while it is frozen.
  public static func channelFrozen(id channel: Int64) -> Self {
    Self("channel \(channel) is frozen", "Run batonctl channel edit \(channel) --no-freeze to publish there")
  }

  /// A post that has left for every relay.
  public static func notCancellable(id post: Int64) -> Self {
    Self("post \(post) may already be on every relay", "Delete it with batonctl post delete \(post)")
  }

  /// A feature that a network does not have.
  public static func notSupported(network: String, reason: String) -> Self {
    Self("not supported on \(network): \(reason)")
  }
}
