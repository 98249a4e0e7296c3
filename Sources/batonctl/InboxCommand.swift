internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

struct InboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox", abstract: "List conversations, the latest message first",
    discussion: """
      UNREAD counts unread messages, and MENTIONS the unread messages that mention or answer you. Notes below the list \
      name relays that could not be read, so messages may be missing. batonctl messages mark-read marks a conversation as \
      read.

      Example:
        batonctl inbox --unread
      """)
  @OptionGroup var table: TableOptions
  @Flag(help: "Only conversations with unread messages that are not muted.") var unread = false
  @Flag(help: "Only hidden conversations, which are left out by default.") var hidden = false
  @Flag(
    help:
      "Keep running and refresh on every change. Piped output prints one line per change, marked +, ~ or -."
  )
  var watch = false
  @Option(help: "Maximum number of conversations to list, 1 to 1000.") var limit: Int = 100
  @OptionGroup var global: GlobalOptions

  /// The largest number of conversations in one reply of the daemon.
  private static let pageMax = 100

  func validate() throws {
    guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    if watch { try table.show.checkStream("--watch", "a table") }
    _ = try table.chosen(of: Self.columns)
  }

  func run() async throws {
    try await global.connected(table.show) { session in
      let columns = try table.chosen(of: Self.columns)
      try await session.list(watch: watch, .messages, of: "conversation") { session in
        let (conversations, hasMore) = try await conversations(session)
        let relays = await session.relayNames(conversations.flatMap { $0.relays.filter { $0.cause != nil }.map(\.relayId) })
        let notes = FreshnessNotes(relays: relays, times: session.times).lines(conversations)
        let more = (hasMore ? ["There are more conversations: --limit shows up to 1000."] : []) + notes
        return Listing(
          objects: conversations, columns: columns,
          none: unread ? "No unread conversations." : hidden ? "No hidden conversations." : "No conversations.",
          more: more.isEmpty ? nil : more.joined(separator: "\n")
        ) { Row(conversation: $0, times: session.times) }
      }
    }
  }

  /// Reads conversations page by page, up to the limit.
  private func conversations(_ session: Session) async throws -> (conversations: [Conversation], hasMore: Bool) {
    var found: [Conversation] = []
    var request = MessagesInboxRequest(unread: unread ? true : nil, hidden: hidden ? true : nil)
    repeat {
      request.limit = min(limit - found.count, Self.pageMax)
      let page = try await session.client.messages.inbox(request)
      found += page.conversations
      request.cursor = page.nextCursor
    } while request.cursor != nil && found.count < limit
    return (found, request.cursor != nil)
  }

  struct Row {
    let conversation: Conversation
    let times: Times

    /// The marks of the channel, such as muted, in words.
    var marks: String {
      var words: [String] = []
      if conversation.pinned { words.append("pinned") }
      if conversation.muted { words.append("muted") }
      if conversation.hidden { words.append("hidden") }
      return words.joined(separator: ", ")
    }
  }

  static let columns: [TableColumn<Row>] = [
    TableColumn("ID", rank: 4) { "\($0.conversation.channelId)" },
    TableColumn("CHANNEL", rank: 0, least: 12) { $0.conversation.channelName },
    TableColumn("UNREAD", rank: 1, color: { $0.conversation.unread > 0 ? .yellow : nil }) { "\($0.conversation.unread)" },
    TableColumn("MENTIONS", rank: 3, color: { $0.conversation.unreadMentions > 0 ? .yellow : nil }) {
      "\($0.conversation.unreadMentions)"
    },
    TableColumn("LAST", rank: 2) { $0.times.text($0.conversation.lastMessageAt) },
    TableColumn("MARKS", rank: 9, isExtra: true) { $0.marks },
    TableColumn("MESSAGE", rank: 0, least: 16) { $0.conversation.lastMessage ?? "" },
    TableColumn("MESSAGEID", rank: 5, isExtra: true) { $0.conversation.lastMessageId.map { "\($0)" } ?? "" },
    TableColumn("READTHROUGH", rank: 6, isExtra: true) { "\($0.conversation.readThrough)" },
    TableColumn("READ", rank: 7, isExtra: true) { row in
      let relays = row.conversation.relays
      return "\(relays.count { $0.cause == nil && $0.syncedAt != nil })/\(relays.count)"
    },
    TableColumn("REVISION", rank: 8, isExtra: true) { "\($0.conversation.revision)" },
  ]
}
