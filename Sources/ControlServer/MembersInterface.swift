internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Logging
internal import RelayNetwork
internal import Storage
internal import StrictJSON
internal import Varlink

/// `org.batond.Members`.
struct MembersInterface: MembersService, ControlService {
  static let limitDefault = 30
  static let limitMax = 100
  static let watchedMax = 1_000
  /// The longest text that is looked for, in UTF-8 bytes.
  static let textBytesMax = 1_000

  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  func notesCallers(of method: MembersMethod) -> Bool { [.add, .setRole, .remove, .ban, .unban].contains(method) }

  // MARK: - Reading

  func list(_ request: MembersListRequest) async throws -> MembersListReply {
    var question = try MemberQuestion(request)
    let messages = try await following(question.channel)
    // A name in another form means exactly that person.
    if let text = question.text, let author = coordinator.author(from: text) { question.text = author }
    guard let page = try await messages.members(question) else { throw VarlinkError.invalidParameter("cursor") }
    return MembersListReply(
      members: page.members.map(Member.init), nextCursor: page.hasMore ? page.members.last?.author : nil, listed: page.isListed,
      count: page.count, readAt: page.readAt?.text, revision: page.revision)
  }

  func watch(_ request: MembersWatchRequest, _ stream: ReplyStream<MembersWatchReply>) async throws -> MembersWatchReply {
    if let channels = request.channelIds, channels.count > Self.watchedMax { throw VarlinkError.invalidParameter("channelIds") }
    // The hub may not have heard yet of changes that were stored before the daemon started.
    let newest = try await context.messages?.messageCounters().revision ?? 0
    if let since = request.since {
      guard since >= 0, since <= newest else { throw VarlinkError.invalidParameter("since") }
    } else {
      try await stream.send(MembersWatchReply(revision: newest))
    }
    var watcher = MemberWatcher(request, after: request.since ?? newest, stream, context)
    return try await watcher.run()
  }

  // MARK: - Changes

  func add(_ request: MembersAddRequest, _ stream: ReplyStream<MembersAddReply>?) async throws -> MembersAddReply {
    let change = MembershipChange(person: name(request.author), .member, roles: request.roles ?? [], letsIn: true)
    return try await make(change, in: request.channelId, by: .add, stream) { MembersAddReply(change: $0, isNew: $1) }
  }

  func setRole(
    _ request: MembersSetRoleRequest, _ stream: ReplyStream<MembersSetRoleReply>?
  ) async throws -> MembersSetRoleReply {
    let (channel, person) = (ChannelID(rawValue: request.channelId), name(request.author))
    let change = MembershipChange(person: person, .member, roles: request.role.map { [$0] } ?? [])
    // Where no one belongs to channels, that is the better answer.
    try await coordinator.checkMembership(in: channel, change)
    // On SimpleX the list may leave people out, and the core itself reports whether someone is a member.
    let isListed = try await known(channel).found[channel]?.row.network != .simplex
    if isListed {
      guard try await following(channel).member(person, in: channel)?.standing == .member else {
        throw MembersRefusal.noSuchMember(channelId: channel.rawValue, author: request.author)
      }
    }
    return try await make(change, in: request.channelId, by: .setRole, stream) { MembersSetRoleReply(change: $0, isNew: $1) }
  }

  func remove(
    _ request: MembersRemoveRequest, _ stream: ReplyStream<MembersRemoveReply>?
  ) async throws -> MembersRemoveReply {
    let reason = request.withPlainTexts.reason ?? ""
    let change = MembershipChange(person: name(request.author), .removed, reason: reason)
    return try await make(change, in: request.channelId, by: .remove, stream) { MembersRemoveReply(change: $0, isNew: $1) }
  }

  func decline(_ request: MembersDeclineRequest) async throws -> MemberReply {
    let (channel, author) = (ChannelID(rawValue: request.channelId), name(request.author))
    let messages = try await following(channel)
    guard try await coordinator.declineMember(author, in: channel), let member = try await messages.member(author, in: channel)
    else { throw MembersRefusal.noSuchMember(channelId: channel.rawValue, author: request.author) }
    return MemberReply(member: Member(member))
  }

