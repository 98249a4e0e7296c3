internal import Channels
internal import Filters
internal import GRDB
internal import Storage

// The authors of messages, and which messages are hidden.
extension MessageWriting {
  /// How many of someone's last messages show their new name.
  static let renamedMax = 20

  /// Notes the author of someone else's message that is about to be stored.
  /// - Returns: the facts about them.
  mutating func note(_ row: MessageRow) throws -> (isMuted: Bool, name: String?) {
    let minute = row.shownAt.minute
    let known = try Row.fetchOne(
      db, cached: "SELECT minute, muted_at, name FROM people WHERE author = ?", arguments: [row.author])
    guard let known else {
      let name = try meet(row.author, minute: minute)
      if let name = row.authorName { try rename(row.author, name, at: row.createdAt) }
      return (false, name)
    }
    var values = MessageValues(known)
    let (last, mutedAt, name) = (try values.integer(), try values.integerIfAny(), try values.textIfAny())
    if minute > last { try run("UPDATE people SET minute = ? WHERE author = ?", [minute, row.author]) }
    if let new = row.authorName, name?.utf8.elementsEqual(new.utf8) != true { try rename(row.author, new, at: row.createdAt) }
    return (mutedAt != nil, name)
  }

  /// Stores a person by the name that they have as a member.
  private func meet(_ author: String, minute: Int64, mutedAt: Timestamp? = nil) throws -> String? {
    try run(
      "INSERT INTO people (author, minute, muted_at) VALUES (?, ?, ?)", [author, minute, mutedAt?.milliseconds])
    let member = try Row.fetchOne(
      db,
      cached: """
        SELECT name, named_at FROM members INDEXED BY members_of_author
        WHERE author = ? AND name IS NOT NULL AND named_at IS NOT NULL ORDER BY named_at DESC LIMIT 1
        """, arguments: [author])
    guard let member else { return nil }
    var values = MessageValues(member)
    let name = try values.text()
    try rename(author, name, at: try values.time())
    return name
  }

  private func rename(_ author: String, _ name: String, at time: Timestamp) throws {
    try run(
      "UPDATE people SET name = ?, folded = ?, named_at = ? WHERE author = ?",
      [name, name.folded, time.milliseconds, author])
  }

  /// Stores someone's name for themselves, if that is news, and shows it with their last messages.
  mutating func take(_ profile: ReadProfile) throws {
    let (author, name) = (profile.author.storable, profile.name.storable)
    try nameMember(author, name, at: profile.createdAt)
    let known = try Row.fetchOne(db, cached: "SELECT name, named_at FROM people WHERE author = ?", arguments: [author])
    guard let known else { return }
    var values = MessageValues(known)
    let (old, since) = (try values.textIfAny(), try values.timeIfAny())
    if let since, profile.createdAt <= since { return }
    try rename(author, name, at: profile.createdAt)
    try run("UPDATE people SET domain_name = ? WHERE author = ?", [profile.domainName?.storable, author])
    guard old?.utf8.elementsEqual(name.utf8) != true else { return }
    // A hidden message may be shown again.
    let last = try [Absence.none, .hidden, .muted].flatMap { absence in
      try Int64.fetchAll(
        db,
        cached: """
          SELECT id FROM messages INDEXED BY messages_of_author WHERE author = ? AND absence = ? AND is_own = 0
          ORDER BY position DESC, id DESC LIMIT ?
          """, arguments: [author, absence.rawValue, Self.renamedMax])
    }
    for message in last {
      try run("UPDATE messages SET author_name = ? WHERE id = ?", [name, message])
      touch(message)
    }
  }

  /// Brings the facts about an author up to date after their messages went. Only muted people are kept without messages.
  mutating func lookAtPerson(_ author: String) throws {
    let last = try MessageStore.channels(of: author, db).compactMap { channel in
      try MessageStore.lastMinute(of: author, in: channel, db)
    }.max()
    if let last {
      try run("UPDATE people SET minute = ?1 WHERE author = ?2 AND minute <> ?1", [last, author])
    } else {
      try run("DELETE FROM people WHERE author = ? AND muted_at IS NULL", [author])
      try run("UPDATE people SET minute = 0 WHERE author = ?", [author])
    }
  }

  /// The same after one message went. Unless it was the last one, there is nothing to do.
  mutating func lookAtPerson(_ author: String, without minute: Int64) throws {
    let last = try Int64.fetchOne(db, cached: "SELECT minute FROM people WHERE author = ?", arguments: [author])
    if let last, minute >= last { try lookAtPerson(author) }
  }

