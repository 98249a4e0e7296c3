internal import Channels
internal import GRDB
internal import Storage

// Reactions. A reaction to a message which is not there waits for it.
extension MessageWriting {
  /// The facts about a stored reaction.
  struct Reaction {
    let id: Int64
    let channel: ChannelID
    let networkID: String?
    let post: Int64?
    let target: String
    let author: String
    let text: String

    fileprivate static let columns = "id, channel_id, network_id, post_id, target, author, text"

    fileprivate init(_ row: Row) throws {
      var values = MessageValues(row)
      (id, channel) = (try values.integer(), ChannelID(rawValue: try values.integer()))
      (networkID, post, target) = (try values.textIfAny(), try values.integerIfAny(), try values.text())
      (author, text) = (try values.text(), try values.text())
    }
  }

  func reaction(_ name: String, in channel: ChannelID) throws -> Reaction? {
    try reaction("channel_id = ? AND network_id = ?", [channel.rawValue, name])
  }

  func reaction(_ post: PostID) throws -> Reaction? { try reaction("post_id = ?", [post.rawValue]) }

  private func reaction(_ condition: String, _ arguments: StatementArguments) throws -> Reaction? {
    try Row.fetchOne(db, cached: "SELECT \(Reaction.columns) FROM reactions WHERE \(condition)", arguments: arguments)
      .map { try Reaction($0) }
  }

  mutating func take(_ read: ReadReaction, in channel: ChannelID, within limits: MessageLimits) throws {
    let (name, target, author) = (read.networkID.storable, read.target.storable, read.author.storable)
    guard try reaction(name, in: channel) == nil, try pendingDeletion(of: name, by: author, in: channel) == nil else { return }
    guard try read.isOwn || reactionCount(target, in: channel, upTo: limits.reactionsMax) < limits.reactionsMax else {
      refused += 1
      return
    }
    try insertReaction(
      channel: channel, networkID: name, post: nil, target: target, author: author, text: read.text.storable,
      isOwn: read.isOwn)
    if !read.isOwn { try trimWaiting(channel, limits.pendingDeletionsMax) }
  }

  /// How many of other people's reactions a message has.
  private func reactionCount(_ target: String, in channel: ChannelID, upTo max: Int) throws -> Int {
    try Int.fetchOne(
      db,
      cached: """
        SELECT count(*) FROM (
          SELECT 1 FROM reactions INDEXED BY reactions_of_target WHERE channel_id = ? AND target = ? AND is_own = 0 LIMIT ?)
        """, arguments: [channel.rawValue, target, Swift.max(0, max)]) ?? 0
  }

  /// Drops surplus reactions that wait for their message, the oldest first.
  private func trimWaiting(_ channel: ChannelID, _ max: Int) throws {
    try run(
      """
      DELETE FROM reactions WHERE channel_id = ?1 AND is_waiting = 1 AND is_own = 0 AND id <= (
        SELECT id FROM reactions INDEXED BY reactions_waiting WHERE channel_id = ?1 AND is_waiting = 1 AND is_own = 0
        ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, [channel.rawValue, Swift.max(0, max)])
  }

  mutating func insertReaction(
    channel: ChannelID, networkID: String?, post: PostID?, target: String, author: String, text: String, isOwn: Bool
  ) throws {
    let known = try known(target, in: channel)
    try run(
      """
      INSERT INTO reactions (channel_id, network_id, post_id, target, author, text, is_own, is_waiting)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, [channel.rawValue, networkID, post?.rawValue, target, author, text, isOwn, known == nil])
    new += 1
    touchShown(known)
  }

  mutating func edit(_ reaction: Reaction, _ text: String) throws {
    guard !reaction.text.utf8.elementsEqual(text.utf8) else { return }
    try run("UPDATE reactions SET text = ? WHERE id = ?", [text, reaction.id])
    try touchTarget(of: reaction)
  }

  mutating func remove(_ reaction: Reaction) throws {
    try run("DELETE FROM reactions WHERE id = ?", [reaction.id])
    try touchTarget(of: reaction)
  }

  mutating func touchTarget(of reaction: Reaction) throws {
    touchShown(try known(reaction.target, in: reaction.channel))
  }

  /// A deleted message shows no reactions.
  private mutating func touchShown(_ message: Known?) {
    if let message, !message.isDeleted { touch(message.id) }
  }
}
