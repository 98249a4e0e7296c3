internal import Channels
internal import Filters
internal import GRDB
internal import Storage

// The members of channels.
extension MessageStore {
  func members(_ question: MemberQuestion) throws -> MemberPage? {
    try read { db in
      let channel = question.channel
      let state = try Row.fetchOne(
        db,
        cached: """
          SELECT min(l.at), (SELECT member_count FROM conversations WHERE channel_id = ?1) FROM member_lists l
          WHERE l.channel_id = ?1
          """, arguments: [channel.rawValue])
      var readAt: Timestamp?
      var count: Int64?
      if let state {
        var values = MessageValues(state)
        (readAt, count) = (try values.timeIfAny(), try values.integerIfAny())
      }
      let list = MemberList(question: question, isListed: readAt != nil)
      if let after = question.after, try list.key(of: after, db) == nil { return nil }
      let limit = max(1, question.limit)
      let found = try list.rows(limit: limit + 1, db)
      return MemberPage(
        members: try found.prefix(limit).map { try Self.member($0, in: channel, db) }, hasMore: found.count > limit,
        isListed: readAt != nil, count: count.map { Int($0) }, readAt: readAt, revision: try Self.counters(db).revision)
    }
  }

  func member(_ author: String, in channel: ChannelID) throws -> StoredMember? {
    try read { db in
      let row = try Row.fetchOne(
        db, cached: "SELECT \(MemberList.columns) FROM \(MemberList.listed) AND m.author = ?",
        arguments: [channel.rawValue, author.storable])
      return try row.map { try Self.member($0, in: channel, db) }
    }
  }

  func changedMembers(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) throws -> (members: [StoredMember], through: Int64) {
    try read { db in
      let limit = max(1, limit)
      var arguments: StatementArguments = [revision]
      var condition = ""
      if let channels {
        condition = " AND channel_id IN (SELECT value FROM json_each(?))"
        arguments += [MessageReader.list(channels.map(\.rawValue))]
      }
      arguments += [limit + 1]
      let rows = try Row.fetchAll(
        db,
        cached: """
          SELECT channel_id, \(MemberList.columns)
          FROM members m INDEXED BY members_by_change LEFT JOIN people p ON p.author = m.author
          WHERE m.revision > ?\(condition) ORDER BY m.revision LIMIT ?
          """, arguments: arguments)
      let members = try rows.prefix(limit).map { row in
        var values = MessageValues(row)
        let channel = ChannelID(rawValue: try values.integer())
        return try Self.member(&values, in: channel, db)
      }
      let through = rows.count > limit ? members.last?.revision ?? revision : try Self.counters(db).revision
      return (members, max(revision, through))
    }
  }

  private static func member(_ row: Row, in channel: ChannelID, _ db: Database) throws -> StoredMember {
    var values = MessageValues(row)
    return try member(&values, in: channel, db)
  }

  private static func member(
    _ values: inout MessageValues, in channel: ChannelID, _ db: Database
  ) throws -> StoredMember {
    let (author, standing) = (try values.text(), try values.text())
    guard let standing = StoredMember.Standing(rawValue: standing) else { throw MessageValues.damaged }
    let roles = try values.text().split(separator: "\n").map(String.init)
    var member = StoredMember(
      channel: channel, author: author, standing: standing, roles: roles, isOwn: try values.flag(),
      isBanned: try values.flag(), name: try values.textIfAny(), mutedAt: try values.timeIfAny(),
      askedAt: try values.timeIfAny(),
      askedText: try values.textIfAny(), revision: try values.integer())
    if let minute = try lastMinute(of: author, in: channel, db),
      let last = try lastMessage(of: author, in: channel, minute: minute, db)
    {
      (member.last, member.lastAt) = (last.id, last.at)
    }
    return member
  }
}

/// The members of one channel in one order.
private struct MemberList {
  /// Where to find people who were ever listed, or asked, in a channel.
  static let listed = "members m LEFT JOIN people p ON p.author = m.author WHERE m.channel_id = ?"
  static let columns = """
    m.author, CASE WHEN m.lists <> 0 THEN 'member' WHEN m.asked_at IS NOT NULL THEN 'asking'
      WHEN m.belonged THEN 'former' ELSE 'declined' END AS standing,
    m.roles, m.is_own, m.is_banned, coalesce(p.name, m.name) AS name, p.muted_at, m.asked_at, m.asked_text, m.revision
    """
  /// The same for people who wrote in it.
  private static let wrote = """
    (SELECT author, max(minute) AS minute FROM messages INDEXED BY messages_of_minute WHERE channel_id = ? AND is_own = 0
      GROUP BY author) c LEFT JOIN people p ON p.author = c.author
    """
  private static let columnsOfWrote = """
    c.author, 'author' AS standing, '' AS roles, 0 AS is_own, 0 AS is_banned, p.name, p.muted_at, NULL AS asked_at, NULL AS asked_text,
    0 AS revision, p.folded, c.minute
    """
  private static let minute = """
    (SELECT max(minute) FROM messages INDEXED BY messages_of_minute
      WHERE channel_id = m.channel_id AND author = m.author AND is_own = 0) AS minute
    """

  let question: MemberQuestion
  /// Whether the network lists the channel's members.
  let isListed: Bool

  private var standing: StoredMember.Standing { question.standing ?? (isListed ? .member : .author) }

  /// All of them, each with the text by which they are sorted. Where names are missing, keys follow each other behind them.
  private var source: String {
    let key =
      switch question.order {
      case .role: "iif(roles = '', '1', '0') || coalesce(folded, char(1114111))"
      case .name: "coalesce(folded, char(1114111))"
      case .lastMessage: "printf('%020d', 1000000000000000 - max(coalesce(minute, -1), -1))"
      }
    let all =
      standing == .author
      ? "SELECT \(Self.columnsOfWrote) FROM \(Self.wrote)"
      : "SELECT \(Self.columns), coalesce(p.folded, m.folded) AS folded, \(Self.minute) FROM \(Self.listed)"
    return "(SELECT *, \(key) AS sorted FROM (\(all)))"
  }

  /// The text by which someone is sorted, or `nil` if they are not among them.
  func key(of author: String, _ db: Database) throws -> String? {
    try String.fetchOne(
      db, cached: "SELECT sorted FROM \(source) WHERE author = ?", arguments: [question.channel.rawValue, author.storable])
  }

  func rows(limit: Int, _ db: Database) throws -> [Row] {
    var arguments: StatementArguments = [question.channel.rawValue, standing.rawValue]
    var conditions = ["standing = ?"]
    if let role = question.role {
      conditions.append("instr(char(10) || roles || char(10), char(10) || ? || char(10)) > 0")
      arguments += [role.storable]
    }
    if let text = question.text?.storable {
      conditions.append("(instr(folded, ?) > 0 OR substr(author, 1, length(?)) = ?)")
      arguments += [text.folded, text, text]
    }
    if let after = question.after?.storable, let key = try key(of: after, db) {
      conditions.append("(sorted, author) > (?, ?)")
      arguments += [key, after]
    }
    arguments += [limit]
    return try Row.fetchAll(
      db,
      cached: """
        SELECT author, standing, roles, is_own, is_banned, name, muted_at, asked_at, asked_text, revision FROM \(source)
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY sorted, author LIMIT ?
        """, arguments: arguments)
  }
}
