internal import BatonClient
internal import ControlAPI
internal import Sentences

/// Shows channels to people.
struct ChannelView {
  let terminal: Terminal
  let times: Times

  /// Statuses of relays that do not serve the channel, and are retried on request.
  static let lost = ["failed", "inactive"]

  static func isLost(_ relay: ChannelRelay) -> Bool { lost.contains(relay.status) }

  static func activeCount(_ channel: Channel) -> Int { channel.relays.filter { $0.status == "active" }.count }

  /// The marks of a channel, such as muted or pinned, in words, or `nil` if it has no marks.
  static func marks(_ channel: Channel) -> String? {
    var words: [String] = []
    if channel.pinned { words.append("pinned") }
    if channel.muted { words.append("muted") }
    if channel.hidden { words.append("hidden") }
    if channel.frozen { words.append("frozen") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// How the messages of a channel are read, in words.
  static func following(_ channel: Channel) -> String {
    guard channel.followed else { return "not read" + (channel.followKeep.map { "; \($0) are kept" } ?? "") }
    let span = channel.followDays.map { $0 == 0 ? ["of any age"] : ["of the last \(counted($0, "day"))"] } ?? []
    let number = channel.followCount.map { ["the newest \($0)"] } ?? []
    let words = number + span
    let kept = channel.followKeep.map { "; \($0) are kept" } ?? ""
    return (words.isEmpty ? "read" : "read, \(words.joined(separator: " "))") + kept
  }

  /// The line of one relay: dot, name, status, cause.
  /// - Parameter width: the width of the name, in columns.
  func relayLine(_ relay: ChannelRelay, width: Int) -> String {
    let name = relay.relayName.cut(to: width)
    var words = relay.status
    if relay.status != "active" || relay.cause != nil {
      let reason = [relay.cause.map { "(\($0))" }, relay.detail].compactMap { $0 }.joined(separator: " ")
      if !reason.isEmpty { words += " \(reason)" }
      if let next = relay.nextAttemptAt, relay.status != "removed" {
        // Nothing is under way at a relay that is active with an old edition. Baton reads it back later.
        words += relay.attempt > 0 ? "; attempt \(relay.attempt) \(times.coming(next))" : "; read back \(times.coming(next))"
      }
    }
    let gap = String(repeating: " ", count: max(0, width - name.displayWidth))
    return "  \(terminal.dot(relay.status)) \(name)\(gap)  \(words)"
  }

  /// The plain sentence for a channel that does not have all of its relays.
  func shortfall(_ channel: Channel) -> String? {
    let (active, wanted) = (Self.activeCount(channel), channel.wantedRelays)
    guard active < wanted else { return nil }
    let failed = channel.members.filter(Self.isLost)
    let reasons = failed.map { "\($0.relayName): \($0.detail ?? $0.cause ?? $0.status)" }
    return ([channel.summary] + reasons.map { "  \($0)" }).joined(separator: "\n")
  }

  /// - Parameter readFrom: the names of the relays from which a followed channel is read.
  func details(_ channel: Channel, readFrom: [String] = []) -> String {
    var lines = [
      "\(terminal.dot(channel.phase)) \(channel.profile.displayName) (channel \(channel.id))",
      "phase     \(channel.phase): \(channel.summary)",
      "network   \(channel.network)\(channel.kind == "group" ? " (group)" : ""), identity \(channel.identity)"
        + (channel.key.map { $0 == "own" ? ", its own key" : ", the identity's key" } ?? ""),
    ]
    if let description = channel.profile.description, !description.isEmpty { lines.append("about     \(description)") }
    lines.append(
      "link      \(channel.link ?? "none yet")\(channel.link != nil && !channel.linkUsable ? " (no relay is active)" : "")")
    if !readFrom.isEmpty { lines.append("read from \(readFrom.joined(separator: ", "))") }
    if channel.edition > 1 {
      let active = channel.relays.filter { $0.status == "active" }
      let current = active.filter { $0.edition >= channel.edition }.count
      lines.append("profile   edition \(channel.edition), shown by \(current) of \(active.count) active relays")
    }
    lines.append("created   \(times.text(channel.createdAt)), changed \(times.text(channel.updatedAt))")
    if let postedAt = channel.lastPostAt {
      lines.append("last post \(times.text(postedAt))" + (channel.lastPost.map { ": \($0)" } ?? ""))
    }
    if let saidAt = channel.lastMessageAt {
      lines.append("last said \(times.text(saidAt))" + (channel.lastMessage.map { ": \($0)" } ?? ""))
    }
    if channel.unread > 0 {
      let mentions = channel.unreadMentions > 0 ? ", \(channel.unreadMentions) of them for you" : ""
      lines.append("unread    \(channel.unread)\(mentions)")
    }
    if !channel.access.isEmpty {
      let words = channel.access.map { $0 == "closed" ? "no one joins without being let in" : "only members write" }
      lines.append("access    \(channel.access.joined(separator: ", ")): \(words.joined(separator: ", "))")
    }
    if let count = channel.memberCount { lines.append("members   \(count)") }
    if let marks = Self.marks(channel) { lines.append("marked    \(marks)") }
    if !channel.followed || channel.followDays != nil || channel.followCount != nil || channel.followKeep != nil {
      lines.append("messages  \(Self.following(channel))")
    }
    if let end = channel.truncatedAt { lines.append("truncated \(times.text(end)); earlier messages are not shown") }
    let width = channel.relays.map(\.relayName.displayWidth).max() ?? 0
    lines += channel.relays.map { relayLine($0, width: width) }
    return lines.joined(separator: "\n")
  }
}

extension Session {
  /// Shows a channel with all of its relays and, if Baton follows it, the relays from which it is read.
  func showDetails(of channel: Channel) async throws {
    let names = await relayNames(channel.readRelayIds)
    let read = channel.readRelayIds.map { names[$0] ?? "relay \($0)" }
    try show(channel) { ChannelView(terminal: terminal, times: times).details(channel, readFrom: read) }
  }
}
