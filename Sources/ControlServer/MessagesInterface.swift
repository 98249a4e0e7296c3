internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import Varlink

/// `org.batond.Messages`.
struct MessagesInterface: MessagesService, ControlService {
  /// For how many seconds the daemon waits for relays, unless the client chooses.
  private static let timeoutDefault = 30
  private static let timeoutMax = 300

  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  /// Programs mark messages as read whenever someone looks at them, which does not belong in the journal.
  func notesCallers(of method: MessagesMethod) -> Bool { [.markRead, .markUnread].contains(method) }

  // MARK: - Reading

  func list(_ request: MessagesListRequest) async throws -> MessagesListReply {
    let question = try MessageQuestion(request)
    guard let messages = try await reading(question.channel) else {
      if let anchor = question.anchor ?? question.answersTo { throw MessagesRefusal.noSuchMessage(id: anchor.rawValue) }
      return MessagesListReply(messages: [], hasOlder: false, hasNewer: false, revision: 0)
    }
    let page = try await messages.messages(question)
    if page.messages.isEmpty, let anchor = question.anchor ?? question.answersTo { _ = try await find(anchor, messages) }
    var conversation: Conversation?
    if let channel = question.channel, let stored = try await messages.conversation(of: channel) {
      conversation = try await context.wire([stored]).first
    }
    return MessagesListReply(
      messages: try await context.wire(page.messages), hasOlder: page.hasOlder, hasNewer: page.hasNewer,
      conversation: conversation, revision: page.revision)
  }

  func get(_ request: MessagesGetRequest) async throws -> MessageReply {
    let message = try await find(MessageID(rawValue: request.id), context.messages)
    guard let found = try await context.wire([message]).first else { throw MessagesRefusal.noSuchMessage(id: request.id) }
    return MessageReply(message: found)
  }

  func search(_ request: MessagesSearchRequest) async throws -> MessagesSearchReply {
    let search = try MessageSearch(request)
    guard let messages = try await reading(search.channel) else { return MessagesSearchReply(hits: [], hasMore: false) }
    let (found, hasMore) = try await messages.messages(holding: search)
    let shown = try await context.wire(found.map(\.message))
    return MessagesSearchReply(hits: zip(found, shown).map { SearchHit($0, $1) }, hasMore: hasMore)
  }

  func inbox(_ request: MessagesInboxRequest) async throws -> MessagesInboxReply {
    let question = try ConversationQuestion(request)
    guard let messages = context.messages else { return MessagesInboxReply(conversations: []) }
    let found = try await messages.conversations(question)
    let page = Array(found.prefix(question.limit - 1))
    var cursor: String?
    if found.count > page.count, let last = page.last?.row, let position = last.lastPosition {
      cursor = ConversationQuestion.Place(lastPosition: position, channel: last.channel).cursor
    }
    return MessagesInboxReply(conversations: try await context.wire(page), nextCursor: cursor)
  }

  func watch(
    _ request: MessagesWatchRequest, _ stream: ReplyStream<MessagesWatchReply>
  ) async throws -> MessagesWatchReply {
    // The hub may not have heard yet of changes that were stored before the daemon started.
    let newest = try await context.messages?.messageCounters().revision ?? 0
    if let since = request.since {
      guard since >= 0, since <= newest else { throw VarlinkError.invalidParameter("since") }
    } else {
      try await stream.send(MessagesWatchReply(revision: newest))
    }
    var watcher = MessageWatcher(request, after: request.since ?? newest, stream, context)
    return try await watcher.run()
  }

  // MARK: - Read marks

  func markRead(_ request: MessagesMarkReadRequest) async throws -> ConversationReply {
    let channel = ChannelID(rawValue: request.channelId)
    let messages = try await following(channel)
    var through: MessageID?
    if let last = request.through {
      let id = MessageID(rawValue: Int64(last))
      guard try await find(id, messages).row.channel == channel else {
        throw MessagesRefusal.noSuchMessage(id: id.rawValue)
      }
      through = id
    }
    _ = try await coordinator.markRead(channel, through: through)
    return ConversationReply(conversation: try await conversation(of: channel, messages))
  }

  func markUnread(_ request: MessagesMarkUnreadRequest) async throws -> ConversationReply {
    guard let messages = context.messages else { throw MessagesRefusal.noSuchMessage(id: request.id) }
    let row = try await find(MessageID(rawValue: request.id), messages).row
    _ = try await coordinator.markUnread(row.id, in: row.channel)
    return ConversationReply(conversation: try await conversation(of: row.channel, messages))
  }

