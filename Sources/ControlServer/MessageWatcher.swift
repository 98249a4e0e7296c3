internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import StrictJSON
internal import Varlink

/// One call of `org.batond.Messages.Watch`: sends its client the messages and conversations that change. It keeps the batch that is being
/// written and otherwise only its place among the revisions of messages: a client that reads slowly gets each object in its state at that
/// time.
///
/// It does not wait for posts: a post that has changed gives its message a new revision (`MessageStorage.mirror`). So a client that resumes
/// later from a revision misses no step of its posts either.
struct MessageWatcher {
  /// The number of objects in one read: about as many as are sent in one go.
  private static let changesMax = 16

  private let channels: Set<ChannelID>?
  private let stream: ReplyStream<MessagesWatchReply>
  private let context: ControlContext
  /// The revision up to which everything the client wants was sent.
  private var last: Int64

  init(
    _ request: MessagesWatchRequest, after revision: Int64, _ stream: ReplyStream<MessagesWatchReply>,
    _ context: ControlContext
  ) {
    channels = request.channelIds.map { Set($0.map(ChannelID.init(rawValue:))) }
    self.stream = stream
    self.context = context
    last = revision
  }

  /// Sends changes until no more come.
  /// - Returns: the last reply.
  /// - Throws: the errors of reading the store.
  mutating func run() async throws -> MessagesWatchReply {
    let hub = context.coordinator.messageHub
    while true {
      // This comes first, so that the next read includes every change up to it.
      let known = hub.revision
      try await sendChanges()
      guard await hub.wait(after: max(last, known)) else { break }
      try Task.checkCancellation()
    }
    try Task.checkCancellation()
    return MessagesWatchReply(revision: last)
  }

  /// Sends all that has changed since, page by page.
  private mutating func sendChanges() async throws {
    guard let messages = context.messages else { return }
    while true {
      let page = try await messages.changedMessages(after: last, channels: channels, limit: Self.changesMax)
      guard page.through > last else { return }
      try await send(page.changes, through: page.through)
      last = page.through
    }
  }

  private func send(_ changes: [ChangedMessage], through end: Int64) async throws {
    let surroundings = try await MessageSurroundings(
      of: changes.compactMap(\.message), and: changes.compactMap(\.conversation?.row.channel), context)
    var batch = ReplyBatch()
    var done = last
    for (index, change) in changes.enumerated() {
      // Of objects that changed in one commit, the last one completes the revision.
      if index + 1 == changes.count || changes[index + 1].revision > change.revision { done = change.revision }
      let reply = MessagesWatchReply(
        revision: done, message: change.message.map { Message($0, surroundings) },
        conversation: change.conversation.map { Conversation($0, surroundings) })
      try await batch.append(parameters: reply.jsonBytes, to: stream)
    }
    // A client that resumes from here does not read unwanted changes again.
    if end > done { try await batch.append(parameters: MessagesWatchReply(revision: end).jsonBytes, to: stream) }
    try await batch.send(to: stream)
  }
}

extension ChangedMessage {
  fileprivate var message: StoredMessage? {
    switch self {
    case .message(let message): message
    case .conversation: nil
    }
  }

  fileprivate var conversation: StoredConversation? {
    switch self {
    case .message: nil
    case .conversation(let conversation): conversation
    }
  }
}
