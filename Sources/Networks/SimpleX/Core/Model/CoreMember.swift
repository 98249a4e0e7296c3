internal import Channels
internal import StrictJSON

/// A member of a group or channel (`GroupMember`, docs/design/simplex.md#relays-of-a-channel). Relays are members too.
public struct CoreMember: Hashable, Sendable {
  public typealias ID = CoreID<CoreMember>

  /// The role of a member (`GroupMemberRole`).
  public enum Role: String, Hashable, Sendable, CaseIterable {
    case relay, observer, author, member, moderator, admin, owner
  }

  /// The status of a member (`GroupMemberStatus`).
  public enum Status: String, Hashable, Sendable, CaseIterable {
    case rejected, removed, left, deleted, unknown, invited, introduced, accepted, announced, connected, complete, creator
    case pendingApproval = "pending_approval"
    case pendingReview = "pending_review"
    case introductionInvited = "intro-inv"
  }

  /// The number in the core's database.
  public let id: ID
  /// The group of which it is a member.
  public let group: CoreGroup.ID
  /// The name that all members have for this one, in base64url.
  public let sharedID: String
  /// Its role, which is `relay` for relays.
  public let role: CoreWord<Role>
  /// Its status, which is `connected` once its connection is established.
  public let status: CoreWord<Status>
  /// The name of the member in this core's database.
  public let localName: String
  /// The member's own name, cut if it is longer than `CoreSender.nameBytesMax`. `nil` if the core gives none.
  public let name: String?
  /// Whether the member is blocked for everyone.
  public let isBlocked: Bool
  /// The state of its connection, or `nil`.
  public let connection: CoreConnectionStatus?
  /// The link that a relay gave out for the channel, or `nil` for other members.
  public let relayLink: String?
}

extension CoreMember: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    id = try reader.id("groupMemberId")
    group = try reader.id("groupId")
    sharedID = try reader.string("memberId")
    role = try reader.word("memberRole")
    status = try reader.word("memberStatus")
    localName = try reader.string("localDisplayName")
    let shown = reader.value("memberProfile")?["displayName"]?.string
    name = shown.flatMap { $0.isEmpty ? nil : $0.cut(toBytes: CoreSender.nameBytesMax) }
    isBlocked = try reader.boolIfPresent("blockedByAdmin") ?? false
    connection = try reader.objectIfPresent("activeConn").map { connection throws(CoreShapeError) in
      try CoreConnectionStatus(of: connection)
    }
    relayLink = try reader.stringIfPresent("relayLink")
  }
}