  func sync(_ request: MessagesSyncRequest) async throws -> MessagesSyncReply {
    let timeout = try Self.patience(request.timeout)
    let channel = ChannelID(rawValue: request.channelId)
    let messages = try await following(channel)
    let isComplete = try await coordinator.syncMessages(of: channel, within: timeout)
    return MessagesSyncReply(conversation: try await conversation(of: channel, messages), complete: isComplete)
  }

  func searchRelays(_ request: MessagesSearchRelaysRequest) async throws -> MessagesSearchRelaysReply {
    let timeout = try Self.patience(request.timeout)
    let search = try MessageSearch(MessagesSearchRequest(text: request.text, channelId: request.channelId))
    let channel = ChannelID(rawValue: request.channelId)
    _ = try await following(channel)
    let network = try await context.store.channels([channel]).found[channel]?.row.network
    if let network, network != .nostr {
      throw MessagesRefusal.notSupported(
        network: network.rawValue, reason: "relays of this network do not search. Use Search for stored messages")
    }
    let outcomes = try await coordinator.searchRelays(of: channel, for: search.text, within: timeout)
    let names = Dictionary(coordinator.relays.map { ($0.id, $0.name) }) { first, _ in first }
    return MessagesSearchRelaysReply(
      relays: outcomes.sorted { $0.key < $1.key }.map { relay, outcome in
        SearchedRelay(relay, name: names[relay] ?? "relay \(relay.rawValue)", outcome)
      })
  }

  /// For how long relays are waited for.
  private static func patience(_ seconds: Int?) throws -> Duration {
    let seconds = seconds ?? timeoutDefault
    guard (1...timeoutMax).contains(seconds) else { throw VarlinkError.invalidParameter("timeout") }
    return .seconds(seconds)
  }

  func setHidden(_ request: MessagesSetHiddenRequest) async throws -> MessageReply {
    let row = try await find(MessageID(rawValue: request.id), context.messages).row
    guard row.post == nil else {
      throw MessagesRefusal.invalidMessage(id: request.id, reason: "it is Baton's own post. Delete the post")
    }
    guard row.deletedAt == nil else {
      throw MessagesRefusal.invalidMessage(id: request.id, reason: "it was deleted, so nothing of it is shown")
    }
    try await coordinator.hideMessage(row.id, request.hidden)
    return try await get(MessagesGetRequest(id: request.id))
  }

  func setPinned(_ request: MessagesSetPinnedRequest) async throws -> MessageReply {
    let row = try await find(MessageID(rawValue: request.id), context.messages).row
    guard row.deletedAt == nil else {
      throw MessagesRefusal.invalidMessage(id: request.id, reason: "it was deleted, so nothing of it is shown")
    }
    try await coordinator.pinMessage(row.id, request.pinned)
    return try await get(MessagesGetRequest(id: request.id))
  }

  // MARK: - Helpers

  /// The storage in which messages are read.
  /// - Parameter channel: the channel whose messages are wanted, or `nil` for all channels.
  /// - Returns: `nil` if no channel was named, and the daemon reads no messages.
  /// - Throws: a refusal if there is no such channel, or its messages are not read.
  private func reading(_ channel: ChannelID?) async throws -> (any MessageReading)? {
    guard let channel else { return context.messages }
    return try await following(channel)
  }

  /// The storage in which the messages of a channel are read.
  /// - Throws: a refusal if there is no such channel, or its messages are not read.
  private func following(_ channel: ChannelID) async throws -> any MessageReading {
    guard try await !context.store.channels([channel]).isUnknown(channel) else {
      throw MessagesRefusal.noSuchChannel(id: channel.rawValue, name: nil)
    }
    guard let messages = context.messages else { throw MessagesRefusal.notFollowed(id: channel.rawValue) }
    return messages
  }

  /// - Throws: a refusal if there is no such message.
  private func find(_ id: MessageID, _ messages: (any MessageReading)?) async throws -> StoredMessage {
    guard let message = try await messages?.message(id) else { throw MessagesRefusal.noSuchMessage(id: id.rawValue) }
    return message
  }

  /// The stored conversation, with its last message.
  private func conversation(of channel: ChannelID, _ messages: any MessageReading) async throws -> Conversation {
    guard let stored = try await messages.conversation(of: channel),
      let conversation = try await context.wire([stored]).first
    else { throw MessagesRefusal.notFollowed(id: channel.rawValue) }
    return conversation
  }
}
