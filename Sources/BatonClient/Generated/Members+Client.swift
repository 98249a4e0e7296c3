// Written by `make generate` from org.batond.Members.varlink.

public import ControlAPI

extension BatonClient {
  /// The calls of `org.batond.Members`.
  public var members: MembersClient { MembersClient(client: self) }
}

/// Calls the methods of `org.batond.Members`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `MembersRefusal` turns into a case with fields.
public struct MembersClient: Sendable {
  let client: BatonClient

  /// Returns a page of the people in a channel.
  public func list(_ request: MembersListRequest) async throws -> MembersListReply {
    try await client.reply(to: MembersMethod.list, request)
  }

  /// Sends members as they change, without authors. The first reply has only a revision, unless since is given.
  public func watch(_ request: MembersWatchRequest) async throws -> some AsyncSequence<MembersWatchReply, any Error> & Sendable
  {
    try await client.replies(to: MembersMethod.watch, request, of: MembersWatchReply.self)
  }

  /// Sends members as they change, without authors. The first reply has only a revision, unless since is given.
  public func watch(channelIds: [Int64]? = nil, since: Int64? = nil) async throws -> some AsyncSequence<
    MembersWatchReply, any Error
  > & Sendable {
    try await watch(MembersWatchRequest(channelIds: channelIds, since: since))
  }

  /// Adds a person to a channel, accepts a request to be let in, or replaces the roles of a member. Works for groups on Nostr that Baton runs,
  /// and is refused with NotSupported elsewhere. On SimpleX people join by a link: use SetRole to give them a role. The change is done when the
  /// relay's own lists show it. It replaces an earlier change of the same person that is not done yet. Returns once the change is stored. With
  /// 'more' a reply follows each step, until the change is settled.
  public func add(_ request: MembersAddRequest) async throws -> MembersAddReply {
    try await client.reply(to: MembersMethod.add, request)
  }

  /// Adds a person to a channel, accepts a request to be let in, or replaces the roles of a member. Works for groups on Nostr that Baton runs,
  /// and is refused with NotSupported elsewhere. On SimpleX people join by a link: use SetRole to give them a role. The change is done when the
  /// relay's own lists show it. It replaces an earlier change of the same person that is not done yet. Returns once the change is stored. With
  /// 'more' a reply follows each step, until the change is settled.
  public func add(channelId: Int64, author: String, roles: [String]? = nil) async throws -> MembersAddReply {
    try await add(MembersAddRequest(channelId: channelId, author: author, roles: roles))
  }

  /// Adds a person to a channel, accepts a request to be let in, or replaces the roles of a member. Works for groups on Nostr that Baton runs,
  /// and is refused with NotSupported elsewhere. On SimpleX people join by a link: use SetRole to give them a role. The change is done when the
  /// relay's own lists show it. It replaces an earlier change of the same person that is not done yet. Returns once the change is stored. With
  /// 'more' a reply follows each step, until the change is settled.
  public func addAndFollow(_ request: MembersAddRequest) async throws -> some AsyncSequence<MembersAddReply, any Error>
    & Sendable
  {
    try await client.replies(to: MembersMethod.add, request, of: MembersAddReply.self)
  }

  /// Adds a person to a channel, accepts a request to be let in, or replaces the roles of a member. Works for groups on Nostr that Baton runs,
  /// and is refused with NotSupported elsewhere. On SimpleX people join by a link: use SetRole to give them a role. The change is done when the
  /// relay's own lists show it. It replaces an earlier change of the same person that is not done yet. Returns once the change is stored. With
  /// 'more' a reply follows each step, until the change is settled.
  public func addAndFollow(channelId: Int64, author: String, roles: [String]? = nil) async throws -> some AsyncSequence<
    MembersAddReply, any Error
  > & Sendable {
    try await addAndFollow(MembersAddRequest(channelId: channelId, author: author, roles: roles))
  }

  /// Replaces the roles of a member with one role or none. The roles on SimpleX are observer (a reader, as without a role), member, moderator,
  /// admin and owner, and the change is done when the chat core shows it. Otherwise as Add.
  public func setRole(_ request: MembersSetRoleRequest) async throws -> MembersSetRoleReply {
    try await client.reply(to: MembersMethod.setRole, request)
  }

  /// Replaces the roles of a member with one role or none. The roles on SimpleX are observer (a reader, as without a role), member, moderator,
  /// admin and owner, and the change is done when the chat core shows it. Otherwise as Add.
  public func setRole(channelId: Int64, author: String, role: String? = nil) async throws -> MembersSetRoleReply {
    try await setRole(MembersSetRoleRequest(channelId: channelId, author: author, role: role))
  }

  /// Replaces the roles of a member with one role or none. The roles on SimpleX are observer (a reader, as without a role), member, moderator,
  /// admin and owner, and the change is done when the chat core shows it. Otherwise as Add.
  public func setRoleAndFollow(_ request: MembersSetRoleRequest) async throws -> some AsyncSequence<
    MembersSetRoleReply, any Error
  > & Sendable {
    try await client.replies(to: MembersMethod.setRole, request, of: MembersSetRoleReply.self)
  }

