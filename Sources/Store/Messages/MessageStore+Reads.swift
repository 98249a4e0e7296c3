internal import Channels
internal import GRDB
internal import Storage

// The questions of `MessageReading`, for a thread that may wait.
extension MessageStore {
  func message(_ id: MessageID) throws -> StoredMessage? {
    try read { db in try MessageReader(db: db).messages([id.rawValue]).first }
  }

  func messages(_ ids: Set<MessageID>) throws -> [StoredMessage] {
    try read { db in try MessageReader(db: db).messages(ids.map(\.rawValue).sorted()) }
  }

  // MARK: - Pages

  func messages(_ question: MessageQuestion) throws -> MessagePage {
    try read { db in
      let list = MessageList(question: question, db: db)
      let limit = max(1, question.limit)
      var place = MessageList.Place.end
      switch question.place {
      case .newest: break
      case .before(let message), .after(let message), .around(let message):
        guard let found = try list.place(of: message) else {
          return MessagePage(messages: [], hasOlder: false, hasNewer: false, revision: try Self.counters(db).revision)
        }
        place = found
      }
      return switch question.place {
      case .newest, .before: try page(list, place, .before, older: limit, newer: 0)
      case .after: try page(list, place, .through, older: 0, newer: limit)
      // The message itself is the first of the older ones.
      case .around: try page(list, place, .through, older: limit / 2 + 1, newer: (limit - 1) / 2)
      }
    }
  }

  /// - Parameters:
  ///   - side: the places that count as older.
  ///   - older: how many of the older ones to return, and `newer` of the messages after the place.
  private func page(
    _ list: MessageList, _ place: MessageList.Place, _ side: MessageList.Side, older: Int, newer: Int
  ) throws -> MessagePage {
    let reader = MessageReader(db: list.db)
    let bytesMax = older == 0 || newer == 0 ? MessageReader.bytesMax : MessageReader.bytesMax / 2
    func fitting(_ places: [MessageList.Place]) throws -> [MessageList.Place] {
      Array(places.prefix(try reader.prefix(places.map(\.id), bytesMax: bytesMax).count))
    }
    let below = try fitting(list.places(side, place, older))
    let above = try fitting(list.places(.after, place, newer))
    let (lowest, highest) = (below.last ?? above.first, above.last ?? below.first)
    // With an empty page, the others are on both sides of the requested place.
    let hasOlder = try lowest.map { try list.places(.before, $0, 1) } ?? list.places(side, place, 1)
    let hasNewer = try highest.map { try list.places(.after, $0, 1) } ?? list.places(side == .before ? .from : .after, place, 1)
    return MessagePage(
      messages: try reader.messages(above.reversed().map(\.id) + below.map(\.id)), hasOlder: !hasOlder.isEmpty,
      hasNewer: !hasNewer.isEmpty, revision: try Self.counters(list.db).revision)
  }

  // MARK: - Conversations

  func conversation(of channel: ChannelID) throws -> StoredConversation? {
    try read { db in try MessageReader(db: db).conversations([channel.rawValue]).first }
  }

  func summaries(of channels: Set<ChannelID>) throws -> [ChannelID: ConversationSummary] {
    try read { db in
      try ConversationSummary.all(
        "conversations", join: " LEFT JOIN messages m ON m.id = last_id", preview: "substr(m.text, 1, \(Self.previewTextMax))",
        of: channels, db)
    }
  }

  func summaries() throws -> [ChannelID: ConversationSummary] {
    try read { try ConversationSummary.all("conversations", $0) }
  }

  /// How many scalars of a text are looked at for a preview. Spaces in a row count as one there.
  private static let previewTextMax = 1_000

  func conversations(_ question: ConversationQuestion) throws -> [StoredConversation] {
    try read { db in
      let index = question.isUnread ? "conversations_unread" : "conversations_by_place"
      let isUnread = question.isUnread ? " AND unread > 0 AND is_muted = 0" : ""
      let place = question.after.map { ($0.lastPosition, $0.channel.rawValue) } ?? (.max, .max)
      let channels = try Int64.fetchAll(
        db,
        cached: """
          SELECT channel_id FROM conversations INDEXED BY \(index)
          WHERE last_position IS NOT NULL\(isUnread) AND is_hidden = ? AND (last_position, channel_id) < (?, ?)
          ORDER BY last_position DESC, channel_id DESC LIMIT ?
          """, arguments: [question.isHidden, place.0, place.1, max(1, question.limit)])
      return try MessageReader(db: db).conversations(channels)
    }
  }

  // MARK: - Changes

  func changedMessages(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) throws -> (changes: [ChangedMessage], through: Int64) {
    try read { db in
      let limit = max(1, limit)
      let messages = try Self.changes("messages", "id", after: revision, channels, limit: limit + 1, db)
      let conversations = try Self.changes("conversations", "channel_id", after: revision, channels, limit: limit + 1, db)
      // Each object has its own revision.
      let all = (messages.map { ($0, true) } + conversations.map { ($0, false) }).sorted { $0.0.revision < $1.0.revision }
      let reader = MessageReader(db: db)
      let wanted = all.prefix(limit)
      let fitting = Set(try reader.prefix(wanted.filter(\.1).map(\.0.id)))
      let chosen = Array(wanted.prefix { !$0.1 || fitting.contains($0.0.id) })
      let read = try reader.messages(chosen.filter(\.1).map(\.0.id))
      var changes = read.map(ChangedMessage.message)
      changes += try reader.conversations(chosen.filter { !$0.1 }.map(\.0.id), known: read).map(ChangedMessage.conversation)
      let through = chosen.count < all.count ? chosen.last?.0.revision ?? revision : try Self.counters(db).revision
      return (changes.sorted { $0.revision < $1.revision }, max(revision, through))
    }
  }

  private static func changes(
    _ table: String, _ key: String, after revision: Int64, _ channels: Set<ChannelID>?, limit: Int, _ db: Database
  ) throws -> [(id: Int64, revision: Int64)] {
    var arguments: StatementArguments = [revision]
    var condition = ""
    if let channels {
      condition = " AND channel_id IN (SELECT value FROM json_each(?))"
      arguments += [MessageReader.list(channels.map(\.rawValue))]
    }
    arguments += [limit]
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT \(key), revision FROM \(table) INDEXED BY \(table)_by_change WHERE revision > ?\(condition) ORDER BY revision LIMIT ?
        """, arguments: arguments)
    return try rows.map { row in
      var values = MessageValues(row)
      return (id: try values.integer(), revision: try values.integer())
    }
  }
}
