public import Channels
public import Storage
internal import Synchronization

/// Storage for messages in memory, as simple as possible and without limits. It outlives the coordinators that use it, and can be told to
/// fail, or to wait.
public final class FakeMessages: MessageStorage {
  /// A write that was asked for and done.
  public enum Write: Hashable, Sendable {
    case begin(ChannelID)
    case take(Int)
    case mirror(Int)
    case note(Int)
    case markRead(ChannelID)
    case markUnread(MessageID)
    case end(Set<ChannelID>)
    case mark(ChannelID)
    case hide(ChannelID)
    case hideMessage(MessageID)
    case mute(String)
  }

  private struct State {
    var isBroken = false
    var isHolding = false
    var isFull = false
    var held: [CheckedContinuation<Void, Never>] = []
    var attempts = 0
    var writes: [Write] = []
    var counters = MessageCounters()
    var conversations: [ChannelID: ConversationRow] = [:]
    var messages: [MessageRow] = []
    var relays: [MessageID: Set<RelayID>] = [:]
    var reactions: [PostID: MirroredPost] = [:]
    var syncs: [ChannelID: [RelayID: MessageSyncRow]] = [:]
    var lastDecision: PersonalDecision?

    mutating func nextRevision() -> Int64 {
      counters.revision += 1
      return counters.revision
    }

    mutating func nextID() -> MessageID {
      counters.message += 1
      return MessageID(rawValue: counters.message)
    }
  }
  private let state = Mutex(State())

  public init() {}

