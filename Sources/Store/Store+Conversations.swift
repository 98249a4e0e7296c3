internal import Channels
internal import GRDB
internal import Storage
internal import Synchronization

/// The path of the file of messages, once it is known.
final class MessagesPath: Sendable {
  private let path = Mutex<String?>(nil)

  var value: String? {
    get { path.withLock { $0 } }
    set { path.withLock { $0 = newValue } }
  }
}

// Messages are in their own file. Lists of channels filter and sort by its conversations.
extension Store {
  /// A view in each connection: the conversations of channels.
  static let conversations = "channel_conversations"

  /// Begins to read conversations. Before that, and where no one reads messages, there are none.
  /// - Parameter messages: an open store, or `nil` to read nothing any more, before it is closed.
  public func read(_ messages: MessageStore?) {
    messagesPath.value = messages?.pool.path
    open.renewReaders()
  }

  /// The conversations of these channels, without previews.
  static func conversations(of channels: [ChannelID], _ db: Database) throws -> [ChannelID: ConversationSummary] {
    guard !channels.isEmpty else { return [:] }
    return try ConversationSummary.all(conversations, of: Set(channels), db)
  }

  /// - Parameter path: the file of messages, or `nil` without one.
  static func showConversations(in db: Database, _ path: String?) throws {
    let columns = ["channel_id", "unread", "unread_mentions", "is_hidden", "last_at", "member_count"]
    if let path, (try? db.execute(sql: "ATTACH DATABASE ? AS messages", arguments: [path])) != nil {
      let sql = "CREATE TEMP VIEW \(conversations) AS SELECT \(columns.joined(separator: ", ")) FROM messages.conversations"
      if (try? db.execute(sql: sql)) != nil { return }
    }
    let nothing = columns.map { "NULL AS \($0)" }.joined(separator: ", ")
    try db.execute(sql: "CREATE TEMP VIEW \(conversations) AS SELECT \(nothing) WHERE 0")
  }

  /// Whether a file turned out to be damaged.
  static func isDamage(_ error: any Error) -> Bool {
    if let error = error as? DatabaseError { return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) }
    return (error as? StoreError)?.code == .corrupt
  }
}

extension ConversationSummary {
  /// - Parameters:
  ///   - table: where they are.
  ///   - join: SQL that joins the last messages as `m`.
  ///   - preview: SQL for the beginning of the last message's text.
  ///   - channels: `nil` for all.
  static func all(
    _ table: String, join: String = "", preview: String = "NULL", of channels: Set<ChannelID>? = nil, _ db: Database
  ) throws -> [ChannelID: ConversationSummary] {
    let condition = channels == nil ? "" : " WHERE \(table).channel_id IN (SELECT value FROM json_each(?))"
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(table).channel_id, unread, unread_mentions, is_hidden, last_at, \(preview), member_count
        FROM \(table)\(join)\(condition)
        """, arguments: StatementArguments(channels.map { [MessageReader.list($0.map(\.rawValue))] } ?? []))
    var found: [ChannelID: ConversationSummary] = [:]
    while let row = try rows.next() {
      var values = MessageValues(row)
      let channel = ChannelID(rawValue: try values.integer())
      found[channel] = ConversationSummary(
        unread: Int(try values.integer()), unreadMentions: Int(try values.integer()), isHidden: try values.flag(),
        lastAt: try values.timeIfAny(), preview: try values.textIfAny().map(LastPost.preview),
        memberCount: try values.integerIfAny().map { Int($0) })
    }
    return found
  }
}
