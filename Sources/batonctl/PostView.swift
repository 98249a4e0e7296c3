internal import BatonClient
internal import ControlAPI
internal import Sentences
internal import StrictJSON

/// A post in a form that is safe for a terminal.
struct ShownPost {
  /// The post with all of its texts escaped.
  let post: Post
  /// The text in one line, or that it was forgotten.
  let line: String
  /// The same, after words that the post was edited, or is a reaction or a pin.
  let markedLine: String
  /// The lines of the text.
  let lines: [String]

  /// - Parameter raw: the post as the daemon sent it.
  /// - Throws: an error if a post cannot be encoded as JSON, which does not happen.
  init(_ raw: Post) throws {
    post = try Post(json: try raw.json.shown)
    let isForgotten = raw.forgottenAt != nil
    let line = isForgotten ? "(forgotten)" : raw.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").shown
    self.line = line
    let mark = raw.replacedBy.map { "(replaced by \($0)) " } ?? raw.reactionTo.map { "(reaction to \($0)) " } ?? raw.about?.mark
    markedLine = raw.pinned.map { "(pin of \($0))" } ?? (mark ?? "") + line
    lines = raw.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).shown }
  }
}

extension Post {
  /// The post that this one pins, or `nil` if it is not a pin.
  var pinned: Int? { text == "pin" ? reactionTo : nil }
}

extension AboutMessage {
  /// The words before the text of a post in a list, or `nil` if there are none.
  fileprivate var mark: String? {
    switch act {
    case "reaction": "(reaction to a message) "
    case "removal": "(removal of a message)"
    case "report": "(report of a message) "
    case "membership": "(membership) "
    default: nil
    }
  }

  /// The effect of the post, as a line.
  fileprivate var line: String {
    let who = ShortKey.text(author)
    let message = "message \(networkId), by \(who)"
    return switch act {
    case "reaction": "reacts    to \(message)"
    case "removal": "removes   \(message)"
    case "report": "reports   \(message)"
    case "membership": "about     the membership of \(who)"
    default: "answers   \(message)"
    }
  }
}

/// Shows posts to people. All texts of the posts must be escaped.
struct PostView {
  let terminal: Terminal
  let times: Times

  /// The relays that count: all that the channel has not left.
  static func members(_ post: Post) -> [PostRelay] { post.relays.filter { !$0.departed } }

  /// Statuses of relays on which the post is being published or deleted.
  static let open = ["pending", "sent", "accepted", "deleting"]

  static func isOpen(_ relay: PostRelay) -> Bool { open.contains(relay.status) }

  /// The line of one relay: dot, name, status, cause.
  /// - Parameter width: the width of the name, in columns.
  func relayLine(_ relay: PostRelay, width: Int) -> String {
    let name = relay.relayName.cut(to: width)
    var words = relay.departed ? "\(relay.status), the channel left the relay" : relay.status
    let reason = [relay.cause.map { "(\($0))" }, relay.detail].compactMap { $0 }.joined(separator: " ")
    if !reason.isEmpty { words += " \(reason)" }
    if let next = relay.nextAttemptAt { words += "; attempt \(relay.attempt) \(times.coming(next))" }
    let gap = String(repeating: " ", count: max(0, width - name.displayWidth))
    return "  \(terminal.dot(relay.status)) \(name)\(gap)  \(words)"
  }

  /// A bar, the count, and a line per relay.
  /// - Parameter size: the size of the terminal that the lines must fit, or `nil` without a terminal.
  func progress(_ post: Post, in size: Terminal.Size?) -> [String] {
    let relays = Self.members(post).map { relay in
      RelayProgress.Relay(name: relay.relayName, status: relay.status, rank: Self.rank(relay)) { width in
        relayLine(relay, width: width)
      }
    }
    return RelayProgress(terminal: terminal, words: "relays show it").lines(relays, in: size)
  }

