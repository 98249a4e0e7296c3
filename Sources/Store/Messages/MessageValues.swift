internal import Channels
internal import Foundation
internal import GRDB
internal import Storage

/// The values of a row in the order of the selected columns. On a damaged disk any of them may be of another type.
struct MessageValues {
  private let row: Row
  private var position = 0

  init(_ row: Row) { self.row = row }

  /// The error for an impossible value.
  static var damaged: StoreError { StoreError(.corrupt, "a row contains a value that was never written there") }

  mutating func integerIfAny() throws -> Int64? {
    let value = try next()
    guard !value.isNull else { return nil }
    guard case .int64(let number) = value.storage else { throw Self.damaged }
    return number
  }

  mutating func textIfAny() throws -> String? {
    let value = try next()
    guard !value.isNull else { return nil }
    guard case .string(let text) = value.storage else { throw Self.damaged }
    return text
  }

  mutating func integer() throws -> Int64 {
    guard let number = try integerIfAny() else { throw Self.damaged }
    return number
  }

  mutating func text() throws -> String {
    guard let text = try textIfAny() else { throw Self.damaged }
    return text
  }

  /// A number that counts something. A number far from any real count would only overflow.
  mutating func number() throws -> Int64 {
    let number = try integer()
    guard (0...1 << 60).contains(number) else { throw Self.damaged }
    return number
  }

  mutating func flag() throws -> Bool { try integer() != 0 }
  mutating func time() throws -> Timestamp { Timestamp(milliseconds: try integer()) }
  mutating func timeIfAny() throws -> Timestamp? { try integerIfAny().map(Timestamp.init(milliseconds:)) }

  private mutating func next() throws -> DatabaseValue {
    guard position < row.count else { throw Self.damaged }
    defer { position += 1 }
    return row[position]
  }
}

extension String {
  /// The text as SQLite can hold it: for GRDB, a text ends where a NUL character is.
  var storable: String {
    guard utf8.contains(0) else { return self }
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(scalar == "\0" ? "\u{FFFD}" : scalar) }
    return String(scalars)
  }
}

extension MessageRow {
  /// The columns that `init` reads.
  static let columns =
    "id, channel_id, network_id, author, author_name, text, created_at, received_at, position, reply_to, attachments, participants, is_mention, "
    + "is_own, post_id, counts, edited_at, deleted_at, absence, pinned_at, revision"

  init(_ values: inout MessageValues) throws {
    self.init(
      id: MessageID(rawValue: try values.integer()), channel: ChannelID(rawValue: try values.integer()),
      networkID: try values.textIfAny(), author: try values.text(), authorName: try values.textIfAny(), text: try values.text(),
      createdAt: try values.time(), receivedAt: try values.time(), position: try values.integer(),
      replyTo: try values.textIfAny(), attachments: try MessageFiles.read(values.textIfAny()),
      participants: try values.textIfAny()?.split(separator: "\n").map(String.init) ?? [], isMention: try values.flag(),
      isOwn: try values.flag(), post: try values.integerIfAny().map(PostID.init(rawValue:)), counts: try values.flag(),
      editedAt: try values.timeIfAny(), deletedAt: try values.timeIfAny(),
      isHidden: try MessageWriting.Absence(&values).isHidden, pinnedAt: try values.timeIfAny(),
      revision: try values.integer())
  }
}

extension ConversationRow {
  /// The columns that `init` reads.
  static let columns =
    "channel_id, since, read_through, unread, unread_mentions, last_id, last_position, last_at, member_count, is_hidden, is_muted, "
    + "is_pinned, truncated_at, keep, revision"

  init(_ values: inout MessageValues) throws {
    self.init(
      channel: ChannelID(rawValue: try values.integer()), since: try values.time(),
      readThrough: MessageID(rawValue: try values.integer()), unread: Int(try values.number()),
      unreadMentions: Int(try values.number()), last: try values.integerIfAny().map(MessageID.init(rawValue:)),
      lastPosition: try values.integerIfAny(), lastAt: try values.timeIfAny(),
      memberCount: try values.integerIfAny().map { Int($0) }, isHidden: try values.flag(),
      marks: try ConversationMarks(&values), revision: try values.integer())
  }
}

extension ConversationMarks {
  /// The columns that `init` reads.
  static let columns = "is_muted, is_pinned, truncated_at, keep"

  init(_ values: inout MessageValues) throws {
    self.init(
      isMuted: try values.flag(), isPinned: try values.flag(), truncatedAt: try values.timeIfAny(),
      keep: try values.integerIfAny().map { Int(clamping: $0) })
  }
}

extension MessageSyncRow {
  /// The columns that `init` reads.
  static let columns = "channel_id, relay_id, complete_at, asked_at, cause, detail"

  init(_ values: inout MessageValues) throws {
    self.init(
      channel: ChannelID(rawValue: try values.integer()), relay: RelayID(rawValue: try values.integer()),
      completeAt: try values.timeIfAny(), askedAt: try values.time(), trouble: try Self.trouble(&values))
  }

  private static func trouble(_ values: inout MessageValues) throws -> Trouble? {
    let (cause, detail) = (try values.textIfAny(), try values.textIfAny())
    guard let cause else { return nil }
    guard let known = Cause(rawValue: cause) else { throw MessageValues.damaged }
    return Trouble(known, detail ?? "")
  }
}

/// The stored form of a message's files.
enum MessageFiles {
  private struct File: Codable {
    let url: String
    let mimeType: String?
    let sizeBytes: Int64?
    let altText: String?
  }

  /// - Returns: `nil` without files.
  static func stored(_ files: [ReadAttachment]) throws -> String? {
    guard !files.isEmpty else { return nil }
    let data = try JSONEncoder().encode(
      files.map { File(url: $0.url, mimeType: $0.mimeType, sizeBytes: $0.sizeBytes, altText: $0.altText) })
    return String(decoding: data, as: UTF8.self)
  }

  static func read(_ text: String?) throws -> [ReadAttachment] {
    guard let text else { return [] }
    guard let files = try? JSONDecoder().decode([File].self, from: Data(text.utf8)) else { throw MessageValues.damaged }
    return files.map {
      ReadAttachment(url: $0.url, mimeType: $0.mimeType, sizeBytes: $0.sizeBytes, altText: $0.altText)
    }
  }
}
