/// The progress of a relay with a channel (`RelayStatus`, docs/design/simplex.md#relays-of-a-channel). No word stands for a failure.
public enum CoreRelayStatus: String, Hashable, Sendable, CaseIterable {
  case new, invited, accepted, acknowledgedRoster, active, inactive, rejected
}

/// A relay of a channel (`GroupRelay`, docs/design/simplex.md#relays-of-a-channel).
public struct CoreGroupRelay: Hashable, Sendable {
  public typealias ID = CoreID<CoreGroupRelay>

  /// The number of the row that joins channel and relay.
  public let id: ID
  /// The relay as a member of the channel. Removing that member removes the relay.
  public let member: CoreMember.ID
  /// The relay in the list of the user.
  public let relay: CoreRelay
  /// Its progress according to the core.
  public let status: CoreWord<CoreRelayStatus>
  /// The link that the relay gave out for the channel, once it accepted.
  public let link: String?
  /// The place on the web where the relay shows its channels, if it does.
  public let webDomain: String?
}

extension CoreGroupRelay: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    id = try reader.id("groupRelayId")
    member = try reader.id("groupMemberId")
    relay = try reader.read("userChatRelay")
    status = try reader.word("relayStatus")
    link = try reader.stringIfPresent("relayLink")
    webDomain = try reader.objectIfPresent("relayCap")?.stringIfPresent("webDomain")
  }
}
