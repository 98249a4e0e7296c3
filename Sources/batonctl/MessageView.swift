internal import ControlAPI
internal import Sentences

/// Shows messages to people. Author, time and status begin at the left, and texts are indented further than anything else, so that no text
/// looks like a line of another kind.
struct MessageView {
  let terminal: Terminal
  let times: Times
  /// The largest width of a line, in columns, or `nil` if lines are neither broken nor cut.
  var width: Int?
  /// Whether each message names its channel.
  var namesChannel = false

  private static let text = "    "
  private static let note = "  "
  /// How many lines of a text are shown among other messages.
  private static let linesMax = 40
  /// The room for the beginning of another message where lines are not broken, in columns.
  private static let answerWidth = 80

  // MARK: - Conversations

  /// Messages one below the other.
  /// - Parameters:
  ///   - messages: in the order in which they are shown.
  ///   - answered: the beginnings of the messages that they answer, by id.
  ///   - unread: the position of the first unread message.
  func conversation(_ messages: [ShownMessage], answered: [Int64: String], unread: UnreadMark?) -> [String] {
    messages.enumerated().flatMap { index, message in
      (unread?.index == index ? [line(unread)] : []) + lines(message, answered: answered)
    } + (unread?.index == messages.count ? [line(unread)] : [])
  }

  private func line(_ unread: UnreadMark?) -> String {
    let words = "\(Marks.current.rule)\(Marks.current.rule) \(unread?.words ?? "") "
    let room = width ?? Self.answerWidth
    let rest = String(repeating: Marks.current.rule, count: max(0, room - words.displayWidth))
    return terminal.paint((words + rest).cut(to: room), .yellow)
  }

  /// A message among others.
  func lines(_ shown: ShownMessage, answered: [Int64: String]) -> [String] {
    var lines = head(shown).wrapped(to: width, rest: Self.note)
    if let answer = answer(shown.message, answered) {
      lines.append((Self.note + answer).cut(to: width ?? Self.answerWidth))
    }
    lines += body(shown)
    lines += shown.message.attachments.flatMap { file in
      "file  \(file.words)".wrapped(to: width, first: Self.note, rest: Self.note)
    }
    if let reactions = reactions(shown.message) {
      lines += reactions.wrapped(to: width, first: Self.note, rest: Self.note)
    }
    return lines
  }

  /// A message that contains the searched words, with the part of its text around them.
  func lines(_ shown: ShownMessage, excerpt: [ExcerptPiece]) -> [String] {
    head(shown).wrapped(to: width, rest: Self.note)
      + Self.marked(excerpt) { terminal.hasColor ? terminal.paint($0, .yellow) : "*\($0)*" }
      .wrapped(to: width, first: Self.text, rest: Self.text)
  }

  /// A text on one line in which the searched words are marked.
  static func marked(_ excerpt: [ExcerptPiece], mark: (String) -> String) -> String {
    excerpt.map { piece in
      // Each word is marked separately, because lines are broken between words.
      piece.text.map { $0.isWhitespace ? " " : String($0) }.joined().split(separator: " ", omittingEmptySubsequences: false)
        .map { word in word.isEmpty || !piece.hit ? String(word).shown : mark(String(word).shown) }.joined(separator: " ")
    }
    .joined().split(separator: " ").joined(separator: " ")
  }

  /// The lines about a change of a message that was shown before, or `nil` if the change makes no difference to people.
  func change(_ shown: ShownMessage, since old: Message, answered: [Int64: String]) -> [String]? {
    let message = shown.message
    if let time = message.deletedAt, old.deletedAt == nil { return short(shown, "deleted \(times.text(time))") }
    if message.hidden != old.hidden {
      return message.hidden
        ? short(shown, "hidden") : lines(shown, answered: answered).enumerated().map { $0 == 0 ? "~ \($1)" : $1 }
    }
    if message.pinned != old.pinned { return short(shown, message.pinned ? "pinned" : "no longer pinned") }
    if message.editedAt != old.editedAt {
      return lines(shown, answered: answered).enumerated().map { $0 == 0 ? "~ \($1)" : $1 }
    }
    if let post = message.post, post.phase != old.post?.phase { return short(shown, status(post)) }
    guard message.reactions != old.reactions else { return nil }
    return short(shown, reactions(message) ?? "reactions  none")
  }

  private func short(_ shown: ShownMessage, _ words: String) -> [String] {
    "~ \(shown.message.id)  \(shown.author(isWhole: width == nil))  \(words)".wrapped(to: width, rest: Self.note)
  }

