internal import Channels
internal import Filters
internal import GRDB
internal import Storage

// Who belongs to channels, and who asks to join.
extension MessageWriting {
  /// How many former members of a channel are kept, the last ones, how many people who ask to join, and how many who were declined, so that
  /// their request does not come back.
  static let formerMax = 1_000
  static let askingMax = 1_000
  static let declinedMax = 1_000

  /// The stored facts about someone.
  private struct Member: Hashable {
    var lists: Int64
    var roles: String
    var isOwn: Bool
    var isBanned = false
    /// Requests of that date and before no longer count. It may be ahead, as dates of requests may.
    var settledAt: Int64
    var askedAt: Int64?
    /// The date of the request, which may be ahead.
    var dated: Int64?
    var name: String?
    /// Whether a list has named them, now or before.
    var belonged = false

    mutating func settle(at time: Int64) {
      settledAt = max(settledAt, time, dated ?? .min)
      (askedAt, dated) = (nil, nil)
    }
  }

  /// Stores a list in its network's current version.
  mutating func take(_ list: ReadMembers, in channel: ChannelID, at now: Timestamp) throws {
    let bit = Int64(list.list.rawValue)
    var left = try members(of: channel)
    for entry in list.entries {
      let author = entry.author.storable
      let known = left.removeValue(forKey: author)
      var member = known ?? Member(lists: 0, roles: "", isOwn: entry.isOwn, settledAt: 0)
      member.lists |= bit
      (member.isOwn, member.isBanned, member.belonged) = (entry.isOwn, entry.isBanned, true)
      if member.askedAt != nil { member.settle(at: member.settledAt) }
      if list.list == .roles { member.roles = entry.roles.map(\.storable).joined(separator: "\n") }
      if let name = entry.name { member.name = name.storable }
      if member != known { try store(member, author, in: channel, at: now) }
      // Deletions that they requested before anyone knew that they may.
      if list.list == .roles, (known?.lists ?? 0) & bit == 0 { try carryOutDeletions(by: author, in: channel, at: now) }
    }
    for (author, known) in left.sorted(by: { $0.key < $1.key }) where known.lists & bit != 0 {
      var member = known
      member.lists &= ~bit
      if list.list == .roles { member.roles = "" }
      // Their earlier requests are settled.
      if member.lists == 0 { member.settledAt = max(member.settledAt, now.milliseconds) }
      try store(member, author, in: channel, at: now)
    }
    try run(
      """
      INSERT INTO member_lists (channel_id, list, count, at) VALUES (?, ?, ?, ?)
      ON CONFLICT (channel_id, list) DO UPDATE SET count = excluded.count, at = excluded.at
      """, [channel.rawValue, bit, list.count, now.milliseconds])
    try prune(channel)
    if list.list == .members { try change(channel) { $0.row.memberCount = list.count } }
  }

  /// Drops surplus people, unless followers of the changes have yet to learn that they are gone.
  private mutating func prune(_ channel: ChannelID) throws {
    for (belonged, most) in [(true, Self.formerMax), (false, Self.declinedMax)] {
      try run(
        """
        DELETE FROM members WHERE channel_id = ?1 AND lists = 0 AND asked_at IS NULL AND belonged = ?2 AND revision <= ?4
          AND revision <= (
            SELECT revision FROM members INDEXED BY members_former
            WHERE channel_id = ?1 AND lists = 0 AND asked_at IS NULL AND belonged = ?2 ORDER BY revision DESC LIMIT 1 OFFSET ?3)
        """, [channel.rawValue, belonged, most, revisionBefore])
    }
  }

  /// Whether the network lists someone with a role.
  func hasRole(_ author: String, in channel: ChannelID) throws -> Bool {
    try member(author, in: channel).map { $0.lists & Int64(ReadMembers.List.roles.rawValue) != 0 } ?? false
  }

