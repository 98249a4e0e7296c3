internal import Channels
internal import GRDB
internal import Storage

/// One transaction that writes messages: the conversations that it has read, and its changes. Each object that changed gets its own
/// revision at the end.
struct MessageWriting {
  /// A conversation with numbers that no one else needs.
  struct Conversation: Hashable {
    var row: ConversationRow
    /// The highest id that a message of the channel ever had.
    var newest: Int64
    /// How many of other people's messages are kept.
    var kept: Int
  }

  /// Why readers do not see a message.
  enum Absence: Int64 {
    /// It is visible.
    case none = 0
    /// It was deleted: only its head is left.
    case deleted = 1
    /// Someone has hidden it.
    case hidden = 2
    /// Its author is muted.
    case muted = 3

    var isHidden: Bool { self == .hidden || self == .muted }

    init(_ values: inout MessageValues) throws {
      guard let absence = Absence(rawValue: try values.integer()) else { throw MessageValues.damaged }
      self = absence
    }
  }

  /// The facts about a stored message.
  struct Known {
    let id: Int64
    let channel: ChannelID
    let isOwn: Bool
    let isMention: Bool
    let counts: Bool
    let absence: Absence
    let hasFiles: Bool
    let post: Int64?
    let networkID: String?
    let author: String

    var isDeleted: Bool { absence == .deleted }

    fileprivate static let columns =
      "id, channel_id, is_own, is_mention, counts, absence, has_files, post_id, network_id, author"

    fileprivate init(_ row: Row) throws {
      var values = MessageValues(row)
      (id, channel) = (try values.integer(), ChannelID(rawValue: try values.integer()))
      (isOwn, isMention) = (try values.flag(), try values.flag())
      (counts, absence, hasFiles) = (try values.flag(), try Absence(&values), try values.flag())
      post = try values.integerIfAny()
      (networkID, author) = (try values.textIfAny(), try values.text())
    }
  }

  let db: Database
  private let before: MessageCounters
  private(set) var counters: MessageCounters
  private var conversations: [ChannelID: Conversation] = [:]
  /// The stored versions of these conversations.
  private var stored: [ChannelID: Conversation] = [:]
  /// Messages that were there before and have changed.
  private var changed: Set<Int64> = []
  /// Conversations that show something else, though their numbers may be the same.
  private var reworded: Set<ChannelID> = []
  /// How many messages and reactions are new, and how many were left out because of a limit.
  var new = 0
  var refused = 0

  init(_ db: Database) throws {
    self.db = db
    before = try MessageStore.counters(db)
    counters = before
  }

  // MARK: - Numbers

  /// The newest revision before this transaction.
  var revisionBefore: Int64 { before.revision }

  mutating func nextRevision() -> Int64 {
    counters.revision += 1
    return counters.revision
  }

  mutating func nextMessage() -> Int64 {
    counters.message += 1
    return counters.message
  }

  mutating func mirrored(through revision: Int64) { counters.mirrored = max(counters.mirrored, revision) }

  /// Notes that a message has changed. No one has seen an earlier version of a message that is new in this transaction.
  mutating func touch(_ message: Int64) {
    if message <= before.message { changed.insert(message) }
  }

  /// Messages that answer the one with this name will show it, or stop showing it.
  mutating func touchAnswers(to name: String?, in channel: ChannelID) throws {
    guard let name else { return }
    let answers = try Int64.fetchAll(
      db, cached: "SELECT id FROM messages INDEXED BY messages_answering WHERE channel_id = ? AND reply_to = ?",
      arguments: [channel.rawValue, name])
    for answer in answers { touch(answer) }
  }

  /// Stores the common parts of all changes. Nothing may be written afterwards.
  mutating func finish() throws {
    for message in changed.sorted() {
      try run("UPDATE messages SET revision = ? WHERE id = ?", [nextRevision(), message])
    }
    for (channel, conversation) in conversations.sorted(by: { $0.key < $1.key })
    where conversation != stored[channel] || reworded.contains(channel) {
      var conversation = conversation
      if conversation.row != stored[channel]?.row || reworded.contains(channel) { conversation.row.revision = nextRevision() }
      conversations[channel] = conversation
      try store(conversation)
    }
    guard counters != before else { return }
    try run(
      "UPDATE counters SET message = ?, revision = ?, mirrored = ? WHERE id = 1",
      [counters.message, counters.revision, counters.mirrored])
  }

  /// The result, once it is finished.
  var receipt: MessageReceipt { MessageReceipt(revision: counters.revision, new: new, refused: refused) }