  /// Replaces the roles of a member with one role or none. The roles on SimpleX are observer (a reader, as without a role), member, moderator,
  /// admin and owner, and the change is done when the chat core shows it. Otherwise as Add.
  public func setRoleAndFollow(channelId: Int64, author: String, role: String? = nil) async throws -> some AsyncSequence<
    MembersSetRoleReply, any Error
  > & Sendable {
    try await setRoleAndFollow(MembersSetRoleRequest(channelId: channelId, author: author, role: role))
  }

  /// Removes a person from a channel, but not their messages. Otherwise as Add. In groups they can ask to be let in again.
  public func remove(_ request: MembersRemoveRequest) async throws -> MembersRemoveReply {
    try await client.reply(to: MembersMethod.remove, request)
  }

  /// Removes a person from a channel, but not their messages. Otherwise as Add. In groups they can ask to be let in again.
  public func remove(channelId: Int64, author: String, reason: String? = nil) async throws -> MembersRemoveReply {
    try await remove(MembersRemoveRequest(channelId: channelId, author: author, reason: reason))
  }

  /// Removes a person from a channel, but not their messages. Otherwise as Add. In groups they can ask to be let in again.
  public func removeAndFollow(_ request: MembersRemoveRequest) async throws -> some AsyncSequence<MembersRemoveReply, any Error>
    & Sendable
  {
    try await client.replies(to: MembersMethod.remove, request, of: MembersRemoveReply.self)
  }

  /// Removes a person from a channel, but not their messages. Otherwise as Add. In groups they can ask to be let in again.
  public func removeAndFollow(channelId: Int64, author: String, reason: String? = nil) async throws -> some AsyncSequence<
    MembersRemoveReply, any Error
  > & Sendable {
    try await removeAndFollow(MembersRemoveRequest(channelId: channelId, author: author, reason: reason))
  }

  /// Dismisses a request to be let in: lists leave it out. No one else is told, and a new request is listed again. To accept, use Add.
  public func decline(_ request: MembersDeclineRequest) async throws -> Member {
    let reply: MemberReply = try await client.reply(to: MembersMethod.decline, request)
    return reply.member
  }

  /// Dismisses a request to be let in: lists leave it out. No one else is told, and a new request is listed again. To accept, use Add.
  public func decline(channelId: Int64, author: String) async throws -> Member {
    try await decline(MembersDeclineRequest(channelId: channelId, author: author))
  }

  /// Hides a member's future messages from everyone. The person remains a member. SimpleX offers this. Refused with NotSupported on Nostr.
  /// Otherwise as Remove.
  public func ban(_ request: MembersBanRequest) async throws -> MembersBanReply {
    try await client.reply(to: MembersMethod.ban, request)
  }

  /// Hides a member's future messages from everyone. The person remains a member. SimpleX offers this. Refused with NotSupported on Nostr.
  /// Otherwise as Remove.
  public func ban(channelId: Int64, author: String) async throws -> MembersBanReply {
    try await ban(MembersBanRequest(channelId: channelId, author: author))
  }

  /// Hides a member's future messages from everyone. The person remains a member. SimpleX offers this. Refused with NotSupported on Nostr.
  /// Otherwise as Remove.
  public func banAndFollow(_ request: MembersBanRequest) async throws -> some AsyncSequence<MembersBanReply, any Error>
    & Sendable
  {
    try await client.replies(to: MembersMethod.ban, request, of: MembersBanReply.self)
  }

  /// Hides a member's future messages from everyone. The person remains a member. SimpleX offers this. Refused with NotSupported on Nostr.
  /// Otherwise as Remove.
  public func banAndFollow(channelId: Int64, author: String) async throws -> some AsyncSequence<MembersBanReply, any Error>
    & Sendable
  {
    try await banAndFollow(MembersBanRequest(channelId: channelId, author: author))
  }

  /// Lifts a ban: a member's messages are shown again. Otherwise as Ban.
  public func unban(_ request: MembersUnbanRequest) async throws -> MembersUnbanReply {
    try await client.reply(to: MembersMethod.unban, request)
  }

  /// Lifts a ban: a member's messages are shown again. Otherwise as Ban.
  public func unban(channelId: Int64, author: String) async throws -> MembersUnbanReply {
    try await unban(MembersUnbanRequest(channelId: channelId, author: author))
  }

  /// Lifts a ban: a member's messages are shown again. Otherwise as Ban.
  public func unbanAndFollow(_ request: MembersUnbanRequest) async throws -> some AsyncSequence<MembersUnbanReply, any Error>
    & Sendable
  {
    try await client.replies(to: MembersMethod.unban, request, of: MembersUnbanReply.self)
  }

  /// Lifts a ban: a member's messages are shown again. Otherwise as Ban.
  public func unbanAndFollow(channelId: Int64, author: String) async throws -> some AsyncSequence<MembersUnbanReply, any Error>
    & Sendable
  {
    try await unbanAndFollow(MembersUnbanRequest(channelId: channelId, author: author))
  }
}
