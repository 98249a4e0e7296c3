// Written by `make generate` from org.batond.Members.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Members`.
public enum MembersMethod: String, InterfaceMethod {
  case list = "org.batond.Members.List"
  case watch = "org.batond.Members.Watch"
  case add = "org.batond.Members.Add"
  case setRole = "org.batond.Members.SetRole"
  case remove = "org.batond.Members.Remove"
  case decline = "org.batond.Members.Decline"
  case ban = "org.batond.Members.Ban"
  case unban = "org.batond.Members.Unban"
}

/// What a server of `org.batond.Members` does.
public protocol MembersService: InterfaceService where Method == MembersMethod, Refusal == MembersRefusal {
  /// A page of those who belong to a channel.
  func list(_ request: MembersListRequest) async throws -> MembersListReply
  /// Sends members as they change. The first reply has a revision only, unless since is given. Authors are not among them.
  /// - Parameter stream: takes all replies but the last one.
  func watch(
    _ request: MembersWatchRequest, _ stream: ReplyStream<MembersWatchReply>
  ) async throws -> MembersWatchReply
  /// Lets someone into a channel, also someone who asks for it, or gives a member these roles instead of those they have. Only whoever runs a
  /// group on Nostr can do that; elsewhere it is refused with NotSupported. On SimpleX people join by a link; to give them a role use SetRole. It
  /// is done when the relay's own lists show it. An earlier change of the same person that is not done yet is given up. Returns once it is stored;
  /// with 'more' a reply follows each change, until it is settled.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func add(
    _ request: MembersAddRequest, _ stream: ReplyStream<MembersAddReply>?
  ) async throws -> MembersAddReply
  /// Gives a member of a channel one role instead of those they have, or none. On SimpleX the roles are observer, which is that of readers and none
  /// at all, member, moderator, admin and owner, and it is done when the chat core shows it. Otherwise as Add.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func setRole(
    _ request: MembersSetRoleRequest, _ stream: ReplyStream<MembersSetRoleReply>?
  ) async throws -> MembersSetRoleReply
  /// Takes someone out of a channel; their messages stay. Otherwise as Add. In groups they can ask to be let in again.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func remove(
    _ request: MembersRemoveRequest, _ stream: ReplyStream<MembersRemoveReply>?
  ) async throws -> MembersRemoveReply
  /// Leaves someone's request to be let in out of lists. No one else learns of it, and who asks again is listed again. To let them in, add them.
  func decline(_ request: MembersDeclineRequest) async throws -> MemberReply
  /// Hides a member's future messages from everyone. The person remains a member. SimpleX offers this. On Nostr it is refused with NotSupported.
  /// Otherwise as Remove.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func ban(
    _ request: MembersBanRequest, _ stream: ReplyStream<MembersBanReply>?
  ) async throws -> MembersBanReply
  /// Shows what a member writes again. Otherwise as Ban.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func unban(
    _ request: MembersUnbanRequest, _ stream: ReplyStream<MembersUnbanReply>?
  ) async throws -> MembersUnbanReply
}

extension MembersService {
  public func answer(
    _ method: MembersMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .list: return try await list(call.request())
    case .watch: return try await watch(call.request(), ReplyStream(stream))
    case .add: return try await add(call.request(), call.replies(to: stream))
    case .setRole: return try await setRole(call.request(), call.replies(to: stream))
    case .remove: return try await remove(call.request(), call.replies(to: stream))
    case .decline: return try await decline(call.request())
    case .ban: return try await ban(call.request(), call.replies(to: stream))
    case .unban: return try await unban(call.request(), call.replies(to: stream))
    }
  }
}
