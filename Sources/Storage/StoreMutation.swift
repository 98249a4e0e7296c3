public import Channels

/// One write. A list of them becomes durable together or not at all.
public enum StoreMutation: Hashable, Sendable {
  case insertChannel(ChannelRow)
  /// Stores the fields of a channel that change often: revision, times, number of relays. The rest of the row must equal the stored row.
  case touchChannel(ChannelRow)
  /// Stores every field of a channel that may have changed since its creation.
  case rewriteChannel(ChannelRow)
  case saveChannelRelay(ChannelID, position: Int, ChannelRelayRow)
  case appendTransition(TransitionRow)
  /// Records a change. Not used for `channelRelay`, whose change is the transition itself.
  case appendChange(ChangeRow)
  case saveOperator(OperatorRow)
  case saveServer(ServerRow)
  case saveRelay(RelayRow)
  /// Stores one measured connection. Only the latest hundred of each peer are kept.
  case recordRoundTrip(Probed, at: Timestamp, milliseconds: Int64)
  /// Stores a line of the history of a relay's or server's health. Only the latest `HealthRow.keptMax` of each are kept.
  case appendHealth(HealthRow)
  case insertIdentity(IdentityRow)
  /// Erases the key and keeps the row, for the channels that were deleted.
  case removeIdentity(IdentityID)
  /// Records a sign of life, with the time. It also shows whether writing works.
  /// - commit: distinguishes commits, so that one can ask later whether this one is durable (`SignOfLife`).
  case probe(Timestamp, commit: UInt64 = 0)

  // MARK: - Posts

  case insertPost(PostRow)
  /// Stores the fields of a post that may change: edition, its replacement and the post that it replaces, deletion, number of deliveries,
  /// revision. With a schedule, also the schedule, and the document and the time that the post gets once it is published.
  case updatePost(PostRow)
  /// Stores everything of a post that may change: the fields of `updatePost`, its text and its document.
  case rewritePost(PostRow)
  /// Stores a delivery, new or not.
  case saveDelivery(PostID, DeliveryRow)
  case appendPostTransition(PostTransitionRow)
  case savePostRoute(PostRouteRow)
  /// Stores the retention of a channel's posts, new or not.
  case savePostRetention(PostRetention)

  // MARK: - Messages

  /// Stores a decision, in place of an earlier one about the same. It gets a new revision, and its own is ignored.
  case decide(PersonalDecision)

  // MARK: - Upkeep

  /// Records that a channel cannot be read. Its rows are kept for a person to inspect, and so is the first such record.
  case quarantine(ChannelID, reason: String, at: Timestamp)
  /// Resets times that were written while the clock was ahead: nothing may wait for them. `latestVerifyDue` is the last time at
  /// which an active relay can rightly be due to be read back.
  case clampTimes(now: Timestamp, latestVerifyDue: Timestamp)
  /// Forgets transitions made before a time, and the oldest ones in excess of `rowsMax`. Their space is used again. At most `limit` are
  /// forgotten by one write. Changes from before the last of them are forgotten too.
  case forgetHistory(before: Timestamp, rowsMax: Int, limit: Int)
  /// Forgets which objects changed at or before a revision, and keeps the history of channels.
  case compactChanges(through: Int64)
  /// Forgets transitions of posts made before a time, and the oldest ones in excess of `rowsMax`. At most `limit` are forgotten by one
  /// write.
  case forgetPostHistory(before: Timestamp, rowsMax: Int, limit: Int)

  /// Whether it only tidies up: it changes nothing that clients see as a change, can be repeated, and need not be committed with others.
  public var isUpkeep: Bool {
    switch self {
    case .quarantine, .clampTimes, .forgetHistory, .compactChanges, .forgetPostHistory: true
    case .insertChannel, .touchChannel, .rewriteChannel, .saveChannelRelay, .appendTransition, .appendChange, .saveOperator,
      .saveServer, .saveRelay, .recordRoundTrip, .appendHealth, .insertIdentity, .removeIdentity, .probe, .insertPost,
      .updatePost,
      .rewritePost,
      .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention, .decide:
      false
    }
  }
}
