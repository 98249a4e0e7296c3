internal import Channels
internal import GRDB
internal import Storage

/// Finds the messages that a question wants, in the order of their places.
struct MessageList {
  /// Where a message is among the others.
  struct Place: Comparable {
    let position: Int64
    let id: Int64

    /// Behind all messages.
    static let end = Place(position: .max, id: .max)

    static func < (a: Self, b: Self) -> Bool { (a.position, a.id) < (b.position, b.id) }
  }

  /// A side of a place.
  enum Side {
    case before, after
    /// The place itself, and everything before it, or after it.
    case through, from

    fileprivate var isUpward: Bool {
      switch self {
      case .before, .through: false
      case .after, .from: true
      }
    }

    fileprivate var comparison: String {
      switch self {
      case .before: "<"
      case .after: ">"
      case .through: "<="
      case .from: ">="
      }
    }
  }

  let question: MessageQuestion
  let db: Database

  /// The place of a message, or `nil` if it does not exist.
  func place(of message: MessageID) throws -> Place? {
    try Int64.fetchOne(db, cached: "SELECT position FROM messages WHERE id = ?", arguments: [message.rawValue])
      .map { Place(position: $0, id: message.rawValue) }
  }

  /// Messages on one side of a place, the nearest first.
  func places(_ side: Side, _ place: Place, _ limit: Int) throws -> [Place] {
    guard limit > 0 else { return [] }
    var answered: Answered?
    if let message = question.answersTo {
      answered = try self.answered(message)
      guard let channel = answered?.channel, channel == question.channel?.rawValue ?? channel else { return [] }
    }
    var found: [Place] = []
    for absence in absences {
      for isOwn in question.isOwn.map({ [$0 ? 1 : 0] }) ?? [0, 1] {
        found += try range(absence, isOwn, answered, side, place, limit)
      }
    }
    found.sort { side.isUpward ? $0 < $1 : $1 < $0 }
    return Array(found.prefix(limit))
  }

  private struct Answered {
    let channel: Int64
    let name: String
  }

  /// The answered message, as answers name it. `nil` if it does not exist, or has no name yet.
  private func answered(_ message: MessageID) throws -> Answered? {
    let row = try Row.fetchOne(
      db, cached: "SELECT channel_id, network_id FROM messages WHERE id = ?", arguments: [message.rawValue])
    guard let row else { return nil }
    var values = MessageValues(row)
    let channel = try values.integer()
    return try values.textIfAny().map { Answered(channel: channel, name: $0) }
  }

  /// Messages of one range of an index. Flags are part of the text, because SQLite does not conclude from values that an index has a
  /// message.
  private func range(
    _ absence: Int64, _ isOwn: Int, _ answered: Answered?, _ side: Side, _ place: Place, _ limit: Int
  ) throws -> [Place] {
    var parts: [String] = []
    var arguments: StatementArguments = []
    if let author = question.author {
      parts.append("author = ?")
      arguments += [author.storable]
    }
    if let answered {
      parts += ["channel_id = ?", "reply_to = ?"]
      arguments += [answered.channel, answered.name]
    } else if let channel = question.channel {
      parts.append("channel_id = ?")
      arguments += [channel.rawValue]
    }
    parts += ["absence = \(absence)", "is_own = \(isOwn)"]
    if let isMention = question.isMention { parts.append("is_mention = \(isMention ? 1 : 0)") }
    if let hasFiles = question.hasAttachments { parts.append("has_files = \(hasFiles ? 1 : 0)") }
    if question.isPinned { parts.append("pinned_at IS NOT NULL") }
    arguments += [place.position, place.id, limit]
    let direction = side.isUpward ? "ASC" : "DESC"
    let rows = try Row.fetchAll(
      db,
      cached: """
        SELECT position, id FROM messages INDEXED BY \(index)
        WHERE \(parts.joined(separator: " AND ")) AND (position, id) \(side.comparison) (?, ?)
        ORDER BY position \(direction), id \(direction) LIMIT ?
        """, arguments: arguments)
    return try rows.map { row in
      var values = MessageValues(row)
      return Place(position: try values.integer(), id: try values.integer())
    }
  }

  private var absences: [Int64] {
    let wanted: [MessageWriting.Absence] =
      question.isHidden ? [.hidden, .muted] : question.withDeleted ? [.none, .deleted] : [.none]
    return wanted.map(\.rawValue)
  }

  private var index: String {
    if question.answersTo != nil { return "messages_answering" }
    if question.isPinned { return "messages_pinned" }
    if question.author != nil { return "messages_of_author" }
    if question.channel != nil { return "messages_of_channel" }
    if question.isMention == true { return "messages_mentions" }
    return question.hasAttachments == true ? "messages_with_files" : "messages_by_place"
  }
}