  func run(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  // MARK: - Conversations

  /// The conversation with its changes so far, or `nil` if the channel has none.
  mutating func conversation(_ channel: ChannelID) throws -> Conversation? {
    if let known = conversations[channel] { return known }
    let row = try Row.fetchOne(
      db, cached: "SELECT \(ConversationRow.columns), newest_id, kept FROM conversations WHERE channel_id = ?",
      arguments: [channel.rawValue])
    guard let row else { return nil }
    var values = MessageValues(row)
    let conversation = Conversation(
      row: try ConversationRow(&values), newest: try values.number(), kept: Int(try values.number()))
    conversations[channel] = conversation
    stored[channel] = conversation
    return conversation
  }

  /// Changes an existing conversation.
  mutating func change(_ channel: ChannelID, _ body: (inout Conversation) throws -> Void) throws {
    guard var conversation = try conversation(channel) else { throw MessageValues.damaged }
    try body(&conversation)
    conversations[channel] = conversation
  }

  mutating func begin(_ channel: ChannelID, since: Timestamp) throws {
    guard try conversation(channel) == nil else { return }
    let decided = try decisions(about: "", in: channel)
    // A message written after the channel was last read is news, though it was requested.
    let read = decided[.read]?.at.map { $0 + .milliseconds(1) }
    var row = ConversationRow(channel: channel, since: min(since, read ?? since), revision: 0)
    row.isHidden = decided[.channelHidden]?.at != nil
    conversations[channel] = Conversation(row: row, newest: 0, kept: 0)
  }

  mutating func forget(_ channel: ChannelID) {
    conversations[channel] = nil
    stored[channel] = nil
  }

  private func store(_ conversation: Conversation) throws {
    let row = conversation.row
    try run(
      """
      INSERT INTO conversations (\(ConversationRow.columns), newest_id, kept)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (channel_id) DO UPDATE SET since = excluded.since, read_through = excluded.read_through, unread = excluded.unread,
        unread_mentions = excluded.unread_mentions, last_id = excluded.last_id, last_position = excluded.last_position,
        last_at = excluded.last_at, member_count = excluded.member_count, is_hidden = excluded.is_hidden, is_muted = excluded.is_muted, is_pinned = excluded.is_pinned,
        truncated_at = excluded.truncated_at, keep = excluded.keep, revision = excluded.revision, newest_id = excluded.newest_id, kept = excluded.kept
      """,
      [
        row.channel.rawValue, row.since.milliseconds, row.readThrough.rawValue, row.unread, row.unreadMentions,
        row.last?.rawValue, row.lastPosition, row.lastAt?.milliseconds, row.memberCount, row.isHidden, row.marks.isMuted,
        row.marks.isPinned,
        row.marks.truncatedAt?.milliseconds, row.marks.keep, row.revision, conversation.newest, conversation.kept,
      ])
  }

  /// The time of the last message. Someone may have made up a date before any clock.
  static func lastAt(_ created: Timestamp, _ received: Timestamp) -> Timestamp {
    max(Timestamp(milliseconds: 0), min(created, received))
  }

  /// The message with the last place among the visible ones.
  /// - Parameter newest: only messages that arrived up to this one.
  func last(of channel: ChannelID, through newest: Int64 = .max) throws -> (position: Int64, id: Int64)? {
    // Own messages and other people's messages are two ranges of the index.
    var last: (position: Int64, id: Int64)?
    for isOwn in [0, 1] {
      let row = try Row.fetchOne(
        db,
        cached: """
          SELECT position, id FROM messages INDEXED BY messages_of_channel
          WHERE channel_id = ? AND absence = 0 AND is_own = ? AND id <= ?
          ORDER BY position DESC, id DESC LIMIT 1
          """, arguments: [channel.rawValue, isOwn, newest])
      guard let row else { continue }
      var values = MessageValues(row)
      let found = (position: try values.integer(), id: try values.integer())
      if let known = last, found < known { continue }
      last = found
    }
    return last
  }

  /// Looks for the last message again.
  mutating func findLast(_ channel: ChannelID) throws {
    let last = try last(of: channel)
    var at: Timestamp?
    if let last {
      let row = try Row.fetchOne(
        db, cached: "SELECT created_at, received_at FROM messages WHERE id = ?", arguments: [last.id])
      guard let row else { throw MessageValues.damaged }
      var values = MessageValues(row)
      at = Self.lastAt(try values.time(), try values.time())
    }
    try change(channel) { conversation in
      conversation.row.lastAt = at
      conversation.row.last = last.map { MessageID(rawValue: $0.id) }
      conversation.row.lastPosition = last?.position
    }
  }

  /// Marks everything up to a message as read, and counts the unread messages.
  mutating func read(_ channel: ChannelID, through message: Int64) throws {
    let row = try Row.fetchOne(
      db,
      cached: """
        SELECT count(*), coalesce(sum(is_mention), 0) FROM messages INDEXED BY messages_counting
        WHERE channel_id = ? AND counts = 1 AND absence = 0 AND id > ?
        """, arguments: [channel.rawValue, message])
    guard let row else { throw MessageValues.damaged }
    var values = MessageValues(row)
    let (unread, mentions) = (Int(try values.integer()), Int(try values.integer()))
    try change(channel) { conversation in
      conversation.row.readThrough = MessageID(rawValue: message)
      (conversation.row.unread, conversation.row.unreadMentions) = (unread, mentions)
    }
  }

  // MARK: - Messages that are known

  func known(_ name: String, in channel: ChannelID) throws -> Known? {
    try known("channel_id = ? AND network_id = ?", [channel.rawValue, name])
  }

  func known(_ post: PostID) throws -> Known? { try known("post_id = ?", [post.rawValue]) }
  func known(_ id: Int64) throws -> Known? { try known("id = ?", [id]) }

  private func known(_ condition: String, _ arguments: StatementArguments) throws -> Known? {
    try Row.fetchOne(db, cached: "SELECT \(Known.columns) FROM messages WHERE \(condition)", arguments: arguments)
      .map { try Known($0) }
  }

  /// Someone else's message no longer counts: it is removed, or it is Baton's.
  mutating func uncount(_ message: Known) throws {
    guard message.counts, message.absence == .none else { return }
    try change(message.channel) { conversation in
      guard message.id > conversation.row.readThrough.rawValue else { return }
      conversation.row.unread -= 1
      if message.isMention { conversation.row.unreadMentions -= 1 }
    }
  }

  func index(_ message: Int64) throws {
    try run(
      "INSERT INTO message_words (rowid, text, channel) SELECT id, text, channel FROM message_texts WHERE id = ?", [message])
  }

  /// Removes a message from the index of words. It must come before its text changes, because the words are found by the text.
  func unindex(_ message: Int64) throws {
    try run(
      """
      INSERT INTO message_words (message_words, rowid, text, channel)
      SELECT 'delete', id, text, channel FROM message_texts WHERE id = ?
      """, [message])
  }

  mutating func edit(_ message: Known, _ text: String, at now: Timestamp?) throws {
    guard !message.isDeleted else { return }
    let stored = try String.fetchOne(db, cached: "SELECT text FROM messages WHERE id = ?", arguments: [message.id])
    // Texts that look the same may differ in their bytes.
    guard let stored, !stored.utf8.elementsEqual(text.utf8) else { return }
    try unindex(message.id)
    try run(
      "UPDATE messages SET text = ?, words = ?, bytes = bytes + ?, edited_at = coalesce(?, edited_at) WHERE id = ?",
      [text, MessageTokens.stored(text), text.utf8.count - stored.utf8.count, now?.milliseconds, message.id])
    try index(message.id)
    touch(message.id)
    if try conversation(message.channel)?.row.last?.rawValue == message.id { reworded.insert(message.channel) }
  }

  /// Empties a message. It is kept, so that it is known when it is read again.
  mutating func delete(_ message: Known, at now: Timestamp) throws {
    guard !message.isDeleted else { return }
    try unindex(message.id)
    try run(
      """
      UPDATE messages SET text = '', words = NULL, attachments = NULL, participants = NULL, has_files = 0, bytes = 0, absence = 1, pinned_at = NULL, deleted_at = ? WHERE id = ?
      """, [now.milliseconds, message.id])
    try uncount(message)
    if try conversation(message.channel)?.row.last?.rawValue == message.id { try findLast(message.channel) }
    touch(message.id)
  }

  /// Removes someone else's message with everything that belongs to it.
  mutating func drop(_ message: Known) throws {
    try unindex(message.id)
    let minute = try Int64.fetchOne(db, cached: "SELECT minute FROM messages WHERE id = ?", arguments: [message.id])
    try run("DELETE FROM message_relays WHERE message_id = ?", [message.id])
    if let name = message.networkID {
      try run("DELETE FROM reactions WHERE channel_id = ? AND target = ?", [message.channel.rawValue, name])
    }
    try run("DELETE FROM messages WHERE id = ?", [message.id])
    changed.remove(message.id)
    try uncount(message)
    try change(message.channel) { $0.kept -= 1 }
    if try conversation(message.channel)?.row.last?.rawValue == message.id { try findLast(message.channel) }
    try touchAnswers(to: message.networkID, in: message.channel)
    if !message.isOwn, let minute { try lookAtPerson(message.author, without: minute) }
  }

  /// - Returns: whether it was not known there.
  func add(_ relay: RelayID?, to message: Int64) throws -> Bool {
    guard let relay else { return false }
    try run(
      "INSERT INTO message_relays (message_id, relay_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [message, relay.rawValue])
    return db.changesCount > 0
  }
}
