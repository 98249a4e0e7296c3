internal import Channels
internal import RelayNetwork
internal import Storage

/// The reads that inputs about posts need from storage before they are decided.
struct PostReads: Equatable {
  /// A page of a channel's posts, for one of its relays.
  struct Page: Hashable {
    let channel: ChannelID
    let relay: RelayID
  }
  /// The number of posts on such a page.
  static let pageMax = 64
  /// The next posts beyond the retention of their channels.
  struct ToForget: Hashable {
    /// Where to begin.
    let place: PostRetentionPlace
    /// Channels whose posts need not be counted, each with its newest post.
    let counted: [ChannelID: PostID]
  }

  /// Posts that are not awake.
  var posts: Set<PostID> = []
  /// Channels whose current state is needed.
  var channels: Set<ChannelID> = []
  var keys: Set<String> = []
  var reactions: Set<PostReaction> = []
  /// Posts that were signed before and may be known.
  var names: Set<PostName> = []
  /// Relays that may accept more due posts, and how many.
  var due: [RelayID: Int] = [:]
  /// Relays that are reachable again: the number of needed posts that had trouble there, and the last one before them.
  var returned: [RelayID: (after: PostID?, limit: Int)] = [:]
  var pages: Set<Page> = []
  /// The number of due scheduled posts to read. 0 for none.
  var schedules = 0
  /// Relays that cannot be compared now. `nil` if no routes are needed.
  var comparable: Set<RelayID>?
  /// Relays that are back, each of which needs a route that was not compared since.
  var comparedBefore: [RelayID: PostComparisons.Returned] = [:]
  /// Pages of posts to compare with the posts on a relay, each with the place before which it begins.
  var reconciled: [Page: PostID] = [:]
  /// Channels whose routes are needed.
  var routed: Set<ChannelID> = []
  /// `nil` if they are not needed.
  var toForget: ToForget?
  /// Slots whose work is resumed, if any.
  var gained: SlotSet?
  /// Lists of unfinished work cover only the posts of channels in these slots.
  var slots = SlotSet.all
  /// The time at which due work is read.
  var now = Timestamp(milliseconds: 0)

  var isEmpty: Bool {
    posts.isEmpty && channels.isEmpty && keys.isEmpty && names.isEmpty && due.isEmpty && returned.isEmpty && pages.isEmpty
      && schedules == 0 && comparable == nil && reconciled.isEmpty && routed.isEmpty && reactions.isEmpty
      && toForget == nil && gained == nil
  }

  static func == (a: Self, b: Self) -> Bool {
    (a.posts, a.channels, a.keys, a.names, a.due) == (b.posts, b.channels, b.keys, b.names, b.due) && a.pages == b.pages
      && a.schedules == b.schedules && a.reactions == b.reactions && a.toForget == b.toForget
      && a.gained == b.gained
      && (a.comparable, a.comparedBefore, a.reconciled, a.routed)
        == (b.comparable, b.comparedBefore, b.reconciled, b.routed)
      && a.returned.mapValues { [$0.after?.rawValue ?? 0, Int64($0.limit)] }
        == b.returned.mapValues { [$0.after?.rawValue ?? 0, Int64($0.limit)] }
  }
}

/// The answers of storage. Data that could not be read is missing.
struct PostFacts {
  /// A page of a channel's posts, and the route that it is for.
  struct Page {
    let route: PostRouteRow
    /// The ids of the posts, highest first.
    let posts: [PostID]
  }

  /// A page of posts to compare with the posts on a relay.
  struct Compared {
    /// The place before which it begins.
    let cursor: PostID
    /// The ids of the posts, highest first.
    let posts: [PostID]
    /// Their known dates on their network.
    var dates: [PostID: Timestamp] = [:]
  }

  /// Posts beyond the retention of their channels.
  struct ToForget {
    /// Where the walk was at the time of the read.
    let place: PostRetentionPlace
    let found: PostsToForget
    /// The remnants of their documents, by document, because a post may get another one in the same decision. Documents that cannot be
    /// shortened are missing.
    var remnants: [PostDocument: String] = [:]
  }

  /// The work that is left in gained slots. `nil` if it was not requested.
  var work: PostWork?
  /// Why storage could not answer. `nil` if it could.
  var trouble: String?
  var posts = StoredPosts()
  /// The current state of the requested channels.
  var channels: [ChannelID: StoredChannel] = [:]
  /// Their routes.
  var routes: [ChannelID: [PostRouteRow]] = [:]
  /// Channels whose routes are damaged, with the damage.
  var damagedRoutes: [ChannelID: String] = [:]
  /// The content and network of every channel of `posts` that was not in memory.
  var contents: [ChannelID: PostDecider.Known] = [:]
  var keys: [String: PostID] = [:]
  /// Reactions that were not deleted.
  var reactions: [PostReaction: PostID] = [:]
  var names: [PostName: PostID] = [:]
  /// - limit: the number of posts that were requested.
  var due: [RelayID: (posts: [PostID], next: Timestamp?, limit: Int)] = [:]
  /// - isLast: whether these are the last ones.
  var returned: [RelayID: (posts: [PostID], isLast: Bool)] = [:]
  var pages: [PostReads.Page: Page] = [:]
  /// Due scheduled posts, and when the next one is due. `nil` if they were not requested.
  var schedules: (posts: [PostID], next: Timestamp?)?
  /// The time of day of the read.
  var timeOfDay = Timestamp(milliseconds: 0)
  /// Routes whose comparison is due, the longest due first.
  var routesToCompare: [PostRouteRow] = []
  /// The next route of each relay that is back, or `nil` at the end, and the request.
  var returnedRoutes: [RelayID: (next: PostRouteRow?, asked: PostComparisons.Returned)] = [:]
  var reconciled: [PostReads.Page: Compared] = [:]
  /// `nil` if they were not requested.
  var toForget: ToForget?
  /// The relays and their addresses.
  var relays: [RelayID: RelayRow] = [:]
}

extension PostFacts {
  /// The channels whose relays may be compared.
  var channelsToCompare: Set<ChannelID> {
    Set(routesToCompare.map(\.channel)).union(returnedRoutes.values.compactMap { $0.next?.channel })
  }
}
