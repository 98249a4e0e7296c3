internal import Channels
internal import Filters
internal import GRDB
internal import Storage

// The authors of messages.
extension MessageStore {
  func person(_ author: String) throws -> StoredPerson? {
    try read { db in
      let row = try Row.fetchOne(
        db, cached: "SELECT author, minute, muted_at, name, domain_name FROM people WHERE author = ?",
        arguments: [author.storable])
      let member =
        try row
        ?? Row.fetchOne(
          db,
          cached: """
            SELECT author, 0, NULL, max(name), NULL FROM members m INDEXED BY members_of_author
            WHERE author = ? AND \(Self.belongs) GROUP BY author
            """, arguments: [author.storable])
      return try member.map { try Self.complete(Self.person($0).person, in: nil, db) }
    }
  }

  func people(_ question: PeopleQuestion) throws -> PeoplePage {
    try read { db in
      let limit = max(1, question.limit)
      var found = try Row.fetchAll(db, cached: Self.sql(question), arguments: Self.arguments(question, limit: limit + 1))
        .map(Self.person)
      if question.text != nil, found.count <= limit || found.last?.minute == 0 {
        let known = Set(found.map(\.person.author))
        found += try Self.silentMembers(question, limit: limit + 1, db).filter { !known.contains($0.person.author) }
        found.sort { ($0.minute, $0.person.author) > ($1.minute, $1.person.author) }
      }
      let page = found.prefix(limit)
      var next: PeopleQuestion.Place?
      if found.count > limit, let last = page.last {
        next = PeopleQuestion.Place(minute: last.minute, author: last.person.author)
      }
      return PeoplePage(people: try page.map { try Self.complete($0.person, in: question.channel, db) }, next: next)
    }
  }

  private static func sql(_ question: PeopleQuestion) -> String {
    let minute = question.channel == nil ? "p.minute" : "c.minute"
    var parts = ["(\(minute), p.author) < (?, ?)"]
    if let isMuted = question.isMuted { parts.append("p.muted_at IS \(isMuted ? "NOT " : "")NULL") }
    if question.text != nil { parts.append(isNamed("p.folded", "p.author")) }
    let index = question.isMuted == true ? "people_muted" : "people_by_minute"
    let source =
      question.channel == nil
      ? "people p INDEXED BY \(index)"
      : """
      (SELECT author, max(minute) AS minute FROM messages INDEXED BY messages_of_minute WHERE channel_id = ? AND is_own = 0
        GROUP BY author) c JOIN people p ON p.author = c.author
      """
    return """
      SELECT p.author, \(minute), p.muted_at, p.name, p.domain_name FROM \(source) WHERE \(parts.joined(separator: " AND "))
      ORDER BY \(minute) DESC, p.author DESC LIMIT ?
      """
  }

  private static func arguments(_ question: PeopleQuestion, limit: Int) -> StatementArguments {
    var arguments: StatementArguments = []
    if let channel = question.channel { arguments += [channel.rawValue] }
    // A minute never reaches the maximum, so the first page leaves no one out.
    arguments += [question.after?.minute ?? .max, question.after?.author ?? ""]
    if let text = question.text { arguments += names(text) }
    arguments += [limit]
    return arguments
  }

  /// Whether someone has the requested name.
  private static func isNamed(_ folded: String, _ author: String) -> String {
    "(instr(\(folded), ?) > 0 OR substr(\(author), 1, length(?)) = ? OR p.domain_name = ?)"
  }

  private static func names(_ text: String) -> StatementArguments {
    let text = text.storable
    return [text.folded, text, text, text.lowercased()]
  }

  /// Whether a member belongs to the channel and is someone else.
  private static let belongs = "m.lists <> 0 AND m.is_own = 0"

