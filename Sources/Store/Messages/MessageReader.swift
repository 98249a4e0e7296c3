internal import Channels
internal import GRDB
internal import Storage

/// Reads messages and conversations by their ids, a few queries for all of them.
struct MessageReader {
  let db: Database

  /// The size of the texts of one answer, in UTF-8 bytes. A message that is larger comes alone.
  static let bytesMax = 1 << 20

  /// A list of numbers in JSON, for SQLite.
  static func list(_ numbers: some Sequence<Int64>) -> String { "[\(numbers.map(String.init).joined(separator: ","))]" }

  /// As many of the first of these messages as one answer may have, but at least one if any exists.
  func prefix(_ ids: [Int64], bytesMax: Int = Self.bytesMax) throws -> [Int64] {
    var bytes: [Int64: Int64] = [:]
    let rows = try Row.fetchAll(
      db, cached: "SELECT id, bytes FROM messages WHERE id IN (SELECT value FROM json_each(?))", arguments: [Self.list(ids)])
    for row in rows {
      var values = MessageValues(row)
      bytes[try values.integer()] = try values.integer()
    }
    var left = Int64(bytesMax)
    var count = 0
    for id in ids {
      let size = bytes[id] ?? 0
      guard count == 0 || size <= left else { break }
      // A number that is damaged must not overflow.
      left = max(0, left - min(max(size, 0), left))
      count += 1
    }
    return Array(ids.prefix(count))
  }

  /// Messages in the order of their ids, without ids that do not exist.
  func messages(_ ids: [Int64]) throws -> [StoredMessage] {
    guard !ids.isEmpty else { return [] }
    let list = Self.list(ids)
    var found: [Int64: StoredMessage] = [:]
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT \(MessageRow.columns), (
          SELECT a.id FROM messages a WHERE a.channel_id = messages.channel_id AND a.network_id = messages.reply_to)
        FROM messages WHERE id IN (SELECT value FROM json_each(?))
        """, arguments: [list])
    for row in rows {
      var values = MessageValues(row)
      let message = try MessageRow(&values)
      found[message.id.rawValue] = StoredMessage(
        row: message, answers: try values.integerIfAny().map(MessageID.init(rawValue:)))
    }
    try addRelays(to: &found, list)
    try addReactions(to: &found, list)
    return ids.compactMap { found[$0] }
  }

  private func addRelays(to found: inout [Int64: StoredMessage], _ list: String) throws {
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT message_id, relay_id FROM message_relays WHERE message_id IN (SELECT value FROM json_each(?))
        ORDER BY message_id, relay_id
        """, arguments: [list])
    for row in rows {
      var values = MessageValues(row)
      let message = try values.integer()
      found[message]?.relays.append(RelayID(rawValue: try values.integer()))
    }
  }

  private func addReactions(to found: inout [Int64: StoredMessage], _ list: String) throws {
    // The same reaction, sent twice by one person, counts once.
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT m.id, r.text, count(DISTINCT r.author) AS n, max(r.is_own)
        FROM messages m JOIN reactions r INDEXED BY reactions_of_target ON r.channel_id = m.channel_id AND r.target = m.network_id
        WHERE m.id IN (SELECT value FROM json_each(?)) AND m.absence <> 1
          AND NOT EXISTS (SELECT 1 FROM people p WHERE p.author = r.author AND p.muted_at IS NOT NULL AND r.is_own = 0)
        GROUP BY m.id, r.text ORDER BY m.id, n DESC, r.text
        """, arguments: [list])
    for row in rows {
      var values = MessageValues(row)
      let message = try values.integer()
      let text = try values.text()
      found[message]?.reactions.append(
        StoredMessage.Reaction(text: text, count: Int(try values.integer()), isOwn: try values.flag()))
    }
  }

  /// Conversations in the order of these channels, without channels that have none.
  /// - Parameter known: messages that were read at the same moment. The last one of a conversation is often among them.
  func conversations(_ channels: [Int64], known: [StoredMessage] = []) throws -> [StoredConversation] {
    guard !channels.isEmpty else { return [] }
    let list = Self.list(channels)
    var found: [Int64: StoredConversation] = [:]
    let rows = try Row.fetchAll(
      db,
      cached: "SELECT \(ConversationRow.columns) FROM conversations WHERE channel_id IN (SELECT value FROM json_each(?))",
      arguments: [list])
    for row in rows {
      var values = MessageValues(row)
      let conversation = try ConversationRow(&values)
      found[conversation.channel.rawValue] = StoredConversation(row: conversation)
    }
    var wanted = Set(found.values.compactMap { $0.row.last?.rawValue })
    for message in known where wanted.remove(message.row.id.rawValue) != nil {
      found[message.row.channel.rawValue]?.last = message
    }
    for last in try messages(wanted.sorted()) { found[last.row.channel.rawValue]?.last = last }
    let syncs = try Row.fetchAll(
      db,
      cached: """
        SELECT \(MessageSyncRow.columns) FROM message_syncs WHERE channel_id IN (SELECT value FROM json_each(?))
        ORDER BY channel_id, relay_id
        """, arguments: [list])
    for row in syncs {
      var values = MessageValues(row)
      let sync = try MessageSyncRow(&values)
      found[sync.channel.rawValue]?.syncs.append(sync)
    }
    return channels.compactMap { found[$0] }
  }
}
