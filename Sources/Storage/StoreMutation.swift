public import Channels

/// One write. A list of them becomes durable together or not at all.
public enum StoreMutation: Hashable, Sendable {
  case insertChannel(ChannelRow)
  /// Stores what changes often of a channel: revision, times, number of relays. The rest of the row must be as it is stored.
  case touchChannel(ChannelRow)
  /// Stores all that may have changed of a channel since its creation.
  case reviseChannel(ChannelRow)
  case saveChannelRelay(ChannelID, position: Int, ChannelRelayRow)
  case appendTransition(TransitionRow)
  /// Not for `channelRelay`: their change is the transition itself.
  case appendChange(ChangeRow)
  case saveOperator(OperatorRow)
  case saveServer(ServerRow)
  case saveRelay(RelayRow)
  /// One measured connection; only the latest hundred of each peer are kept.
  case recordRoundTrip(Probed, at: Timestamp, milliseconds: Int64)
  case insertIdentity(IdentityRow)
  /// Erases the key; the row stays for the channels that were deleted.
  case removeIdentity(IdentityID)
  /// A sign of life, with the time. It also shows whether writing works.
  case probe(Timestamp)

  // MARK: - Upkeep

  /// Notes that a channel cannot be read. Its rows stay for a person to look at; what was noted first stays too.
  case quarantine(ChannelID, reason: String, at: Timestamp)
  /// Takes back times that a clock which was ahead has left behind: nothing may wait for them. `latestCheck` is the last time for which a
  /// check can rightly be due.
  case clampTimes(now: Timestamp, latestCheck: Timestamp)
  /// Forgets transitions that were made before a time, and the oldest of those that are more than `rowsMax`; their space is used again. Not
  /// more than `limit` go at once. Changes from before the last of them go along.
  case forgetHistory(before: Timestamp, rowsMax: Int, limit: Int)
  /// Forgets which objects changed at or before a revision; the history of channels stays.
  case compactChanges(through: Int64)

  /// Whether it only tidies up: it changes nothing that clients see as a change, may be done again, and need not go with anything else.
  public var isUpkeep: Bool {
    switch self {
    case .quarantine, .clampTimes, .forgetHistory, .compactChanges: true
    case .insertChannel, .touchChannel, .reviseChannel, .saveChannelRelay, .appendTransition, .appendChange, .saveOperator,
      .saveServer, .saveRelay, .recordRoundTrip, .insertIdentity, .removeIdentity, .probe:
      false
    }
  }
}
