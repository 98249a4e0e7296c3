internal import Channels
internal import GRDB
internal import Storage

// The questions and writes of `MessageStorage`, for a thread that may wait.
extension MessageStore {
  func messageCounters() throws -> MessageCounters { try read { db in try Self.counters(db) } }

  func begin(_ channel: ChannelID, since: Timestamp) throws {
    try write({ try $0.begin(channel, since: since) }, result: { _ in })
  }

  func take(_ read: [ReadNews], at now: Timestamp, within limits: MessageLimits) throws -> MessageReceipt {
    try write(
      { writing in for news in read { try writing.take(news, at: now, within: limits) } }, result: { $0.receipt })
  }

  func mirror(_ posts: [MirroredPost], through revision: Int64) throws -> MessageReceipt {
    try write(
      { writing in
        for post in posts { try writing.mirror(post) }
        writing.mirrored(through: revision)
      }, result: { $0.receipt })
  }

  func names(in channel: ChannelID, except served: Set<String>, limit: Int) throws -> StoredNames {
    try read { db in
      var names = StoredNames()
      // Each of these is a range of the index. A hidden message may have been deleted too.
      let ranges = [0, 2, 3].flatMap { absence in [0, 1].map { (absence, $0) } }
      for (absence, isOwn) in ranges where names.messages.count < limit {
        let rows = try Row.fetchCursor(
          db,
          sql: """
            SELECT m.network_id FROM messages m INDEXED BY messages_of_channel
            WHERE m.channel_id = ? AND m.absence = ? AND m.is_own = ? AND m.network_id IS NOT NULL
            ORDER BY m.position DESC, m.id DESC
            """, arguments: [channel.rawValue, absence, isOwn])
        while names.messages.count < limit, let row = try rows.next() {
          var values = MessageValues(row)
          let name = try values.text()
          if !served.contains(name) { names.messages.append(name) }
        }
      }
      // The state of own reactions is known.
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT network_id FROM reactions INDEXED BY reactions_by_name
          WHERE channel_id = ? AND network_id IS NOT NULL AND post_id IS NULL ORDER BY network_id LIMIT ?
          """, arguments: [channel.rawValue, max(0, limit)])
      while let row = try rows.next() {
        var values = MessageValues(row)
        names.reactions.append(try values.text())
      }
      return names
    }
  }

  func note(_ syncs: [MessageSyncRow]) throws {
    try write(
      { writing in
        for sync in syncs where try writing.conversation(sync.channel) != nil {
          try writing.run(
            """
            INSERT INTO message_syncs (\(MessageSyncRow.columns)) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (channel_id, relay_id) DO UPDATE SET complete_at = coalesce(excluded.complete_at, complete_at),
              asked_at = excluded.asked_at, cause = excluded.cause, detail = excluded.detail
            """,
            [
              sync.channel.rawValue, sync.relay.rawValue, sync.completeAt?.milliseconds, sync.askedAt.milliseconds,
              sync.trouble?.cause.rawValue, sync.trouble?.detail,
            ])
        }
      }, result: { _ in })
  }

  func markRead(_ channel: ChannelID, through message: MessageID?) throws -> ConversationRow? {
    try write(
      { writing in
        guard let conversation = try writing.conversation(channel) else { return }
        // A later message is never marked as read, whatever id the caller names.
        let through = min(message?.rawValue ?? .max, conversation.newest)
        guard through > conversation.row.readThrough.rawValue else { return }
        try writing.read(channel, through: through)
        try writing.decideRead(channel)
      }, result: { try $0.conversation(channel)?.row })
  }

  func markUnread(_ channel: ChannelID, from message: MessageID) throws -> ConversationRow? {
    try write(
      { writing in
        guard let conversation = try writing.conversation(channel) else { return }
        let through = max(message.rawValue, 1) - 1
        guard through < conversation.row.readThrough.rawValue else { return }
        try writing.read(channel, through: through)
        try writing.decideRead(channel)
      }, result: { try $0.conversation(channel)?.row })
  }

  func end(_ channels: Set<ChannelID>) throws -> MessageReceipt {
    try write({ writing in for channel in channels { try writing.end(channel) } }, result: { $0.receipt })
  }

  func channelsWithConversation() throws -> [ChannelID: ConversationMarks] {
    try read { db in
      var found: [ChannelID: ConversationMarks] = [:]
      let rows = try Row.fetchCursor(db, sql: "SELECT channel_id, \(ConversationMarks.columns) FROM conversations")
      while let row = try rows.next() {
        var values = MessageValues(row)
        found[ChannelID(rawValue: try values.integer())] = try ConversationMarks(&values)
      }
      return found
    }
  }

  func mark(_ channel: ChannelID, _ marks: ConversationMarks) throws -> MessageReceipt {
    try write(
      { writing in
        guard let known = try writing.conversation(channel)?.row.marks else { return }
        try writing.change(channel) { $0.row.marks = marks }
        if let end = marks.truncatedAt, end > known.truncatedAt ?? Timestamp(milliseconds: .min) {
          try writing.truncate(channel, at: end)
        }
        // A dropped message never comes back unless more are kept again.
        if let keep = marks.keep, keep < known.keep ?? .max { try writing.trim(channel, within: MessageLimits()) }
      }, result: { $0.receipt })
  }

  func hide(_ channel: ChannelID, at time: Timestamp?) throws -> ConversationRow? {
    try write(
      { writing in
        guard try writing.conversation(channel) != nil else { return }
        try writing.change(channel) { $0.row.isHidden = time != nil }
        try writing.decide(PersonalDecision(.channelHidden, channel: channel, at: time))
      }, result: { try $0.conversation(channel)?.row })
  }
}

extension MessageStore {
  func hideMessage(_ message: MessageID, at time: Timestamp?) throws -> MessageReceipt? {
    var isThere = false
    return try write(
      { writing in
        guard let known = try writing.known(message.rawValue) else { return }
        isThere = true
        try writing.hide(known, time != nil)
        guard known.post == nil, !known.isDeleted, let name = known.networkID else { return }
        try writing.decide(PersonalDecision(.hidden, channel: known.channel, name: name, at: time))
      }, result: { isThere ? $0.receipt : nil })
  }

  func pinMessage(_ message: MessageID, at time: Timestamp?) throws -> MessagePinning? {
    var pinning: MessagePinning?
    return try write(
      { writing in
        guard let known = try writing.known(message.rawValue) else { return }
        pinning = try writing.pin(known, at: time) ? .done(writing.receipt) : .tooMany
        guard case .done? = pinning, !known.isDeleted, let name = known.networkID else { return }
        try writing.decide(PersonalDecision(.pinned, channel: known.channel, name: name, at: time))
      },
      result: { writing in
        if case .done? = pinning { return .done(writing.receipt) }
        return pinning
      })
  }

  func decline(_ author: String, in channel: ChannelID, at now: Timestamp) throws -> MessageReceipt? {
    var end: Timestamp?
    return try write(
      { writing in
        end = try writing.decline(author.storable, in: channel, at: now)
        if let end { try writing.decide(PersonalDecision(.declined, channel: channel, name: author.storable, at: end)) }
      }, result: { end == nil ? nil : $0.receipt })
  }

  func mute(_ author: String, at time: Timestamp?) throws -> MessageReceipt {
    try write(
      { writing in
        try writing.mute(author.storable, at: time)
        try writing.decide(PersonalDecision(.muted, name: author.storable, at: time))
      }, result: { $0.receipt })
  }
}

extension MessageWriting {
  /// Removes the messages of a channel that are at this time or before it. Those dated later are kept as deleted ones, so that they are
  /// known when they are read again.
  mutating func truncate(_ channel: ChannelID, at end: Timestamp) throws {
    let (id, place) = (channel.rawValue, end.milliseconds)
    let ahead = try Int64.fetchAll(
      db, sql: "SELECT id FROM messages WHERE channel_id = ? AND absence <> 1 AND position <= ? AND created_at > ?",
      arguments: [id, place, place])
    for message in ahead { if let known = try known(message) { try delete(known, at: end) } }
    let past = "channel_id = ?1 AND created_at <= ?2"
    let authors = try authors(of: "SELECT DISTINCT author FROM messages WHERE \(past) AND is_own = 0", [id, place])
    // Deleted messages have no words.
    try run(
      """
      INSERT INTO message_words (message_words, rowid, text, channel)
      SELECT 'delete', id, coalesce(words, text), 'c' || channel_id FROM messages WHERE \(past) AND absence = 0
      """, [id, place])
    try run("DELETE FROM message_relays WHERE message_id IN (SELECT id FROM messages WHERE \(past))", [id, place])
    try run(
      """
      DELETE FROM reactions WHERE channel_id = ?1 AND target IN (
        SELECT network_id FROM messages WHERE \(past) AND network_id IS NOT NULL)
      """, [id, place])
    try run("DELETE FROM messages WHERE \(past)", [id, place])
    for author in authors { try lookAtPerson(author) }
    let kept = try Int.fetchOne(db, sql: "SELECT count(*) FROM messages WHERE channel_id = ? AND is_own = 0", arguments: [id])
    try change(channel) { $0.kept = kept ?? 0 }
    guard let through = try conversation(channel)?.row.readThrough.rawValue else { return }
    try read(channel, through: through)
    try findLast(channel)
    // Messages that answer a removed message do not show it any more.
    let answers = try Int64.fetchAll(
      db, sql: "SELECT id FROM messages WHERE channel_id = ? AND reply_to IS NOT NULL", arguments: [id])
    for answer in answers { touch(answer) }
  }

  /// Removes all data of a channel.
  mutating func end(_ channel: ChannelID) throws {
    forget(channel)
    let id = channel.rawValue
    let authors = try authors(of: "SELECT DISTINCT author FROM messages WHERE channel_id = ? AND is_own = 0", [id])
    // Deleted messages have no words.
    try run(
      """
      INSERT INTO message_words (message_words, rowid, text, channel) SELECT 'delete', id, coalesce(words, text), 'c' || channel_id
      FROM messages INDEXED BY messages_of_channel WHERE channel_id = ? AND absence = 0
      """, [id])
    try run(
      """
      DELETE FROM message_relays WHERE message_id IN (
        SELECT id FROM messages INDEXED BY messages_of_channel WHERE channel_id = ?)
      """, [id])
    for table in [
      "messages", "reactions", "pending_deletions", "message_syncs", "members", "member_lists", "decisions", "conversations",
    ] {
      try run("DELETE FROM \(table) WHERE channel_id = ?", [id])
    }
    for author in authors { try lookAtPerson(author) }
  }
}