  func ban(_ request: MembersBanRequest, _ stream: ReplyStream<MembersBanReply>?) async throws -> MembersBanReply {
    let change = MembershipChange(person: name(request.author), .banned)
    return try await make(change, in: request.channelId, by: .ban, stream) { MembersBanReply(change: $0, isNew: $1) }
  }

  func unban(_ request: MembersUnbanRequest, _ stream: ReplyStream<MembersUnbanReply>?) async throws -> MembersUnbanReply {
    let change = MembershipChange(person: name(request.author), .unbanned)
    return try await make(change, in: request.channelId, by: .unban, stream) { MembersUnbanReply(change: $0, isNew: $1) }
  }

  // MARK: - Helpers

  private func make<Reply>(
    _ change: MembershipChange, in channel: Int64, by method: MembersMethod, _ stream: ReplyStream<Reply>?,
    _ reply: (MemberChange, Bool) -> Reply
  ) async throws -> Reply {
    let (first, isNew) = try await coordinator.changeMembership(in: ChannelID(rawValue: channel), change)
    if isNew {
      let id = first.row.id.rawValue
      context.logger.event(
        .postPublished, .notice, "\(method.rawValue) as post \(id) by \(Caller.words)",
        ["BATON_POST": "\(id)", "BATON_CHANNEL": "\(channel)"])
    }
    var latest = first
    let last = try await PostsInterface(context: context).follow(first, stream) { (snapshot: PostSnapshot) in
      latest = snapshot
      return reply(MemberChange(snapshot), isNew)
    }
    if stream != nil, latest.phase == .published, latest.network == .nostr {
      // An unreadable list changes nothing about the outcome.
      do { try await waitForList(change, in: ChannelID(rawValue: channel)) } catch { try Task.checkCancellation() }
    }
    return last
  }

  /// How long the reply to a completed change waits for the stored list.
  private static let listPatience = Duration.seconds(5)

  /// Waits until the list here shows a change as the relay's list does, because the caller looks at it next.
  private func waitForList(_ change: MembershipChange, in channel: ChannelID) async throws {
    guard let messages = context.messages else { return }
    let (hub, question) = (context.coordinator.messageHub, MemberQuestion(channel: channel, limit: 1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while true {
          let known = hub.revision
          guard try await messages.members(question)?.isListed == true else { return }
          let member = try await messages.member(change.person, in: channel)
          let isMember = member?.standing == .member
          let isShown = change.wish == .member ? isMember && Set(member?.roles ?? []) == Set(change.roles) : !isMember
          guard !isShown, await hub.wait(after: known) else { return }
          try Task.checkCancellation()
        }
      }
      group.addTask { try await Task.sleep(for: Self.listPatience) }
      try await group.next()
      group.cancelAll()
    }
  }

  /// The network's name of a person, from a user's text.
  private func name(_ text: String) -> String { coordinator.author(from: text) ?? text }

  /// The storage in which the members of a channel are read.
  /// - Throws: a refusal if there is no such channel, or its messages are not read.
  private func following(_ channel: ChannelID) async throws -> any MessageReading {
    _ = try await known(channel)
    guard let messages = context.messages else { throw MembersRefusal.notFollowed(id: channel.rawValue) }
    return messages
  }

  private func known(_ channel: ChannelID) async throws -> StoredChannels {
    let found = try await context.store.channels([channel])
    guard !found.isUnknown(channel) else { throw MembersRefusal.noSuchChannel(id: channel.rawValue, name: nil) }
    return found
  }
}

/// One call of `org.batond.Members.Watch`: sends its client the members that change. It keeps the batch that is being written and otherwise
/// only its place among the revisions of messages, as `MessageWatcher` does.
struct MemberWatcher {
  /// The number of members in one read.
  private static let changesMax = 64

  private let channels: Set<ChannelID>?
  private let stream: ReplyStream<MembersWatchReply>
  private let context: ControlContext
  /// The revision up to which everything the client wants was sent.
  private var last: Int64