  func authors(of sql: String, _ arguments: StatementArguments) throws -> [String] {
    try String.fetchAll(db, sql: sql, arguments: arguments)
  }

  // MARK: - Hidden messages

  mutating func hide(_ message: Known, _ isHidden: Bool) throws {
    // It may have become Baton's own post since someone looked.
    guard message.post == nil else { return }
    if isHidden { return try set(.hidden, message) }
    try set(isMuted(message.author) && !message.isOwn ? .muted : .none, message)
  }

  /// Pins a message, or unpins it. A deleted message does not change.
  /// - Returns: whether there was room for one more pinned message in the channel.
  mutating func pin(_ message: Known, at time: Timestamp?) throws -> Bool {
    guard !message.isDeleted else { return true }
    let isPinned =
      try Int.fetchOne(db, cached: "SELECT 1 FROM messages WHERE id = ? AND pinned_at IS NOT NULL", arguments: [message.id])
      != nil
    guard isPinned != (time != nil) else { return true }
    if time != nil {
      let count = try Int.fetchOne(
        db,
        cached: "SELECT count(*) FROM messages INDEXED BY messages_pinned WHERE channel_id = ? AND pinned_at IS NOT NULL",
        arguments: [message.channel.rawValue])
      guard count ?? 0 < MessagePinning.max else { return false }
    }
    try run("UPDATE messages SET pinned_at = ? WHERE id = ?", [time?.milliseconds, message.id])
    touch(message.id)
    return true
  }

  func isMuted(_ author: String) throws -> Bool {
    try Int.fetchOne(
      db, cached: "SELECT 1 FROM people WHERE author = ? AND muted_at IS NOT NULL", arguments: [author]) != nil
  }

  /// Hides a message from readers, or shows it again.
  mutating func set(_ absence: Absence, _ message: Known) throws {
    guard message.absence != absence, !message.isDeleted else { return }
    try unindex(message.id)
    try uncount(message)
    try run("UPDATE messages SET absence = ? WHERE id = ?", [absence.rawValue, message.id])
    touch(message.id)
    if absence == .none {
      try index(message.id)
      try count(message)
    }
    // Whether it was the last one, or is that now.
    if message.absence == .none || absence == .none { try findLast(message.channel) }
  }

  /// A message that is shown again counts as before.
  private mutating func count(_ message: Known) throws {
    guard message.counts else { return }
    try change(message.channel) { conversation in
      guard message.id > conversation.row.readThrough.rawValue else { return }
      conversation.row.unread += 1
      if message.isMention { conversation.row.unreadMentions += 1 }
    }
  }

  /// Messages show no reactions of people who are muted.
  private mutating func touchTargets(ofReactionsBy author: String) throws {
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT m.id FROM (SELECT DISTINCT channel_id, target FROM reactions INDEXED BY reactions_of_author WHERE author = ?) r
        JOIN messages m INDEXED BY messages_by_name ON m.channel_id = r.channel_id AND m.network_id = r.target
          AND m.network_id IS NOT NULL
        WHERE m.absence <> 1
        """, arguments: [author])
    for row in rows {
      var values = MessageValues(row)
      touch(try values.integer())
    }
  }

  /// Hides all messages of an author, or shows those again that no one has hidden one by one.
  mutating func mute(_ author: String, at time: Timestamp?) throws {
    let isKnown = try Int.fetchOne(db, cached: "SELECT 1 FROM people WHERE author = ?", arguments: [author]) != nil
    if isKnown, let time {
      try run("UPDATE people SET muted_at = coalesce(muted_at, ?) WHERE author = ?", [time.milliseconds, author])
    } else if isKnown {
      try run("UPDATE people SET muted_at = NULL WHERE author = ?", [author])
    } else if let time {
      _ = try meet(author, minute: 0, mutedAt: time)
    }
    let (from, to): (Absence, Absence) = time == nil ? (.muted, .none) : (.none, .muted)
    let wanted = "author = ? AND absence = ? AND is_own = 0"
    let changed = try Int64.fetchAll(
      db, cached: "SELECT id FROM messages INDEXED BY messages_of_author WHERE \(wanted) ORDER BY id",
      arguments: [author, from.rawValue])
    for id in changed { if let message = try known(id) { try set(to, message) } }
    try touchTargets(ofReactionsBy: author)
    if time == nil { try lookAtPerson(author) }
  }
}
