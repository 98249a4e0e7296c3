/// A group or channel of the core (`GroupInfo`, docs/design/simplex.md#channels-in-a-core). Its private keys are removed before this.
public struct CoreGroup: Hashable, Sendable {
  public typealias ID = CoreID<CoreGroup>

  /// The number in the core's database. It may name another group once this one is gone.
  public let id: ID
  /// Whether relays serve it, as they do channels.
  public let usesRelays: Bool
  /// The name of the group in this core's database.
  public let localName: String
  /// The complete profile, ready to be changed and sent back.
  public let profile: CoreGroupProfile
  /// The core's own user as a member.
  public let membership: CoreMember
  /// The state of the core's own user as a relay of the group, or `nil` if it is not a relay.
  public let ownRelayStatus: CoreWord<CoreRelayStatus>?
  /// Whether joining was begun, for a channel that was prepared to be joined. `nil` for any other group.
  public let isJoinStarted: Bool?
  /// When the core created it, as the core writes it (ISO 8601).
  public let createdAt: String
  /// The number of members in the core, including the relays.
  public let memberCount: Int64
  /// The number of members that the relays counted, or `nil` if they did not report one.
  public let publicMemberCount: Int64?
}

extension CoreGroup: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    id = try reader.id("groupId")
    usesRelays = try reader.boolIfPresent("useRelays") ?? false
    localName = try reader.string("localDisplayName")
    profile = try reader.read("groupProfile")
    membership = try reader.read("membership")
    ownRelayStatus = try reader.stringIfPresent("relayOwnStatus").map(CoreWord.init)
    isJoinStarted = try reader.objectIfPresent("preparedGroup")?.boolIfPresent("connLinkStartedConnection")
    createdAt = try reader.string("createdAt")
    let summary = try reader.objectIfPresent("groupSummary")
    memberCount = try summary?.integerIfPresent("currentMembers") ?? 0
    publicMemberCount = try summary?.integerIfPresent("publicMemberCount")
  }
}