  init(
    _ request: MembersWatchRequest, after revision: Int64, _ stream: ReplyStream<MembersWatchReply>, _ context: ControlContext
  ) {
    channels = request.channelIds.map { Set($0.map { ChannelID(rawValue: Int64($0)) }) }
    self.stream = stream
    self.context = context
    last = revision
  }

  /// Sends changes until no more come.
  /// - Returns: the last reply.
  /// - Throws: the errors of reading the store.
  mutating func run() async throws -> MembersWatchReply {
    let hub = context.coordinator.messageHub
    while true {
      // This comes first, so that the next read includes every change up to it.
      let known = hub.revision
      try await sendChanges()
      guard await hub.wait(after: max(last, known)) else { break }
      try Task.checkCancellation()
    }
    try Task.checkCancellation()
    return MembersWatchReply(revision: last)
  }

  private mutating func sendChanges() async throws {
    guard let messages = context.messages else { return }
    while true {
      let page = try await messages.changedMembers(after: last, channels: channels, limit: Self.changesMax)
      guard page.through > last else { return }
      var batch = ReplyBatch()
      var done = last
      for member in page.members {
        done = member.revision
        let reply = MembersWatchReply(revision: done, member: Member(member))
        try await batch.append(parameters: reply.jsonBytes, to: stream)
      }
      // A client that resumes from here does not read unwanted members again.
      if page.through > done {
        try await batch.append(parameters: MembersWatchReply(revision: page.through).jsonBytes, to: stream)
      }
      try await batch.send(to: stream)
      last = page.through
    }
  }
}

extension Member {
  fileprivate init(_ member: StoredMember) {
    self.init(
      channelId: member.channel.rawValue, author: member.author, standing: member.standing.rawValue, roles: member.roles,
      own: member.isOwn, banned: member.isBanned, name: member.name, muted: member.mutedAt != nil,
      askedAt: member.askedAt?.textOfAnybody,
      askedText: member.askedText, lastMessageAt: member.lastAt?.textOfAnybody, lastMessageId: member.last?.rawValue,
      revision: member.revision)
  }
}

extension MemberChange {
  fileprivate init(_ post: PostSnapshot) {
    let person = post.row.about?.author ?? ""
    let change = MembershipChange(text: post.row.text, person: person)
    let troubles = post.relays.filter { !$0.hasDeparted }.map { $0.networkTrouble ?? $0.record.trouble }
    var trouble = troubles.lazy.compactMap { $0 }.first
    if trouble?.cause == .missing, post.network == .nostr {
      trouble = Trouble(.missing, "the relay's lists of members do not show the change")
    }
    self.init(
      postId: post.row.id.rawValue, channelId: post.row.channel.rawValue, author: person,
      wish: (change?.wish ?? .member).rawValue, roles: change?.roles ?? [], phase: post.phase.rawValue,
      settled: post.hasSettled, summary: post.summary, cause: trouble?.cause.rawValue, detail: trouble?.detail)
  }
}

extension MemberQuestion {
  /// - Throws: `InvalidParameter`.
  fileprivate init(_ request: MembersListRequest) throws(VarlinkError) {
    let limit = request.limit ?? MembersInterface.limitDefault
    guard (1...MembersInterface.limitMax).contains(limit) else { throw .invalidParameter("limit") }
    if let text = request.text, !(1...MembersInterface.textBytesMax).contains(text.utf8.count) {
      throw .invalidParameter("text")
    }
    if let role = request.role, !(1...MembershipChange.roleBytesMax).contains(role.utf8.count) {
      throw .invalidParameter("role")
    }
    let order: Order
    switch request.order {
    case nil, "role": order = .role
    case "name": order = .name
    case "lastMessage": order = .lastMessage
    default: throw .invalidParameter("order")
    }
    let standing = request.standing.map(StoredMember.Standing.init(rawValue:))
    if case .some(.none) = standing { throw .invalidParameter("standing") }
    self.init(
      channel: ChannelID(rawValue: request.channelId), standing: standing ?? nil, role: request.role, text: request.text,
      order: order, after: request.cursor, limit: limit)
  }
}
