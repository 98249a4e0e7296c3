import Channels
import GRDB
import Storage
import TestSupport

@testable import Store

/// A store of messages, and short words for what is read.
final class MessageBench {
  static let now = Timestamp(milliseconds: 1_750_000_000_000)
  static let channel = ChannelID(rawValue: 1)

  let folder: TemporaryFolder
  private(set) var store: MessageStore
  var path: String { folder.path + "/messages.db" }

  /// - Parameter channels: those that have a conversation.
  init(channels: ClosedRange<Int64> = 1...1, firstID: Int64 = 1) throws {
    folder = try TemporaryFolder(isInMemory: true)
    store = try MessageStore(directory: folder.path, firstID: firstID)
    for channel in channels { try store.begin(ChannelID(rawValue: channel), since: Self.now) }
  }

  deinit { store.close() }

  func reopen() throws {
    store.close()
    store = try MessageStore(directory: folder.path)
  }

  // MARK: - What is read

  static func message(
    _ name: String, _ text: String = "hello", author: String = "ann", authorName: String? = nil, at: Int64 = 0,
    replyTo: String? = nil,
    files: [ReadAttachment] = [], isMention: Bool = false, isOwn: Bool = false
  ) -> MessageNews.What {
    .message(
      ReadMessage(
        networkID: name, author: author, authorName: authorName, text: text, createdAt: time(at), replyTo: replyTo,
        attachments: files,
        isMention: isMention, isOwn: isOwn))
  }

  static func reaction(
    _ name: String, to target: String, _ text: String = "+", author: String = "ann", isOwn: Bool = false
  ) -> MessageNews.What {
    .reaction(ReadReaction(networkID: name, target: target, author: author, text: text, isOwn: isOwn))
  }

  static func post(
    _ id: Int64, _ name: String?, _ text: String = "post", channel: ChannelID = MessageBench.channel, at: Int64 = 0,
    deletedAt: Int64? = nil, reactionTo: String? = nil, author: String = "us",
    removed: String? = nil
  ) -> MirroredPost {
    MirroredPost(
      post: PostID(rawValue: id), channel: channel, networkID: name, author: author, text: text, createdAt: time(at),
      deletedAt: deletedAt.map(time), reactionTo: reactionTo, removed: removed)
  }

  /// - Parameter seconds: after `now`.
  static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + seconds * 1_000) }

  /// - Parameters:
  ///   - at: when it arrives, in seconds after `now`.
  ///   - relay: where it was read.
  @discardableResult
  func take(
    _ news: [MessageNews.What], at: Int64 = 0, isLive: Bool = true, relay: Int64? = 1, channel: ChannelID = channel,
    within limits: MessageLimits = MessageLimits()
  ) throws -> MessageReceipt {
    let read = news.map {
      ReadNews(relay: relay.map(RelayID.init(rawValue:)), news: MessageNews(channel: channel, isLive: isLive, what: $0))
    }
    return try store.take(read, at: Self.time(at), within: limits)
  }

  // MARK: - What is stored

  func all(withDeleted: Bool = true, channel: ChannelID? = channel) throws -> [StoredMessage] {
    try store.messages(MessageQuestion(channel: channel, withDeleted: withDeleted, limit: 1_000)).messages
  }

  /// The names of messages, the first place first; those of deleted messages begin with a minus.
  func names(channel: ChannelID? = channel) throws -> [String] {
    try all(channel: channel).reversed().map { ($0.row.deletedAt == nil ? "" : "-") + ($0.row.networkID ?? "?") }
  }

  func named(_ name: String, channel: ChannelID = channel) throws -> StoredMessage? {
    try all(channel: channel).first { $0.row.networkID == name }
  }

  func conversation(_ channel: ChannelID = channel) throws -> ConversationRow? {
    try store.conversation(of: channel)?.row
  }

  func unread() throws -> [Int] {
    let row = try conversation()
    return [row?.unread ?? -1, row?.unreadMentions ?? -1]
  }

  func search(_ text: String, channel: ChannelID? = nil, isNewestFirst: Bool = true) throws -> [String?] {
    let search = MessageSearch(text: text, channel: channel, isNewestFirst: isNewestFirst, limit: 100)
    return try store.messages(holding: search).hits.map(\.message.row.networkID)
  }

  /// Throws if words are not those of the messages.
  func checkWords() throws {
    try store.pool.write { db in
      try db.execute(sql: "INSERT INTO message_words (message_words, rank) VALUES ('integrity-check', 1)")
    }
  }
}
