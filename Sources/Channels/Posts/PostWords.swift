/// The status of one delivery, the pairing of one post with one relay.
public enum DeliveryStatus: String, Sendable, CaseIterable {
  /// As far as known, the newest edition has not left. An attempt waits or is queued.
  case pending
  /// The newest edition may have left. Its answer is awaited, or the relay is read back because no one knows whether it has it.
  case sent
  /// The relay reported that it accepted the post. It is being read back.
  case accepted
  /// A reader found the newest edition, with its id, signature and author, or a comparison found the only one.
  case verified
  /// The attempts, or the time for them, were used up, or the relay refused. It is tried again slowly.
  case failed
  /// The relay will not get the post, for a reason that does not pass by itself.
  case skipped
  /// The relay is being asked to delete the post, or read back after that.
  case deleting
  /// A reader, or a comparison, did not find the post after the deletion.
  case deleted
  /// The relay accepted the deletion, but still serves the post. It is asked again slowly.
  case stillServed
  /// The deletion ended, and nothing shows that the post is gone.
  case unsupported

  /// Whether only a post with a requested deletion has this status.
  public var isAfterDeletion: Bool {
    switch self {
    case .deleting, .deleted, .stillServed, .unsupported: true
    case .pending, .sent, .accepted, .verified, .failed, .skipped: false
    }
  }
}

/// The state of a post as a whole. It is always derived from its deliveries, or before it has any from its schedule, and never stored.
public enum PostPhase: String, Sendable, CaseIterable {
  /// The post is published when someone releases it.
  case draft
  /// The post is published when its time comes.
  case scheduled
  /// The post was not published in its time, or its publication was cancelled.
  case expired
  /// Readers do not find the post anywhere, and a delivery is on its way.
  case pending
  /// Readers find the post at some relay, but not its newest edition at every relay that is not skipped.
  case partial
  /// Readers find the newest edition at every relay that is not skipped, and there is at least one.
  case published
  /// Readers do not find the post anywhere, and no delivery is on its way: at least one failed and is tried again slowly.
  case failed
  /// Every delivery is skipped.
  case skipped
  /// The post was deleted, and some relay has not confirmed that yet.
  case deleting
  /// The post was deleted, every relay was asked, and some relay still serves it, or does not show that it is gone.
  case stillServed
  /// The post was deleted, and no relay that had it serves it.
  case deleted
}