  // MARK: - Parts

  /// Id, author, time, and other facts that matter at a glance.
  private func head(_ shown: ShownMessage) -> String {
    let message = shown.message
    let author = shown.author(isWhole: width == nil)
    var words = [terminal.paint("\(message.id)", .gray), message.own ? terminal.paint(author, .green) : author]
    if namesChannel { words.append("in '\(message.channelName)'") }
    words.append(terminal.paint(times.text(message.time), .gray))
    if message.mention { words.append(terminal.paint("mentions you", .yellow)) }
    if let post = message.post { words.append(status(post)) } else if message.own { words.append("published elsewhere") }
    if let time = message.editedAt, message.deletedAt == nil { words.append("edited \(times.text(time))") }
    if message.pinned { words.append(terminal.paint("pinned", .yellow)) }
    if message.hidden { words.append(terminal.paint("hidden", .gray)) }
    if let time = message.deletedAt { words.append(terminal.paint("deleted \(times.text(time))", .gray)) }
    return words.joined(separator: "  ")
  }

  /// The progress of the post that this message is.
  private func status(_ post: OwnPost) -> String {
    "\(terminal.dot(post.phase)) post \(post.id) \(post.phase), \(post.shownCount) of \(counted(post.relayCount, "relay"))"
  }

  private func answer(_ message: Message, _ answered: [Int64: String]) -> String? {
    guard let parent = message.replyTo else {
      return message.replyToNetworkId == nil ? nil : ">> an unknown message"
    }
    return ">> \(parent)" + (answered[Int64(parent)].map { " \($0)" } ?? "")
  }

  private func reactions(_ message: Message) -> String? {
    message.reactions.isEmpty ? nil : "reactions  \(MessageReaction.words(message.reactions))"
  }

  /// The text, or as much of it as there is room for among other messages.
  private func body(_ shown: ShownMessage) -> [String] {
    guard shown.message.deletedAt == nil, shown.lines.contains(where: { !$0.isEmpty }) else { return [] }
    guard width != nil else { return whole(shown) }
    var lines: [String] = []
    for line in shown.lines where lines.count <= Self.linesMax {
      lines += line.wrapped(to: width, first: Self.text, rest: Self.text)
    }
    guard lines.count > Self.linesMax else { return lines }
    let more = "\(Marks.current.ellipsis) batonctl messages show \(shown.message.id) shows the rest"
    return lines.prefix(Self.linesMax - 1) + more.wrapped(to: width, first: Self.note, rest: Self.note)
  }

  private func whole(_ shown: ShownMessage) -> [String] { shown.lines.map { Self.text + $0 } }

  // MARK: - One message

  /// Everything about a message.
  /// - Parameters:
  ///   - answered: the beginning of the message that it answers, by id.
  ///   - relays: the names of relays, by id.
  func details(_ shown: ShownMessage, answered: [Int64: String], relays: [Int64: String]) -> String {
    let message = shown.message
    var lines = [
      "message \(message.id) in '\(message.channelName)' (channel \(message.channelId))",
      "author    \(message.own ? "you, \(message.author)" : shown.author(isWhole: true))",
      "network   \(message.network)\(message.networkId.map { ", \($0)" } ?? "")",
    ]
    if message.mention { lines.append("mentions  you") }
    if let answer = answer(message, answered) { lines.append("answers   \(answer.dropFirst(3))") }
    if let post = message.post { lines.append("post      \(post.id) \(post.phase): \(post.summary)") }
    // The author's claim may differ from the time that Baton uses.
    let claim = message.createdAt == message.time ? "" : "; its author says \(times.text(message.createdAt))"
    lines.append("written   \(times.text(message.time))\(claim)")
    let from = message.relayIds.map { relays[$0] ?? "relay \($0)" }.joined(separator: ", ")
    lines.append("arrived   \(times.text(message.receivedAt))\(from.isEmpty ? "" : ", from \(from)")")
    if let time = message.editedAt { lines.append("edited    \(times.text(time))") }
    if let time = message.deletedAt { lines.append("deleted   \(times.text(time))") }
    if !message.reactions.isEmpty { lines.append("reactions \(MessageReaction.words(message.reactions))") }
    lines += message.attachments.map { "file      \($0.words)" }
    if message.deletedAt == nil { lines += [""] + whole(shown) }
    return lines.joined(separator: "\n")
  }
}
