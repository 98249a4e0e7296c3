internal import BatonClient
internal import ControlAPI
internal import StrictJSON
internal import Varlink

/// The lines that people see of followed messages: new messages, and changes of messages that were shown.
struct MessageTail {
  let view: MessageView
  /// Only messages of this author.
  var author: String?
  /// Only messages that mention the channel owner.
  var areMentions = false
  /// The latest messages that were shown, in the version that was shown.
  private var shown: [Int64: Message] = [:]
  /// The highest id that was shown. Later messages have higher ids.
  private var latest: Int64

  /// How many messages are remembered.
  static let shownMax = 1_000

  /// - Parameter page: the messages that are shown already.
  init(view: MessageView, page: [Message], author: String? = nil, areMentions: Bool = false) {
    self.view = view
    self.author = author
    self.areMentions = areMentions
    latest = page.map(\.id).max() ?? 0
    for message in page { remember(message) }
  }

  /// Whether the message is followed.
  func has(_ message: Message) -> Bool {
    (author == nil || message.author == author) && (!areMentions || message.mention)
  }

  /// The lines about a message that is new or has changed. Empty if no line is needed.
  /// - Parameter answered: the beginning of the message that it answers, by id.
  mutating func lines(_ message: Message, answered: [Int64: String]) throws -> [String] {
    let old = shown[message.id]
    // A reader does not need changes of a message that was never shown.
    guard has(message), old != nil || message.id > latest else { return [] }
    remember(message)
    latest = max(latest, message.id)
    let now = try ShownMessage(message)
    guard let old else { return message.isShown ? view.lines(now, answered: answered) : [] }
    return view.change(now, since: old, answered: answered) ?? []
  }

  private mutating func remember(_ message: Message) {
    var message = message
    // Later comparisons need only short fields, and texts may be long.
    (message.text, message.attachments) = ("", [])
    shown[message.id] = message
    while shown.count > Self.shownMax, let first = shown.keys.min() { shown[first] = nil }
  }
}

/// Continues with messages as they arrive, even if the daemon restarts.
struct MessageFollowing {
  let session: Session
  var tail: MessageTail

  /// The wait between attempts to reach a daemon that is away.
  private static let wait = Duration.seconds(1)

  /// Shows a page, and then new messages. Ends only with an error.
  /// - Parameter channel: only messages of this channel.
  func run(_ page: MessagePageView, channel: Int64?) async throws {
    var tail = tail
    session.ending.followed = .stream
    Output.endWithReader()
    if session.isForPeople {
      session.ending.willWrite(isResult: false)
      if !page.messages.isEmpty { try Output.line(try page.lines().joined(separator: "\n")) }
    } else {
      for message in page.messages {
        try session.showNext(MessagesWatchReply(revision: message.revision, message: message)) { "" }
      }
    }
    var request = MessagesWatchRequest(channelIds: channel.map { [$0] }, since: page.found.revision)
    var isAway = false
    while true {
      do {
        for try await change in try await session.raw.messages.watch(request) {
          isAway = false
          try await show(change, &tail)
          request.since = change.revision
        }
      } catch let error as VarlinkError where request.since != nil && error.name == VarlinkError.invalidParameter("").name {
        // The daemon lost the data and is reading it again, so its revisions and ids start over.
        request.since = nil
        tail = MessageTail(view: tail.view, page: [], author: tail.author, areMentions: tail.areMentions)
      } catch {
        guard let reason = session.reason(error) else { throw error }
        if session.isForPeople, !isAway { Output.error("batonctl: \(reason.shown)") }
        isAway = true
      }
      try await Task.sleep(for: Self.wait)
    }
  }

  private func show(_ change: MessagesWatchReply, _ tail: inout MessageTail) async throws {
    guard session.isForPeople else {
      guard change.conversation != nil || change.message.map(tail.has) == true else { return }
      return try session.showNext(change) { "" }
    }
    guard let message = change.message, tail.has(message) else { return }
    let lines = try tail.lines(message, answered: try await session.answered([message]))
    guard !lines.isEmpty else { return }
    session.ending.willWrite(isResult: false)
    try Output.line(lines.joined(separator: "\n"))
  }
}

extension Message {
  /// Whether the message is shown among others.
  fileprivate var isShown: Bool { deletedAt == nil && !hidden }
}