  /// Notes that someone asks to join, unless they belong to the channel, or that was settled since.
  mutating func take(_ request: ReadJoinRequest, in channel: ChannelID, at now: Timestamp) throws {
    let author = request.author.storable
    let dated = request.createdAt.milliseconds
    let known = try member(author, in: channel)
    var member = known ?? Member(lists: 0, roles: "", isOwn: false, settledAt: 0)
    if let end = try decisions(about: author, in: channel)[.declined]?.at, dated <= end.milliseconds {
      // It was declined before it was read here.
      guard known == nil else { return }
      member.settle(at: end.milliseconds)
      return try store(member, author, in: channel, at: now)
    }
    guard dated > member.settledAt, dated > member.dated ?? .min else { return }
    guard member.lists == 0 else {
      // They are in. Once they have left, this does not count either.
      return try run(
        "UPDATE members SET settled_at = ? WHERE channel_id = ? AND author = ?", [dated, channel.rawValue, author])
    }
    (member.askedAt, member.dated) = (min(dated, now.milliseconds), dated)
    try store(member, author, in: channel, at: now)
    try run(
      "UPDATE members SET asked_text = ? WHERE channel_id = ? AND author = ?",
      [request.text.storable, channel.rawValue, author])
    // Surplus requests are declined.
    let surplus = try String.fetchAll(
      db,
      cached: """
        SELECT author FROM members INDEXED BY members_asking WHERE channel_id = ? AND asked_at IS NOT NULL
        ORDER BY asked_at DESC, author DESC LIMIT -1 OFFSET ?
        """, arguments: [channel.rawValue, Self.askingMax])
    for author in surplus { _ = try decline(author, in: channel, at: now) }
  }

  /// - Parameter end: only requests up to that time, or all if it is `nil`.
  /// - Returns: the time up to which their requests do not count, or `nil` if no one with that name asked.
  mutating func decline(
    _ author: String, in channel: ChannelID, at now: Timestamp, through end: Timestamp? = nil
  ) throws -> Timestamp? {
    guard var member = try member(author, in: channel), member.askedAt != nil else { return nil }
    if let end, member.dated ?? .min > end.milliseconds { return nil }
    member.settle(at: now.milliseconds)
    try store(member, author, in: channel, at: now)
    try prune(channel)
    return Timestamp(milliseconds: member.settledAt)
  }

  /// Stores a member's name for themselves, if that is news.
  mutating func nameMember(_ author: String, _ name: String, at time: Timestamp) throws {
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT channel_id FROM members INDEXED BY members_of_author WHERE author = ?1 AND coalesce(named_at, ?2 - 1) < ?2
          AND name IS NOT ?3
        """, arguments: [author, time.milliseconds, name])
    for row in rows {
      var values = MessageValues(row)
      try run(
        "UPDATE members SET name = ?, folded = ?, named_at = ?, revision = ? WHERE channel_id = ? AND author = ?",
        [name, name.folded, time.milliseconds, nextRevision(), try values.integer(), author])
    }
  }

  private static var columns: String { "lists, roles, is_own, is_banned, settled_at, asked_at, asked_dated, name, belonged" }

  private func members(of channel: ChannelID) throws -> [String: Member] {
    var found: [String: Member] = [:]
    let rows = try Row.fetchCursor(
      db, sql: "SELECT author, \(Self.columns) FROM members WHERE channel_id = ?", arguments: [channel.rawValue])
    while let row = try rows.next() {
      var values = MessageValues(row)
      found[try values.text()] = try Self.member(&values)
    }
    return found
  }

  private func member(_ author: String, in channel: ChannelID) throws -> Member? {
    try Row.fetchOne(
      db, cached: "SELECT \(Self.columns) FROM members WHERE channel_id = ? AND author = ?",
      arguments: [channel.rawValue, author]
    ).map { row in
      var values = MessageValues(row)
      return try Self.member(&values)
    }
  }

  private static func member(_ values: inout MessageValues) throws -> Member {
    Member(
      lists: try values.integer(), roles: try values.text(), isOwn: try values.flag(), isBanned: try values.flag(),
      settledAt: try values.integer(), askedAt: try values.integerIfAny(), dated: try values.integerIfAny(),
      name: try values.textIfAny(),
      belonged: try values.flag())
  }

  private mutating func store(_ member: Member, _ author: String, in channel: ChannelID, at now: Timestamp) throws {
    try run(
      """
      INSERT INTO members (channel_id, author, lists, roles, is_own, settled_at, asked_at, name, folded, named_at, revision,
        asked_dated, belonged, is_banned)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      ON CONFLICT (channel_id, author) DO UPDATE SET lists = ?3, roles = ?4, is_own = ?5, settled_at = ?6, asked_at = ?7,
        asked_dated = ?12, belonged = ?13, is_banned = ?14, asked_text = CASE WHEN ?7 IS asked_at THEN asked_text END,
        named_at = CASE WHEN ?8 IS name THEN named_at ELSE ?10 END,
        name = ?8, folded = ?9, revision = ?11
      """,
      [
        channel.rawValue, author, member.lists, member.roles, member.isOwn, member.settledAt, member.askedAt, member.name,
        member.name?.folded, member.name == nil ? nil : now.milliseconds, nextRevision(), member.dated,
        member.belonged, member.isBanned,
      ])
  }
}
