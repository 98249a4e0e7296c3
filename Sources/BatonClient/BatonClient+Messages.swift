public import ControlAPI
internal import StrictJSON
internal import Varlink

// Messages, conversations, people and members.
extension BatonClient {
  /// A page of messages, newest first.
  public func messages(_ request: MessagesListRequest = MessagesListRequest()) async throws -> MessagesListReply {
    try MessagesListReply(json: .object(try await call(MessagesMethod.list, try request.json.object ?? [:])))
  }

  public func message(_ request: MessagesGetRequest) async throws -> Message {
    try MessageReply(json: .object(try await call(MessagesMethod.get, try request.json.object ?? [:]))).message
  }

  /// Messages that contain the words of a search.
  public func search(_ request: MessagesSearchRequest) async throws -> MessagesSearchReply {
    try MessagesSearchReply(json: .object(try await call(MessagesMethod.search, try request.json.object ?? [:])))
  }

  /// Conversations, the one with the latest message first.
  public func inbox(_ request: MessagesInboxRequest = MessagesInboxRequest()) async throws -> MessagesInboxReply {
    try MessagesInboxReply(json: .object(try await call(MessagesMethod.inbox, try request.json.object ?? [:])))
  }

  /// Hides a message in Baton, or shows it again.
  public func hideMessage(_ request: MessagesSetHiddenRequest) async throws -> Message {
    let reply = try await call(MessagesMethod.setHidden, try request.json.object ?? [:])
    return try MessageReply(json: .object(reply)).message
  }

  /// A page of people who write in channels, the latest writer first.
  public func people(_ request: PeopleListRequest = PeopleListRequest()) async throws -> PeopleListReply {
    try PeopleListReply(json: .object(try await call(PeopleMethod.list, try request.json.object ?? [:])))
  }

  public func person(author: String) async throws -> Person {
    try PersonReply(json: .object(try await call(PeopleMethod.get, ["author": .string(author)]))).person
  }

  /// Hides all messages of a person in Baton, or shows them again.
  public func mutePerson(author: String, muted: Bool) async throws -> Person {
    let reply = try await call(PeopleMethod.setMuted, ["author": .string(author), "muted": .bool(muted)])
    return try PersonReply(json: .object(reply)).person
  }

  /// A page of a channel's members.
  public func members(_ request: MembersListRequest) async throws -> MembersListReply {
    try MembersListReply(json: .object(try await call(MembersMethod.list, try request.json.object ?? [:])))
  }

  /// Members as they change. Without `since` the first reply has only the current revision.
  public func watchMembers(
    _ request: MembersWatchRequest = MembersWatchRequest()
  ) async throws -> some AsyncSequence<MembersWatchReply, any Error> & Sendable {
    try await stream(MembersMethod.watch, try request.json.object ?? [:]).map { try MembersWatchReply(json: .object($0)) }
  }

  /// Lets someone into a channel. Returns once the change is stored.
  public func addMember(_ request: MembersAddRequest) async throws -> MembersAddReply {
    try MembersAddReply(json: .object(try await call(MembersMethod.add, try request.json.object ?? [:])))
  }

  /// Lets someone into a channel, and follows the change until it is settled.
  public func addMemberAndFollow(
    _ request: MembersAddRequest
  ) async throws -> some AsyncSequence<MembersAddReply, any Error> & Sendable {
    try await stream(MembersMethod.add, try request.json.object ?? [:]).map { try MembersAddReply(json: .object($0)) }
  }

  /// Gives a member another role. Returns once the change is stored.
  public func setRole(_ request: MembersSetRoleRequest) async throws -> MembersSetRoleReply {
    try MembersSetRoleReply(json: .object(try await call(MembersMethod.setRole, try request.json.object ?? [:])))
  }

  /// Gives a member another role, and follows the change until it is settled.
  public func setRoleAndFollow(
    _ request: MembersSetRoleRequest
  ) async throws -> some AsyncSequence<MembersSetRoleReply, any Error> & Sendable {
    try await stream(MembersMethod.setRole, try request.json.object ?? [:]).map { try MembersSetRoleReply(json: .object($0)) }
  }

  /// Removes a member from a channel. Returns once the change is stored.
  public func removeMember(_ request: MembersRemoveRequest) async throws -> MembersRemoveReply {
    try MembersRemoveReply(json: .object(try await call(MembersMethod.remove, try request.json.object ?? [:])))
  }

