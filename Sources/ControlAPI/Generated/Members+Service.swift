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
  /// Returns a page of the people in a channel.
  func list(_ request: MembersListRequest) async throws -> MembersListReply
  /// Sends members as they change, without authors. The first reply has only a revision, unless since is given.
  /// - Parameter stream: takes all replies but the last one.
  func watch(
    _ request: MembersWatchRequest, _ stream: ReplyStream<MembersWatchReply>
  ) async throws -> MembersWatchReply
  /// Adds a person to a channel, accepts a request to be let in, or replaces the roles of a member. Works for groups on Nostr that Baton runs,
  /// and is refused with NotSupported elsewhere. On SimpleX people join by a link: use SetRole to give them a role. The change is done when the
  /// relay's own lists show it. It replaces an earlier change of the same person that is not done yet. Returns once the change is stored. With
  /// 'more' a reply follows each step, until the change is settled.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func add(
    _ request: MembersAddRequest, _ stream: ReplyStream<MembersAddReply>?
  ) async throws -> MembersAddReply
  /// Replaces the roles of a member with one role or none. The roles on SimpleX are observer (a reader, as without a role), member, moderator,
  /// admin and owner, and the change is done when the chat core shows it. Otherwise as Add.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func setRole(
    _ request: MembersSetRoleRequest, _ stream: ReplyStream<MembersSetRoleReply>?
  ) async throws -> MembersSetRoleReply
  /// Removes a person from a channel, but not their messages. Otherwise as Add. In groups they can ask to be let in again.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func remove(
    _ request: MembersRemoveRequest, _ stream: ReplyStream<MembersRemoveReply>?
  ) async throws -> MembersRemoveReply
  /// Dismisses a request to be let in: lists leave it out. No one else is told, and a new request is listed again. To accept, use Add.
  func decline(_ request: MembersDeclineRequest) async throws -> MemberReply
  /// Hides a member's future messages from everyone. The person remains a member. SimpleX offers this. Refused with NotSupported on Nostr.
  /// Otherwise as Remove.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func ban(
    _ request: MembersBanRequest, _ stream: ReplyStream<MembersBanReply>?
  ) async throws -> MembersBanReply
  /// Lifts a ban: a member's messages are shown again. Otherwise as Ban.
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
