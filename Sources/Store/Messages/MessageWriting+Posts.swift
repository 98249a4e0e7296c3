internal import Channels
internal import GRDB
internal import Storage

// Baton's own posts.
extension MessageWriting {
  mutating func mirror(_ post: MirroredPost) throws {
    guard try conversation(post.channel) != nil else { return }
    var post = post
    (post.networkID, post.author) = (post.networkID?.storable, post.author.storable)
    (post.text, post.replyTo, post.reactionTo) = (post.text.storable, post.replyTo?.storable, post.reactionTo?.storable)
    if let removed = post.removed?.storable {
      if let message = try known(removed, in: post.channel), message.post == nil, let at = post.deletedAt {
        try delete(message, at: at)
      }
      return
    }
    if let target = post.reactionTo { try mirrorReaction(post, to: target) } else { try mirrorMessage(post) }
  }

  // MARK: - Messages

  private mutating func mirrorMessage(_ post: MirroredPost) throws {
    var post = post
    var named = try post.networkID.flatMap { try known($0, in: post.channel) }
    if let other = named?.post, other != post.post.rawValue {
      // Another post has this name.
      (post.networkID, named) = (nil, nil)
    }
    if let known = try known(post.post) {
      if let named, named.id != known.id { try give(named, to: known) }
    } else if let named {
      try become(post.post, named)
    } else {
      if let end = try conversation(post.channel)?.row.marks.truncatedAt, post.createdAt <= end { return }
      let row = MessageRow(
        id: MessageID(rawValue: 0), channel: post.channel, networkID: post.networkID, author: post.author, text: post.text,
        createdAt: post.createdAt, receivedAt: post.createdAt, position: max(0, post.createdAt.milliseconds),
        replyTo: post.replyTo, isOwn: true, post: post.post, deletedAt: post.deletedAt, revision: 0)
      _ = try insert(row, from: nil)
      return
    }
    if let known = try known(post.post), known.channel == post.channel { try update(known, post) }
  }

  /// A message that was read turns out to be Baton's own post.
  private mutating func become(_ post: PostID, _ message: Known) throws {
    var message = message
    if message.absence.isHidden {
      try set(.none, message)
      guard let shown = try known(message.id) else { throw MessageValues.damaged }
      message = shown
    }
    try run("UPDATE messages SET post_id = ?, is_own = 1, counts = 0 WHERE id = ?", [post.rawValue, message.id])
    try uncount(message)
    if !message.isOwn {
      try change(message.channel) { $0.kept -= 1 }
      try lookAtPerson(message.author)
    }
    touch(message.id)
  }

  /// Brings a post up to date. Clients get a change in any case: the progress of the post may have changed.
  private mutating func update(_ message: Known, _ post: MirroredPost) throws {
    touch(message.id)
    var deletedAt = post.deletedAt
    if let name = post.networkID, name != message.networkID {
      try run("UPDATE messages SET network_id = ? WHERE id = ?", [name, message.id])
      try left(message.networkID, in: message.channel)
      try arrived(name, in: message.channel)
      let pinned = try Int64.fetchOne(db, cached: "SELECT pinned_at FROM messages WHERE id = ?", arguments: [message.id])
      if let pinned {
        try decide(
          PersonalDecision(.pinned, channel: message.channel, name: name, at: Timestamp(milliseconds: pinned)))
      }
      let asked = try takePendingDeletion(of: name, by: message.author, in: message.channel)
      deletedAt = deletedAt ?? asked
    }
    if let replyTo = post.replyTo {
      try run("UPDATE messages SET reply_to = ?1 WHERE id = ?2 AND reply_to IS NOT ?1", [replyTo, message.id])
    }
    if let deletedAt {
      try delete(message, at: deletedAt)
    } else {
      try edit(message, post.text, at: nil)
    }
  }

  /// The message with this name has another one now, so references to the old name point nowhere.
  private mutating func left(_ name: String?, in channel: ChannelID) throws {
    guard let name else { return }
    try run("UPDATE reactions SET is_waiting = 1 WHERE channel_id = ? AND target = ?", [channel.rawValue, name])
    try touchAnswers(to: name, in: channel)
  }

  /// The post was read as a message before its name was known. Clients may know both, so the message is kept as a deleted one.
  private mutating func give(_ message: Known, to post: Known) throws {
    try run(
      """
      INSERT INTO message_relays (message_id, relay_id) SELECT ?, relay_id FROM message_relays WHERE message_id = ?
      ON CONFLICT DO NOTHING
      """, [post.id, message.id])
    try run("DELETE FROM message_relays WHERE message_id = ?", [message.id])
    if message.hasFiles, !post.hasFiles, !post.isDeleted {
      try run(
        """
        UPDATE messages SET (attachments, has_files, bytes) = (
          SELECT m.attachments, 1, messages.bytes + length(CAST(m.attachments AS BLOB)) FROM messages m WHERE m.id = ?)
        WHERE id = ?
        """, [message.id, post.id])
    }
    let received = try Int64.fetchOne(db, cached: "SELECT received_at FROM messages WHERE id = ?", arguments: [message.id])
    let at = Timestamp(milliseconds: received ?? 0)
    if message.isDeleted { try delete(post, at: at) }
    try delete(message, at: at)
    try run("UPDATE messages SET network_id = NULL WHERE id = ?", [message.id])
    touch(message.id)
    touch(post.id)
  }

  // MARK: - Reactions

  private mutating func mirrorReaction(_ post: MirroredPost, to target: String) throws {
    var post = post
    var stored = try reaction(post.post)
    if let name = post.networkID, let named = try reaction(name, in: post.channel), named.id != stored?.id {
      if named.post != nil {
        // Another post has this name.
        post.networkID = nil
      } else if stored == nil {
        try run("UPDATE reactions SET post_id = ?, is_own = 1 WHERE id = ?", [post.post.rawValue, named.id])
        stored = named
        try touchTarget(of: named)
      } else {
        try remove(named)
      }
    }
    if let at = post.deletedAt {
      if let stored { try remove(stored) }
      // It may be read again from a relay without this deletion.
      guard let name = post.networkID else { return }
      try addPendingDeletion(
        of: name, by: post.author, in: post.channel, at: at, MessageLimits().pendingDeletionsMax)
    } else if let stored {
      try update(stored, post, target)
    } else if !post.text.isEmpty {
      try insertReaction(
        channel: post.channel, networkID: post.networkID, post: post.post, target: target, author: post.author,
        text: post.text, isOwn: true)
    }
  }

  private mutating func update(_ reaction: Reaction, _ post: MirroredPost, _ target: String) throws {
    if let name = post.networkID, name != reaction.networkID {
      try run("UPDATE reactions SET network_id = ? WHERE id = ?", [name, reaction.id])
    }
    if target != reaction.target {
      try touchTarget(of: reaction)
      let isWaiting = try known(target, in: reaction.channel) == nil
      try run("UPDATE reactions SET target = ?, is_waiting = ? WHERE id = ?", [target, isWaiting, reaction.id])
    }
    guard let moved = try self.reaction(post.post) else { return }
    if target != reaction.target { try touchTarget(of: moved) }
    try edit(moved, post.text)
  }
}