  private static func rank(_ relay: PostRelay) -> RelayProgress.Relay.Rank {
    if relay.shown { return .done }
    return isOpen(relay) ? .open : .lost
  }

  /// The plain sentence for a post that is not on all of its relays.
  func shortfall(_ post: Post) -> String? {
    let lost = Self.members(post).filter { !$0.shown && !Self.isOpen($0) }
    guard !lost.isEmpty else { return nil }
    let reasons = lost.map { "\($0.relayName): \($0.detail ?? $0.cause ?? $0.status)" }
    return ([post.summary] + reasons.map { "  \($0)" }).joined(separator: "\n")
  }

  /// - Parameter reactions: to the post, safe for a terminal.
  func details(_ shown: ShownPost, _ reactions: String? = nil) -> String {
    let post = shown.post
    var lines = [
      "\(terminal.dot(post.phase)) post \(post.id) in '\(post.channelName)' (channel \(post.channelId))",
      "phase     \(post.phase): \(post.summary)",
      "network   \(post.network)\(post.networkId.isEmpty ? "" : ", \(post.networkId)")",
    ]
    if !post.author.isEmpty { lines.append("author    \(post.author)") }
    if let parent = post.replyTo { lines.append("answers   post \(parent)") }
    if let about = post.about { lines.append(about.line) }
    if let target = post.pinned {
      lines.append("pins      post \(target)")
    } else if let target = post.reactionTo {
      lines.append("reacts    to post \(target)")
    }
    if let old = post.replaces { lines.append("replaces  post \(old)") }
    if let new = post.replacedBy { lines.append("replaced  by post \(new)") }
    if let reactions { lines.append("reactions \(reactions)") }
    lines.append("link      \(post.link ?? (post.deletedAt == nil ? "none yet" : "none"))")
    lines.append(
      "created   \(times.text(post.createdAt))" + (post.deletedAt.map { ", deleted \(times.text($0))" } ?? ""))
    if let due = post.publishAt { lines.append("due       \(times.text(due))") }
    if let time = post.forgottenAt {
      lines.append("forgotten \(times.text(time)): beyond the channel's retention, but relays still show it")
    }
    lines += (post.notes ?? []).map { "note      \($0)" }
    let width = post.relays.map(\.relayName.displayWidth).max() ?? 0
    lines += post.relays.map { relayLine($0, width: width) }
    // Indented lines of the text do not look like the lines above.
    if post.forgottenAt == nil { lines += [""] + shown.lines.map { "  \($0)" } }
    return lines.joined(separator: "\n")
  }

  // MARK: - Forecast

  /// The effect on each relay if the post is edited or deleted now, three lines for each.
  func actions(_ actions: [PostAction], of shown: ShownPost) -> [String] {
    actions.flatMap { action in
      let until = action.until.map { ", until \(times.text($0))" } ?? ""
      return [
        "on \(Self.name(action, shown))\(until)",
        "  edit    \(Self.words(action.canEdit ? "yes" : "no", action.editNote))",
        "  delete  \(Self.words(action.canDelete ? "yes" : "uncertain", action.deleteNote))",
      ]
    }
  }

  /// Lines that name the relays that may keep the post when it is deleted. Empty if no relay may.
  func keepers(_ actions: [PostAction], of shown: ShownPost) -> [String] {
    let keepers = actions.filter { !$0.canDelete }
    guard !keepers.isEmpty else { return [] }
    return ["\(counted(keepers.count, "relay")) may keep it:"]
      + keepers.map { "  \(Self.name($0, shown)): \($0.deleteNote?.shown ?? "unknown reason")" }
  }

  private static func name(_ action: PostAction, _ shown: ShownPost) -> String {
    shown.post.relays.first { $0.relayId == action.relayId }?.relayName ?? "relay \(action.relayId)"
  }

  private static func words(_ answer: String, _ note: String?) -> String { answer + (note.map { ": \($0.shown)" } ?? "") }
}