  /// Whether nothing can be read or written.
  public var isBroken: Bool {
    get { state.withLock { $0.isBroken } }
    set { state.withLock { $0.isBroken = newValue } }
  }
  /// Whether nothing that is read may be stored, because of a limit.
  public var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }
  /// How often something was to be written, with or without success.
  public var attempts: Int { state.withLock { $0.attempts } }
  /// What was written, in this order.
  public var writes: [Write] { state.withLock { $0.writes } }
  public var conversations: [ChannelID: ConversationRow] { state.withLock { $0.conversations } }
  /// All messages of a channel, in the order of arrival.
  public func messages(of channel: ChannelID) -> [MessageRow] {
    state.withLock { $0.messages.filter { $0.channel == channel } }
  }
  public func relays(of message: MessageID) -> Set<RelayID> { state.withLock { $0.relays[message] ?? [] } }
  /// Our reactions, by post.
  public var reactions: [PostID: MirroredPost] { state.withLock { $0.reactions } }
  public func syncs(of channel: ChannelID) -> [RelayID: MessageSyncRow] { state.withLock { $0.syncs[channel] ?? [:] } }

  /// Lets what takes news wait until `release`.
  public func hold() { state.withLock { $0.isHolding = true } }
  public var isWaiting: Bool { state.withLock { !$0.held.isEmpty } }
  public func release() {
    let held = state.withLock { state in
      state.isHolding = false
      defer { state.held = [] }
      return state.held
    }
    for one in held { one.resume() }
  }

  private func write<Value: Sendable>(_ write: Write, _ body: @Sendable (inout State) -> Value) throws -> Value {
    try state.withLock { state in
      state.attempts += 1
      guard !state.isBroken else { throw Self.broken }
      state.writes.append(write)
      return body(&state)
    }
  }

  private static let broken = StoreError(.inputOutput, "messages.db: database or disk is full")

  // MARK: - MessageStorage

  public func messageCounters() throws -> MessageCounters {
    try state.withLock { state in
      if state.isBroken { throw Self.broken }
      return state.counters
    }
  }

  public func channelsWithConversation() throws -> [ChannelID: ConversationMarks] {
    try state.withLock { state in
      if state.isBroken { throw Self.broken }
      return state.conversations.mapValues(\.marks)
    }
  }

  public func mark(_ channel: ChannelID, _ marks: ConversationMarks) throws -> MessageReceipt {
    try write(.mark(channel)) { state in
      state.conversations[channel]?.marks = marks
      if let end = marks.truncatedAt { state.messages.removeAll { $0.channel == channel && $0.createdAt <= end } }
      let revision = state.nextRevision()
      state.conversations[channel]?.revision = revision
      return MessageReceipt(revision: state.counters.revision)
    }
  }

  public func hide(_ channel: ChannelID, at time: Timestamp?) throws -> ConversationRow? {
    try write(.hide(channel)) { state in
      guard state.conversations[channel] != nil else { return nil }
      state.conversations[channel]?.isHidden = time != nil
      let revision = state.nextRevision()
      state.conversations[channel]?.revision = revision
      return state.conversations[channel]
    }
  }

  public func pinMessage(_ message: MessageID, at time: Timestamp?) throws -> MessagePinning? {
    try write(.hideMessage(message)) { state in
      guard let place = state.messages.firstIndex(where: { $0.id == message }) else { return nil }
      state.messages[place].pinnedAt = time
      state.messages[place].revision = state.nextRevision()
      return .done(MessageReceipt(revision: state.counters.revision))
    }
  }

  public func hideMessage(_ message: MessageID, at time: Timestamp?) throws -> MessageReceipt? {
    try write(.hideMessage(message)) { state in
      guard let place = state.messages.firstIndex(where: { $0.id == message }) else { return nil }
      state.messages[place].isHidden = time != nil
      state.messages[place].revision = state.nextRevision()
      return MessageReceipt(revision: state.counters.revision)
    }
  }

  // Decisions are neither shared nor carried out.
  public func lastDecision() throws -> PersonalDecision? { state.withLock { $0.lastDecision } }
  public func newDecisions(isLeftOver: Bool, limit: Int) throws -> [PersonalDecision] { [] }
  public func carryOut(_ decisions: [PersonalDecision]) throws -> MessageReceipt {
    state.withLock { $0.lastDecision = decisions.last }
    return MessageReceipt(revision: try messageCounters().revision)
  }
  public func forgetRevisionsOfDecisions() throws { state.withLock { $0.lastDecision = nil } }

  public func decline(_ author: String, in channel: ChannelID, at now: Timestamp) async throws -> MessageReceipt? { nil }

  public func mute(_ author: String, at time: Timestamp?) throws -> MessageReceipt {
    try write(.mute(author)) { state in
      for place in state.messages.indices where state.messages[place].author == author {
        state.messages[place].isHidden = time != nil
        state.messages[place].revision = state.nextRevision()
      }
      return MessageReceipt(revision: state.counters.revision)
    }
  }

  public func begin(_ channel: ChannelID, since: Timestamp) throws {
    try write(.begin(channel)) { state in
      guard state.conversations[channel] == nil else { return }
      state.conversations[channel] = ConversationRow(channel: channel, since: since, revision: state.nextRevision())
    }
  }

  public func take(_ read: [ReadNews], at now: Timestamp, within limits: MessageLimits) async throws -> MessageReceipt {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isHolding else { return true }
        state.held.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    return try write(.take(read.count)) { state in
      guard !state.isFull else { return MessageReceipt(revision: state.counters.revision, refused: read.count) }
      let before = state.messages.count
      for one in read { Self.take(one, at: now, &state) }
      return MessageReceipt(revision: state.counters.revision, new: state.messages.count - before)
    }
  }

  public func names(in channel: ChannelID, except served: Set<String>, limit: Int) throws -> StoredNames {
    try state.withLock { state in
      if state.isBroken { throw Self.broken }
      let known = state.messages.filter { $0.channel == channel && $0.deletedAt == nil }
      return StoredNames(messages: known.compactMap(\.networkID).filter { !served.contains($0) }.suffix(limit).reversed())
    }
  }

  private static func take(_ read: ReadNews, at now: Timestamp, _ state: inout State) {
    guard state.conversations[read.news.channel] != nil, case .message(let message) = read.news.what else { return }
    var id = state.messages.first { $0.channel == read.news.channel && $0.networkID == message.networkID }?.id
    if id == nil {
      let row = MessageRow(
        id: state.nextID(), channel: read.news.channel, networkID: message.networkID, author: message.author,
        text: message.text,
        createdAt: message.createdAt, receivedAt: now, position: now.milliseconds, replyTo: message.replyTo,
        isMention: message.isMention, isOwn: message.isOwn, counts: !message.isOwn, revision: state.nextRevision())
      state.messages.append(row)
      id = row.id
    }
    if let id, let relay = read.relay { state.relays[id, default: []].insert(relay) }
  }

  public func mirror(_ posts: [MirroredPost], through revision: Int64) throws -> MessageReceipt {
    try write(.mirror(posts.count)) { state in
      for post in posts where state.conversations[post.channel] != nil { Self.mirror(post, &state) }
      state.counters.mirrored = revision
      return MessageReceipt(revision: state.counters.revision)
    }
  }

  private static func mirror(_ post: MirroredPost, _ state: inout State) {
    guard post.removed == nil else { return }
    guard post.reactionTo == nil else { return state.reactions[post.post] = post.deletedAt == nil ? post : nil }
    var row = MessageRow(
      id: MessageID(rawValue: 0), channel: post.channel, networkID: post.networkID, author: post.author,
      text: post.deletedAt == nil ? post.text : "", createdAt: post.createdAt, receivedAt: post.createdAt,
      position: post.createdAt.milliseconds, replyTo: post.replyTo, isOwn: true, post: post.post, deletedAt: post.deletedAt,
      revision: state.nextRevision())
    if let place = state.messages.firstIndex(where: { $0.post == post.post }) {
      row.id = state.messages[place].id
      state.messages[place] = row
    } else {
      row.id = state.nextID()
      state.messages.append(row)
    }
  }

  public func note(_ syncs: [MessageSyncRow]) throws {
    try write(.note(syncs.count)) { state in
      for var sync in syncs {
        sync.completeAt = sync.completeAt ?? state.syncs[sync.channel]?[sync.relay]?.completeAt
        state.syncs[sync.channel, default: [:]][sync.relay] = sync
      }
    }
  }

  public func markRead(_ channel: ChannelID, through message: MessageID?) throws -> ConversationRow? {
    try write(.markRead(channel)) { state in
      let last = MessageID(rawValue: state.counters.message)
      return Self.mark(channel, &state) { max($0, message ?? last) }
    }
  }

  public func markUnread(_ channel: ChannelID, from message: MessageID) throws -> ConversationRow? {
    try write(.markUnread(message)) { state in
      Self.mark(channel, &state) { min($0, MessageID(rawValue: message.rawValue - 1)) }
    }
  }

  private static func mark(
    _ channel: ChannelID, _ state: inout State, _ place: (MessageID) -> MessageID
  ) -> ConversationRow? {
    guard var row = state.conversations[channel] else { return nil }
    row.readThrough = place(row.readThrough)
    row.unread = state.messages.count { $0.channel == channel && $0.id > row.readThrough && $0.counts }
    row.revision = state.nextRevision()
    state.conversations[channel] = row
    return row
  }

  public func end(_ channels: Set<ChannelID>) throws -> MessageReceipt {
    try write(.end(channels)) { state in
      for channel in channels { (state.conversations[channel], state.syncs[channel]) = (nil, nil) }
      state.messages.removeAll { channels.contains($0.channel) }
      return MessageReceipt(revision: state.nextRevision())
    }
  }
}
