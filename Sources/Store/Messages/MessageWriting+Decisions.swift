internal import Channels
internal import GRDB
internal import Storage

// People's decisions. They are kept with the channels, for all daemons. This is a copy for messages that are yet to arrive.
extension MessageStore {
  func lastDecision() throws -> PersonalDecision? {
    try read { db in
      try Row.fetchOne(
        db, sql: "SELECT \(PersonalDecision.columns) FROM decisions WHERE revision > 0 ORDER BY revision DESC LIMIT 1"
      ).map { try PersonalDecision($0) }
    }
  }

  func newDecisions(isLeftOver: Bool, limit: Int) throws -> [PersonalDecision] {
    try read { db in
      try Row.fetchAll(
        db, sql: "SELECT \(PersonalDecision.columns) FROM decisions WHERE revision = ? LIMIT ?",
        arguments: [isLeftOver ? MessageWriting.leftOver : 0, limit]
      ).map { try PersonalDecision($0) }
    }
  }

  func carryOut(_ decisions: [PersonalDecision]) throws -> MessageReceipt {
    try write({ writing in for decision in decisions { try writing.carryOut(decision) } }, result: { $0.receipt })
  }

  func forgetRevisionsOfDecisions() throws {
    try write(
      { try $0.run("UPDATE decisions SET revision = ? WHERE revision > 0", [MessageWriting.leftOver]) }, result: { _ in })
  }
}

extension MessageWriting {
  /// Stands for the revision of a decision that is left over.
  static let leftOver: Int64 = -1

  /// The decisions about a message or a person in a channel, and about the channel as a whole. Some may have been withdrawn.
  /// - Parameter name: of the message or the person.
  func decisions(about name: String?, in channel: ChannelID) throws -> [PersonalDecision.Kind: PersonalDecision] {
    let rows = try Row.fetchAll(
      db, cached: "SELECT \(PersonalDecision.columns) FROM decisions WHERE channel_id = ? AND name IN ('', ?)",
      arguments: [channel.rawValue, name ?? ""])
    return try rows.reduce(into: [:]) { found, row in
      let decision = try PersonalDecision(row)
      found[decision.kind] = decision
    }
  }

  private func stored(_ decision: PersonalDecision) throws -> PersonalDecision? {
    try decisions(about: decision.name, in: decision.channel)[decision.kind]
  }

  private func store(_ decision: PersonalDecision) throws {
    try run(
      """
      INSERT INTO decisions (\(PersonalDecision.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (channel_id, name, kind) DO UPDATE SET at = ?4, network_id = ?5, revision = ?6
      """,
      [
        decision.channel.rawValue, decision.name, decision.kind.rawValue, decision.at?.milliseconds, decision.message,
        decision.revision,
      ])
  }

  /// Notes a decision that someone has made here and that is carried out, unless it changes nothing.
  func decide(_ decision: PersonalDecision) throws {
    let known = try stored(decision)?.at
    switch decision.kind {
    case .read, .declined: break
    case .channelHidden: if known == nil, decision.at == nil { return }
    case .hidden, .pinned, .muted: if (known == nil) == (decision.at == nil) { return }
    }
    try store(decision)
  }

  /// Notes how far a channel was read: to the last message that was read. For a first reader, the date decides which messages are news.
  mutating func decideRead(_ channel: ChannelID) throws {
    guard let row = try conversation(channel)?.row else { return }
    var mark = PersonalDecision(.read, channel: channel, at: row.since + .milliseconds(-1))
    if let last = try last(of: channel, through: row.readThrough.rawValue) {
      let found = try Row.fetchOne(
        db, cached: "SELECT network_id, created_at, received_at FROM messages WHERE id = ?", arguments: [last.id])
      guard let found else { throw MessageValues.damaged }
      var values = MessageValues(found)
      mark.message = try values.textIfAny()
      mark.at = max(row.since + .milliseconds(-1), min(try values.time(), try values.time()))
    }
    try decide(mark)
  }

  // MARK: - Carrying out

  /// Applies a decision that has a revision. A decision that was made here is applied already.
  mutating func carryOut(_ decision: PersonalDecision) throws {
    let known = try stored(decision)
    try store(decision)
    var same = known
    same?.revision = decision.revision
    guard same != decision else { return }
    let channel = decision.channel
    switch decision.kind {
    case .hidden: if let message = try self.known(decision.name, in: channel) { try hide(message, decision.at != nil) }
    case .pinned: if let message = try self.known(decision.name, in: channel) { _ = try pin(message, at: decision.at) }
    case .muted: try mute(decision.name, at: decision.at)
    case .declined: if let at = decision.at { _ = try decline(decision.name, in: channel, at: at, through: at) }
    case .read: try read(channel, decision, since: known)
    case .channelHidden:
      guard let row = try conversation(channel)?.row else { return }
      try change(channel) { $0.row.isHidden = decision.at.map { row.lastPosition ?? .min <= $0.milliseconds } ?? false }
    }
  }

  /// Marks as read the messages dated up to a mark, unless a later one arrived before them, and the messages that arrived before the one
  /// that the mark names.
  /// - Parameter earlier: the mark before.
  private mutating func read(_ channel: ChannelID, _ mark: PersonalDecision, since earlier: PersonalDecision?) throws {
    guard let conversation = try conversation(channel), let at = mark.at else { return }
    let isLater = earlier?.at.map { $0 <= at } ?? false
    let next = try Int64.fetchOne(
      db,
      cached: """
        SELECT id FROM messages INDEXED BY messages_counting
        WHERE channel_id = ? AND counts = 1 AND absence = 0 AND id > ? AND created_at > ? AND received_at > ? ORDER BY id LIMIT 1
        """,
      arguments: [channel.rawValue, isLater ? conversation.row.readThrough.rawValue : 0, at.milliseconds, at.milliseconds])
    let named = try mark.message.flatMap { try known($0, in: channel)?.id }
    let through = max(next.map { $0 - 1 } ?? conversation.newest, named ?? 0)
    if through != conversation.row.readThrough.rawValue { try read(channel, through: through) }
  }
}

extension PersonalDecision {
  /// The columns that `init` reads.
  fileprivate static let columns = "channel_id, name, kind, at, network_id, revision"

  fileprivate init(_ row: Row) throws {
    var values = MessageValues(row)
    let (channel, name) = (ChannelID(rawValue: try values.integer()), try values.text())
    guard let kind = Kind(rawValue: try values.text()) else { throw MessageValues.damaged }
    self.init(
      kind, channel: channel, name: name, at: try values.timeIfAny(), message: try values.textIfAny(),
      revision: try values.integer())
  }
}
