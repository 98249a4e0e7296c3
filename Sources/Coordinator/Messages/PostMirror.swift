internal import Channels
internal import Storage

/// Mirrors posts as messages.
enum PostMirror {
  /// The other posts that these answer or react to.
  static func targets(of posts: [StoredPost]) -> Set<PostID> {
    Set(posts.flatMap { [$0.row.replyTo, $0.row.reactionTo].compactMap { $0 } }).subtracting(posts.map(\.row.id))
  }

  /// The messages for these posts. Unpublished posts have no message yet. Pins, reports and requests about members never have one.
  /// - Parameter targets: posts that these answer or react to.
  static func messages(of posts: [StoredPost], targets: [PostID: StoredPost]) -> [MirroredPost] {
    var names = targets.compactMapValues(\.row.document.nameForReaders)
    for post in posts { names[post.row.id] = post.row.document.nameForReaders }
    return posts.compactMap { post in
      let row = post.row
      guard row.isPublished, !row.isPin, row.about?.act != .report, row.about?.act != .membership else { return nil }
      // A message that is being removed exists until readers no longer find it.
      let isRemoval = row.about?.act == .removal
      guard !isRemoval || post.isGone else { return nil }
      // Other people see a reaction that Baton has forgotten, so it still counts.
      let isReaction = row.about?.act == .reaction || row.reactionTo != nil
      if isReaction, row.forgottenAt != nil, row.deletedAt == nil { return nil }
      var target: String?
      if let about = row.about, about.act == .reaction {
        target = about.networkID
      } else if let reactionTo = row.reactionTo {
        // Without the target's name it would look like a message.
        guard let name = names[reactionTo] else { return nil }
        target = name
      }
      return MirroredPost(
        post: row.id, channel: row.channel, networkID: row.document.nameForReaders, author: row.document.author, text: row.text,
        createdAt: row.createdAt, replyTo: row.replyTo.flatMap { names[$0] } ?? row.answered,
        deletedAt: row.deletedAt ?? row.forgottenAt, reactionTo: target, removed: isRemoval ? row.about?.networkID : nil)
    }
  }
}

extension StoredPost {
  /// Whether no relay of its channel shows it any longer.
  fileprivate var isGone: Bool {
    let present = deliveries.filter { !$0.hasDeparted }
    return !present.isEmpty && present.allSatisfy { $0.record.status == .deleted }
  }
}

extension PostRow {
  /// The network's id of the other person's message that it answers.
  fileprivate var answered: String? { about.flatMap { $0.act == .answer ? $0.networkID : nil } }

  /// Whether it pins another post.
  fileprivate var isPin: Bool { reactionTo != nil && text == Self.pinText }
}
