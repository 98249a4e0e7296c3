/// A member of a group or channel (`GroupMember`; facts on SimpleX, §8.21). Relays are members too.
public struct CoreMember: Hashable, Sendable {
  public typealias ID = CoreID<CoreMember>

  public enum Role: String, Hashable, Sendable, CaseIterable {
    case relay, observer, author, member, moderator, admin, owner
  }

  public enum Status: String, Hashable, Sendable, CaseIterable {
    case rejected, removed, left, deleted, unknown, invited, introduced, accepted, announced, connected, complete, creator
    case pendingApproval = "pending_approval"
    case pendingReview = "pending_review"
    case introductionInvited = "intro-inv"
  }

  public let id: ID
  public let group: CoreGroup.ID
  /// The name that all members have for this one, in base64url.
  public let sharedID: String
  public let role: CoreWord<Role>
  public let status: CoreWord<Status>
  /// The name under which this core's database knows the member.
  public let localName: String
  /// nil: there is no connection.
  public let connection: CoreConnectionStatus?
  /// The link that a relay gave out for the channel; nil for others.
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
    connection = try reader.objectIfPresent("activeConn").map { connection throws(CoreShapeError) in
      try CoreConnectionStatus(of: connection)
    }
    relayLink = try reader.stringIfPresent("relayLink")
  }
}
