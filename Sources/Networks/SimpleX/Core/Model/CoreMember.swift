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
  /// Its role; `relay` for relays.
  public let role: CoreWord<Role>
  /// Its status; `connected` once its connection is established.
  public let status: CoreWord<Status>
  /// The name under which this core's database knows the member.
  public let localName: String
  /// What the member calls itself; `nil` if the core does not say, and cut if it is longer than `CoreSender.nameBytesMax`.
  public let name: String?
  /// Whether what the member writes is kept from everyone.
  public let isBlocked: Bool
  /// The state of its connection; `nil` if there is none.
  public let connection: CoreConnectionStatus?
  /// The link that a relay gave out for the channel; `nil` for other members.
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
