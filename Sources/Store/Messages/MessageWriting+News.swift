internal import Channels
internal import GRDB
internal import Storage

// News that was read.
extension MessageWriting {
  mutating func take(_ read: ReadNews, at now: Timestamp, within limits: MessageLimits) throws {
    let channel = read.news.channel
    guard let conversation = try conversation(channel) else { return }
    switch read.news.what {
    case .message(let message):
      let name = message.networkID.storable
      if let known = try known(name, in: channel) {
        if try add(read.relay, to: known.id) { touch(known.id) }
        try complete(known, message.attachments)
      } else {
        if let end = conversation.row.marks.truncatedAt, message.createdAt <= end { return }
        let isLive = read.news.isLive
        let counts = !message.isOwn && (isLive || message.createdAt >= conversation.row.since)
        let place = isLive ? now : min(message.createdAt, now)
        let row = MessageRow(
          id: MessageID(rawValue: 0), channel: channel, networkID: name, author: message.author.storable,
          authorName: message.authorName?.storable, text: message.text.storable, createdAt: message.createdAt, receivedAt: now,
          position: max(0, place.milliseconds), replyTo: message.replyTo?.storable, attachments: message.attachments,
          participants: message.participants.map(\.storable), isMention: message.isMention, isOwn: message.isOwn,
          counts: counts, revision: 0)
        guard
          try message.isOwn || hasRoom(for: row, within: limits) || decisions(about: name, in: channel)[.pinned]?.at != nil
        else {
          refused += 1
          return
        }
        _ = try insert(row, from: read.relay)
        try trim(channel, within: limits)
      }
    case .edited(let name, let text):
      let name = name.storable
      if let known = try known(name, in: channel) {
        try edit(known, text.storable, at: now)
      } else if let reaction = try reaction(name, in: channel) {
        try edit(reaction, text.storable)
      }
    case .deleted(let name, let author):
      try delete(name.storable, in: channel, author: author?.storable, at: now, within: limits)
    case .removed(let name, let person):
      let person = person.storable
      let isModerator = try hasRole(person, in: channel)
      try delete(name.storable, in: channel, author: isModerator ? nil : person, at: now, within: limits)
      guard !isModerator, let known = try known(name.storable, in: channel), known.author != person else { return }
      // It may not be known yet that they have a role.
      try addPendingDeletion(of: name.storable, by: person, in: channel, at: now, limits.pendingDeletionsMax)
    case .reaction(let reaction): try take(reaction, in: channel, within: limits)
    case .profile(let profile): try take(profile)
    case .members(let list): try take(list, in: channel, at: now)
    case .memberCount(let count): try change(channel) { $0.row.memberCount = max(0, count) }
    case .joinRequest(let request): try take(request, in: channel, at: now)
    }
  }

  // MARK: - Messages

  /// Baton's post may be known before its files are.
  private mutating func complete(_ known: Known, _ files: [ReadAttachment]) throws {
    guard known.post != nil, !known.hasFiles, !known.isDeleted, let stored = try MessageFiles.stored(files) else { return }
    try run(
      "UPDATE messages SET attachments = ?, has_files = 1, bytes = bytes + ? WHERE id = ?",
      [stored, stored.utf8.count, known.id])
    touch(known.id)
  }