  /// Members with that name who have written nothing. They come after the authors.
  private static func silentMembers(
    _ question: PeopleQuestion, limit: Int, _ db: Database
  ) throws -> [(person: StoredPerson, minute: Int64)] {
    var parts = [belongs, "m.author < ?", isNamed("coalesce(p.folded, m.folded)", "m.author")]
    var arguments: StatementArguments = [question.after.flatMap { $0.minute == 0 ? $0.author : nil } ?? "\u{10FFFF}"]
    arguments += names(question.text ?? "")
    if let channel = question.channel {
      parts.append(
        """
        m.channel_id = ? AND NOT EXISTS (
          SELECT 1 FROM messages INDEXED BY messages_of_minute
          WHERE channel_id = m.channel_id AND author = m.author AND is_own = 0)
        """)
      arguments += [channel.rawValue]
    } else {
      parts.append("coalesce(p.minute, 0) = 0")
    }
    if let isMuted = question.isMuted { parts.append("p.muted_at IS \(isMuted ? "NOT " : "")NULL") }
    arguments += [limit]
    return try Row.fetchAll(
      db,
      cached: """
        SELECT m.author, 0, p.muted_at, coalesce(p.name, max(m.name)), p.domain_name
        FROM members m\(question.channel == nil ? " INDEXED BY members_of_author" : "") LEFT JOIN people p ON p.author = m.author
        WHERE \(parts.joined(separator: " AND ")) GROUP BY m.author ORDER BY m.author DESC LIMIT ?
        """, arguments: arguments
    ).map(person)
  }

  private static func person(_ row: Row) throws -> (person: StoredPerson, minute: Int64) {
    var values = MessageValues(row)
    let (author, minute) = (try values.text(), try values.integer())
    let mutedAt = try values.timeIfAny()
    let (name, domainName) = (try values.textIfAny(), try values.textIfAny())
    return (StoredPerson(author: author, name: name, domainName: domainName, mutedAt: mutedAt), minute)
  }

  /// Adds the facts from messages.
  /// - Parameter channel: the channel that is looked at, or all of them if `nil`.
  private static func complete(_ person: StoredPerson, in channel: ChannelID?, _ db: Database) throws -> StoredPerson {
    var person = person
    person.channels = try channels(of: person.author, db)
    let looked = channel.map { [$0] } ?? person.channels
    person.messages =
      try Int.fetchOne(
        db,
        cached: """
          SELECT count(*) FROM messages INDEXED BY messages_of_author WHERE author = ? AND is_own = 0 AND channel_id = coalesce(?, channel_id)
          """, arguments: [person.author, channel?.rawValue]) ?? 0
    let minutes = try looked.compactMap { channel in try lastMinute(of: person.author, in: channel, db).map { (channel, $0) } }
    let last = minutes.map(\.1).max()
    for (channel, minute) in minutes where minute == last {
      guard let (id, time) = try lastMessage(of: person.author, in: channel, minute: minute, db) else { continue }
      if let known = person.lastAt, let message = person.last, (time, id) < (known, message) { continue }
      (person.last, person.lastAt) = (id, time)
    }
    person.channels = Array(person.channels.prefix(StoredPerson.channelsMax))
    return person
  }

  /// The channels in which someone wrote, by id.
  static func channels(of author: String, _ db: Database) throws -> [ChannelID] {
    try Int64.fetchAll(
      db,
      cached: """
        SELECT DISTINCT channel_id FROM messages INDEXED BY messages_of_author WHERE author = ? AND is_own = 0 ORDER BY channel_id
        """, arguments: [author]
    ).map(ChannelID.init(rawValue:))
  }

  /// The last message of someone in a channel, and when it was written as people are shown it.
  /// - Parameter minute: the minute of that message.
  static func lastMessage(
    of author: String, in channel: ChannelID, minute: Int64, _ db: Database
  ) throws -> (id: MessageID, at: Timestamp)? {
    // Of one minute there are few messages of an author.
    let row = try Row.fetchOne(
      db,
      cached: """
        SELECT id, max(0, min(created_at, received_at)) AS shown FROM messages INDEXED BY messages_of_minute
        WHERE channel_id = ? AND author = ? AND minute = ? AND is_own = 0 ORDER BY shown DESC, id DESC LIMIT 1
        """, arguments: [channel.rawValue, author, minute])
    guard let row else { return nil }
    var values = MessageValues(row)
    return (MessageID(rawValue: try values.integer()), try values.time())
  }

  /// The minute of the last message of someone in a channel.
  static func lastMinute(of author: String, in channel: ChannelID, _ db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db,
      cached: """
        SELECT max(minute) FROM messages INDEXED BY messages_of_minute WHERE channel_id = ? AND author = ? AND is_own = 0
        """, arguments: [channel.rawValue, author])
  }
}
