internal import ControlAPI
internal import Sentences

/// The position of the first unread message on a page.
struct UnreadMark: Hashable {
  /// The index of the message that follows the mark, or the number of messages if the mark is at the end.
  var index: Int
  var words: String

  /// - Parameters:
  ///   - page: messages in the order of the list, newest first, up to the newest of all.
  ///   - conversation: of the channel.
  ///   - areMentions: whether the page has only messages that mention the channel owner.
  ///   - isNewestFirst: whether the page is shown in this order, and not reversed.
  /// - Returns: `nil` if nothing on the page is unread.
  init?(_ page: [Message], of conversation: Conversation, areMentions: Bool, isNewestFirst: Bool) {
    let count = areMentions ? conversation.unreadMentions : conversation.unread
    // Messages from before the channel was read never count. They are older than all that do.
    let candidates = page.indices.filter { index in
      let message = page[index]
      return message.id > conversation.readThrough && !message.own && message.deletedAt == nil
    }
    guard count > 0, let last = candidates.prefix(count).last else { return nil }
    let earlier = count > candidates.count ? ", the first of them further back" : ""
    index = isNewestFirst ? last + 1 : page.count - 1 - last
    words = "\(count) unread\(isNewestFirst ? " above" : "")\(earlier)"
  }

  /// The sentence about a conversation.
  static func sentence(_ conversation: Conversation) -> String {
    let name = "'\(conversation.channelName.shown)'"
    let count = conversation.unread
    guard count > 0 else { return "Everything in \(name) is read." }
    let mentions = conversation.unreadMentions
    guard count > 1 else { return "1 message in \(name) is unread\(mentions == 0 ? "" : " and mentions you")." }
    let which = mentions == 0 ? "" : ", \(mentions) of which \(mentions == 1 ? "mentions" : "mention") you"
    return "\(counted(count, "message")) in \(name) are unread\(which)."
  }
}

/// The lines about relays that could not be read. They are safe for a terminal.
struct FreshnessNotes {
  /// The names of relays, by id, safe for a terminal.
  let relays: [Int64: String]
  let times: Times

  /// A line for each relay of a conversation whose last reading failed, or that was never read.
  func lines(_ conversation: Conversation) -> [String] {
    conversation.relays.compactMap { relay in
      if let trouble = Self.trouble(relay) {
        return "Not up to date: \(name(relay.relayId)) \(trouble)\(lastRead(relay))."
      }
      return relay.syncedAt == nil ? "Not read yet: \(name(relay.relayId))." : nil
    }
  }

  /// A line for each relay of any of the conversations whose last reading failed, with the number of conversations.
  func lines(_ conversations: [Conversation]) -> [String] {
    var found: [Int64: (trouble: String, count: Int)] = [:]
    for relay in conversations.flatMap(\.relays) {
      guard let trouble = Self.trouble(relay) else { continue }
      found[relay.relayId, default: (trouble, 0)].count += 1
    }
    let lines = found.sorted { $0.key < $1.key }.map { id, found in
      "Not up to date: \(name(id)) \(found.trouble), in \(counted(found.count, "conversation"))."
    }
    let others = lines.count - Self.relaysMax
    return others > 0
      ? lines.prefix(Self.relaysMax) + ["\(Marks.current.ellipsis) and \(counted(others, "other relay"))."] : lines
  }

  /// The line of one relay: dot, name, and when it was read or why not.
  func line(_ relay: Freshness, _ terminal: Terminal) -> String {
    guard let trouble = Self.trouble(relay) else {
      let read = relay.syncedAt.map { "read \(times.text($0).shown)" } ?? "not read yet"
      return "  \(terminal.dot(relay.syncedAt == nil ? "pending" : "active")) \(name(relay.relayId))  \(read)"
    }
    return "  \(terminal.dot("failed")) \(name(relay.relayId))  \(trouble)\(lastRead(relay))"
  }

  private func name(_ id: Int64) -> String { id == Self.network ? "the chat core" : relays[id] ?? "relay \(id)" }

  /// Stands for the network as a whole among the identifiers of relays. Only channels on SimpleX are read from the network.
  static let network: Int64 = 0

  private static func trouble(_ relay: Freshness) -> String? {
    guard let cause = relay.cause else { return nil }
    return (["(\(cause.shown))"] + [relay.detail?.shownOnOneLine].compactMap { $0 }).joined(separator: " ")
  }

  private func lastRead(_ relay: Freshness) -> String {
    relay.syncedAt.map { "; last read \(times.text($0).shown)" } ?? "; never read"
  }

  /// The largest number of relays that are named.
  private static let relaysMax = 10
}