  /// Stores a message that is not known. If a request to delete it has come before, it is deleted. Earlier decisions apply.
  /// - Parameter row: its id and its revision are left to this.
  /// - Returns: its id.
  mutating func insert(_ row: MessageRow, from relay: RelayID?) throws -> Int64 {
    var row = row
    if let name = row.networkID, let at = try takePendingDeletion(of: name, by: row.author, in: row.channel),
      row.deletedAt == nil
    {
      row.deletedAt = at
    }
    if row.deletedAt != nil { (row.text, row.attachments, row.participants) = ("", [], []) }
    let decided = try decisions(about: row.networkID, in: row.channel)
    if row.deletedAt == nil { row.pinnedAt = decided[.pinned]?.at }
    if let read = decided[.read]?.message, read == row.networkID { row.counts = false }
    var isMuted = false
    if !row.isOwn {
      let person = try note(row)
      (isMuted, row.authorName) = (person.isMuted, row.authorName ?? person.name)
    }
    let isHidden = row.post == nil && decided[.hidden]?.at != nil
    let absence = row.deletedAt != nil ? Absence.deleted : isHidden ? .hidden : isMuted ? .muted : .none
    let id = nextMessage()
    let files = try MessageFiles.stored(row.attachments)
    try run(
      """
      INSERT INTO messages (\(MessageRow.columns), minute, has_files, bytes, words)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        id, row.channel.rawValue, row.networkID, row.author, row.authorName, row.text, row.createdAt.milliseconds,
        row.receivedAt.milliseconds, row.position, row.replyTo, files,
        row.participants.isEmpty ? nil : row.participants.joined(separator: "\n"), row.isMention, row.isOwn, row.post?.rawValue,
        row.counts,
        row.editedAt?.milliseconds, row.deletedAt?.milliseconds, absence.rawValue, row.pinnedAt?.milliseconds, nextRevision(),
        row.shownAt.minute,
        files != nil, row.text.utf8.count + (files?.utf8.count ?? 0), MessageTokens.stored(row.text),
      ])
    try index(id)
    _ = try add(relay, to: id)
    try change(row.channel) { conversation in
      conversation.newest = id
      if !row.isOwn { conversation.kept += 1 }
      guard absence == .none else { return }
      if row.counts {
        conversation.row.unread += 1
        if row.isMention { conversation.row.unreadMentions += 1 }
      }
      // An older message is no reason to show the conversation again. A live one is, whatever its clock.
      let isLive = row.post == nil && row.position == row.receivedAt.milliseconds
      if let hidden = decided[.channelHidden]?.at, isLive || row.position >= hidden.milliseconds {
        conversation.row.isHidden = false
      }
      // Of two with one place the later one is the last.
      guard row.position >= conversation.row.lastPosition ?? .min else { return }
      (conversation.row.last, conversation.row.lastPosition) = (MessageID(rawValue: id), row.position)
      conversation.row.lastAt = Self.lastAt(row.createdAt, row.receivedAt)
    }
    try arrived(row.networkID, in: row.channel)
    new += 1
    return id
  }

  /// A message has this name now.
  mutating func arrived(_ name: String?, in channel: ChannelID) throws {
    guard let name else { return }
    try run(
      "UPDATE reactions SET is_waiting = 0 WHERE channel_id = ? AND target = ? AND is_waiting = 1", [channel.rawValue, name])
    try touchAnswers(to: name, in: channel)
  }

  // MARK: - Limits

  /// Whether someone else's message may be stored.
  private mutating func hasRoom(for row: MessageRow, within limits: MessageLimits) throws -> Bool {
    guard let conversation = try conversation(row.channel) else { return false }
    let keepMax = conversation.row.marks.keep ?? limits.keepMax
    guard keepMax > 0 else { return false }
    if try conversation.kept >= keepMax && loose(conversation) >= keepMax, let first = try first(row.channel) {
      // Muted people's messages must not displace other people's.
      let isMuted = try isMuted(row.author)
      if isMuted == first.isMuted ? row.position < first.position : isMuted { return false }
    }
    let count = try Int.fetchOne(
      db,
      cached: """
        SELECT count(*) FROM messages INDEXED BY messages_of_minute
        WHERE channel_id = ? AND author = ? AND minute = ? AND is_own = 0
        """, arguments: [row.channel.rawValue, row.author, row.shownAt.minute])
    return (count ?? 0) < limits.perAuthorAndMinute
  }

  /// How many of other people's messages are not pinned.
  private func loose(_ conversation: Conversation) throws -> Int {
    let pinned = try Int.fetchOne(
      db,
      cached:
        "SELECT count(*) FROM messages INDEXED BY messages_pinned WHERE channel_id = ? AND pinned_at IS NOT NULL AND is_own = 0",
      arguments: [conversation.row.channel.rawValue])
    return conversation.kept - (pinned ?? 0)
  }

  /// Drops the messages that are too many.
  mutating func trim(_ channel: ChannelID, within limits: MessageLimits) throws {
    while let conversation = try conversation(channel) {
      let most = max(0, conversation.row.marks.keep ?? limits.keepMax)
      guard try conversation.kept > most && loose(conversation) > most, let first = try first(channel),
        let known = try known(first.id)
      else { return }
      try drop(known)
    }
  }

  /// The next of other people's messages to drop: the one with the first place, by a muted person if possible. Pinned ones are kept.
  private func first(_ channel: ChannelID) throws -> (position: Int64, id: Int64, isMuted: Bool)? {
    var first: (position: Int64, id: Int64, isMuted: Bool)?
    for absence in [Absence.muted, .none, .deleted, .hidden] {
      let row = try Row.fetchOne(
        db,
        cached: """
          SELECT position, id FROM messages INDEXED BY messages_of_channel WHERE channel_id = ? AND absence = ? AND is_own = 0
            AND pinned_at IS NULL
          ORDER BY position, id LIMIT 1
          """, arguments: [channel.rawValue, absence.rawValue])
      guard let row else { continue }
      var values = MessageValues(row)
      let found = (position: try values.integer(), id: try values.integer(), isMuted: absence == .muted)
      if found.isMuted { return found }
      if let known = first, (known.position, known.id) < (found.position, found.id) { continue }
      first = found
    }
    return first
  }

  // MARK: - Deletions

  /// - Parameter author: who asked for it, or `nil` if the message may have any author.
  private mutating func delete(
    _ name: String, in channel: ChannelID, author: String?, at now: Timestamp, within limits: MessageLimits
  ) throws {
    if let known = try known(name, in: channel) {
      if author == nil || author == known.author { try delete(known, at: now) }
    } else if let reaction = try reaction(name, in: channel) {
      guard author == nil || author == reaction.author else { return }
      try remove(reaction)
      // It may be read again from a relay without this deletion.
      try addPendingDeletion(of: name, by: reaction.author, in: channel, at: now, limits.pendingDeletionsMax)
    } else {
      try addPendingDeletion(of: name, by: author ?? Self.anybody, in: channel, at: now, limits.pendingDeletionsMax)
    }
  }

  /// The name under which deletions are noted that apply to any author.
  private static let anybody = ""

  /// Deletes what someone asked to delete before it was known that they may.
  mutating func carryOutDeletions(by person: String, in channel: ChannelID, at now: Timestamp) throws {
    let names = try String.fetchAll(
      db,
      cached:
        "SELECT network_id FROM pending_deletions INDEXED BY pending_deletions_by_age WHERE channel_id = ? AND author = ?",
      arguments: [channel.rawValue, person])
    for name in names {
      if let known = try known(name, in: channel) {
        try delete(known, at: now)
      } else if let reaction = try reaction(name, in: channel) {
        try remove(reaction)
      }
    }
  }

  /// Notes a request to delete something that is not there, and drops surplus requests, the oldest first.
  mutating func addPendingDeletion(
    of name: String, by author: String, in channel: ChannelID, at now: Timestamp, _ max: Int
  ) throws {
    try run(
      """
      INSERT INTO pending_deletions (channel_id, network_id, author, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
      """, [channel.rawValue, name, author, now.milliseconds])
    guard db.changesCount > 0 else { return }
    try run(
      """
      DELETE FROM pending_deletions WHERE channel_id = ?1 AND id <= (
        SELECT id FROM pending_deletions INDEXED BY pending_deletions_by_age WHERE channel_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, [channel.rawValue, Swift.max(0, max)])
  }

  /// When someone who may do so asked to delete something that was not there, if they did. Of several the first one counts.
  /// - Parameter author: the author of the object to delete.
  func pendingDeletion(of name: String, by author: String, in channel: ChannelID) throws -> Timestamp? {
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT id, author, at FROM pending_deletions INDEXED BY pending_deletions_by_name WHERE channel_id = ? AND network_id = ?
        """,
      arguments: [channel.rawValue, name])
    var first: (id: Int64, at: Int64)?
    for row in rows {
      var values = MessageValues(row)
      let (id, person, at) = (try values.integer(), try values.text(), try values.integer())
      guard id < first?.id ?? .max else { continue }
      if try person == author || person == Self.anybody || hasRole(person, in: channel) { first = (id, at) }
    }
    return first.map { Timestamp(milliseconds: $0.at) }
  }

  /// When someone who may do so asked to delete a message that was not there, if they did. Other people's requests wait: they may turn out
  /// to have a role.
  func takePendingDeletion(of name: String, by author: String, in channel: ChannelID) throws -> Timestamp? {
    guard let at = try pendingDeletion(of: name, by: author, in: channel) else { return nil }
    try run("DELETE FROM pending_deletions WHERE channel_id = ? AND network_id = ?", [channel.rawValue, name])
    return at
  }
}

extension Timestamp {
  /// The minute that it is in.
  var minute: Int64 { milliseconds / 60_000 - (milliseconds % 60_000 < 0 ? 1 : 0) }
}
