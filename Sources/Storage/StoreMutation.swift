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
}
