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
  /// Lets somebody into a channel, also somebody who asks for it, or gives a member these roles instead of those they have. Only whoever runs a
  /// group on Nostr can do that; elsewhere it is refused with NotSupported. It is done when the relay's own lists show it. An earlier change of the
  /// same person that is not done yet is given up. Returns once it is stored; with 'more' a reply follows each change, until it is settled.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func add(
    _ request: MembersAddRequest, _ stream: ReplyStream<MembersAddReply>?
  ) async throws -> MembersAddReply
  /// Gives a member of a channel one role instead of those they have, or none. Otherwise as Add.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func setRole(
    _ request: MembersSetRoleRequest, _ stream: ReplyStream<MembersSetRoleReply>?
  ) async throws -> MembersSetRoleReply
  /// Takes somebody out of a channel; their messages stay. Otherwise as Add. In groups they can ask to be let in again.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func remove(
    _ request: MembersRemoveRequest, _ stream: ReplyStream<MembersRemoveReply>?
  ) async throws -> MembersRemoveReply
  /// Leaves somebody's request to be let in out of lists. Nobody else learns of it, and who asks again is listed again. To let them in, add them.
  func decline(_ request: MembersDeclineRequest) async throws -> MemberReply
  /// Keeps somebody out of a channel for good. No network that Baton serves has that for channels yet: it is refused with NotSupported, and says
  /// what to do instead.
  func ban(_ request: MembersBanRequest) async throws
  /// Takes a ban back; refused as Ban is.
  func unban(_ request: MembersUnbanRequest) async throws
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
    case .ban:
      try await ban(call.request())
      return NoReply()
    case .unban:
      try await unban(call.request())
      return NoReply()
    }
  }
}