  /// Removes a member from a channel, and follows the change until it is settled.
  public func removeMemberAndFollow(
    _ request: MembersRemoveRequest
  ) async throws -> some AsyncSequence<MembersRemoveReply, any Error> & Sendable {
    try await stream(MembersMethod.remove, try request.json.object ?? [:]).map { try MembersRemoveReply(json: .object($0)) }
  }

  /// Pins a message in Baton, or unpins it.
  public func pinMessage(_ request: MessagesSetPinnedRequest) async throws -> Message {
    try MessageReply(json: .object(try await call(MessagesMethod.setPinned, try request.json.object ?? [:]))).message
  }

  /// Bans a member. Returns once the change is stored.
  public func ban(_ request: MembersBanRequest) async throws -> MembersBanReply {
    try MembersBanReply(json: .object(try await call(MembersMethod.ban, try request.json.object ?? [:])))
  }

  /// Bans a member, and follows the change until it is settled.
  public func banAndFollow(
    _ request: MembersBanRequest
  ) async throws -> some AsyncSequence<MembersBanReply, any Error> & Sendable {
    try await stream(MembersMethod.ban, try request.json.object ?? [:]).map { try MembersBanReply(json: .object($0)) }
  }

  /// Lifts a member's ban. Returns once the change is stored.
  public func unban(_ request: MembersUnbanRequest) async throws -> MembersUnbanReply {
    try MembersUnbanReply(json: .object(try await call(MembersMethod.unban, try request.json.object ?? [:])))
  }

  /// Lifts a member's ban, and follows the change until it is settled.
  public func unbanAndFollow(
    _ request: MembersUnbanRequest
  ) async throws -> some AsyncSequence<MembersUnbanReply, any Error> & Sendable {
    try await stream(MembersMethod.unban, try request.json.object ?? [:]).map { try MembersUnbanReply(json: .object($0)) }
  }

  /// Declines someone's request to join a channel.
  public func declineMember(_ request: MembersDeclineRequest) async throws -> Member {
    try MemberReply(json: .object(try await call(MembersMethod.decline, try request.json.object ?? [:]))).member
  }

  /// Marks messages of a channel as read.
  public func markRead(_ request: MessagesMarkReadRequest) async throws -> Conversation {
    let reply = try await call(MessagesMethod.markRead, try request.json.object ?? [:])
    return try ConversationReply(json: .object(reply)).conversation
  }

  /// Marks a message and all that arrived after it as unread.
  public func markUnread(_ request: MessagesMarkUnreadRequest) async throws -> Conversation {
    let reply = try await call(MessagesMethod.markUnread, try request.json.object ?? [:])
    return try ConversationReply(json: .object(reply)).conversation
  }

  /// Asks the relays of a channel for everything that they serve. Waits for the reply as long as the request allows and a little longer,
  /// even if `timeout` of this client is shorter.
  public func sync(_ request: MessagesSyncRequest) async throws -> MessagesSyncReply {
    let reply = try await call(
      MessagesMethod.sync, try request.json.object ?? [:], timeout: patience(withRelaysFor: request.timeout))
    return try MessagesSyncReply(json: .object(reply))
  }

  /// Makes the relays of a channel that offer search run one. `search` finds the results. Waits for the reply like `sync`.
  public func searchRelays(_ request: MessagesSearchRelaysRequest) async throws -> MessagesSearchRelaysReply {
    let reply = try await call(
      MessagesMethod.searchRelays, try request.json.object ?? [:], timeout: patience(withRelaysFor: request.timeout))
    return try MessagesSearchRelaysReply(json: .object(reply))
  }

  /// How long to wait for a reply for which the daemon asks relays.
  /// - Parameter seconds: how long the daemon waits for them.
  private func patience(withRelaysFor seconds: Int?) -> Duration? {
    let wait = Duration.seconds(min(max(seconds ?? Self.syncSeconds, 1), Self.syncSecondsMax)) + Self.syncMargin
    return timeout.map { max($0, wait) }
  }

  /// Messages and conversations as they change. Without `since` the first reply has only the current revision.
  public func watchMessages(
    _ request: MessagesWatchRequest = MessagesWatchRequest()
  ) async throws -> some AsyncSequence<MessagesWatchReply, any Error> & Sendable {
    try await stream(MessagesMethod.watch, try request.json.object ?? [:]).map { try MessagesWatchReply(json: .object($0)) }
  }

  /// How long the daemon waits for relays unless a request sets another time.
  private static let syncSeconds = 30
  /// The longest time that the daemon waits.
  private static let syncSecondsMax = 300
  /// The time to wait in addition to the daemon's.
  private static let syncMargin = Duration.seconds(15)
}
