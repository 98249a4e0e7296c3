internal import Channels
internal import RelayNetwork

/// A request for deletion is not valid.
enum DeletionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The id belongs to the channel's own event or to one of its editions. To delete it is to delete the channel.
  case channelItself(id: String)
  /// Events of this kind are not posts, and some of them are channels, profiles or keep a group together.
  case notAPost(id: String, kind: Int)
  /// The text is not an id.
  case malformedID
  case nothingNamed
  case tooMany(Int)
  /// The reason is too long, or holds a control character.
  case unusableReason
  /// The reason contains a secret key.
  case secretInReason
  /// Only groups have admins.
  case notAGroup

  var description: String {
    switch self {
    case .channelItself(let id): "\(id) is the channel itself and not a post: to give the whole channel up, delete the channel"
    case .notAPost(let id, let kind): "\(id) is of kind \(kind), and not a post or a reaction. Name only these"
    case .malformedID: "the id of a post has 64 lower-case hexadecimal digits. Correct it"
    case .nothingNamed: "no post is named. Name at least one"
    case .tooMany(let count): "\(count) posts are named, at most \(NostrPost.deletedMax) can be deleted at once. Name fewer"
    case .unusableReason:
      "the reason must have at most \(NostrPost.reasonBytesMax) bytes and no control characters but line feed and tab. Change it"
    case .secretInReason: "the reason contains a secret key (nsec1…), which every reader could use. Remove it"
    case .notAGroup: "only in groups do admins delete other people's posts. In this channel, delete your own"
    }
  }
}

extension NostrPost {
  /// A published event, as a deletion names it.
  struct Published: Hashable, Sendable {
    let id: String
    let kind: Int

    init(id: String, kind: Int) {
      self.id = id
      self.kind = kind
    }
  }

  /// Upper bound of the posts that one deletion names.
  static let deletedMax = 100
  /// Upper bound of a reason, in UTF-8 bytes.
  static let reasonBytesMax = 500

  /// The kinds that may be deleted as posts: reactions, posts, reports, and in groups threads and comments. Baton deletes nothing else, in
  /// particular no event that a channel or a group consists of.
  private static let deletableKinds: Set<Int> = [reactionKind, groupMessageKind, 11, channelMessageKind, 1111, reportKind]

  /// A request to delete one's own posts and reactions (kind 5, NIP-09). It never names the channel, not even as a hint to where the posts
  /// were: the key that signed the channel may sign this, and relays would delete the channel.
  /// - Parameters:
  ///   - posts: posts and reactions of `author`, 100 at most.
  ///   - author: the key that signs.
  ///   - attempt: used in groups only.
  /// - Throws: `DeletionRefusal`.
  static func deletion(
    of posts: [Published], in channel: ChannelContent, reason: String = "", by author: String, attempt: Attempt = Attempt()
  ) throws(DeletionRefusal) -> NostrPost {
    let tags = try named(posts, in: channel, reason)
    let kinds = Set(posts.map(\.kind)).sorted().map { ["k", "\($0)"] }
    return NostrPost(
      author: author, kind: deletionKind, tags: attempt.around(tags + kinds, in: channel), content: reason)
  }

  /// A request of an admin to delete posts of anyone in a group (kind 9005, NIP-29). Relays accept it only while it is fresh.
  /// - Throws: `DeletionRefusal`.
  static func adminDeletion(
    of posts: [Published], in group: ChannelContent, reason: String = "", by author: String, attempt: Attempt = Attempt()
  ) throws(DeletionRefusal) -> NostrPost {
    guard group.kind == .group else { throw .notAGroup }
    let tags = try named(posts, in: group, reason)
    return NostrPost(
      author: author, kind: adminDeletionKind, tags: attempt.around(tags, in: group), content: reason)
  }

  /// - Throws: `DeletionRefusal` if a request must not have this reason.
  static func check(reason: String) throws(DeletionRefusal) {
    guard reason.utf8.count <= reasonBytesMax, NostrEvent.isSignable(reason) else { throw .unusableReason }
    guard !PostLinks.holdsSecretKey(reason) else { throw .secretInReason }
  }

  /// The tags that name these posts, each once.
  private static func named(
    _ posts: [Published], in channel: ChannelContent, _ reason: String
  ) throws(DeletionRefusal) -> [[String]] {
    guard !posts.isEmpty else { throw .nothingNamed }
    guard posts.count <= deletedMax else { throw .tooMany(posts.count) }
    try check(reason: reason)
    let ownIDs = channel.ownIDs
    var ids: Set<String> = []
    var tags: [[String]] = []
    for post in posts {
      guard Hex.decode(post.id, count: 32) != nil else { throw .malformedID }
      guard !ownIDs.contains(post.id) else { throw .channelItself(id: post.id) }
      guard deletableKinds.contains(post.kind) else { throw .notAPost(id: post.id, kind: post.kind) }
      if ids.insert(post.id).inserted { tags.append(["e", post.id]) }
    }
    return tags
  }
}
