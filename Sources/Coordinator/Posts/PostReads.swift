internal import Channels
internal import RelayNetwork
internal import Storage

/// What inputs about posts ask of storage, before they are decided.
struct PostReads: Equatable {
  /// A page of a channel's posts, for one of its relays.
  struct Page: Hashable {
    let channel: ChannelID
    let relay: RelayID
  }
  /// The number of posts on such a page.
  static let pageMax = 64
  /// The next posts that are beyond the retention of their channels.
  struct ToForget: Hashable {
    /// Where to begin.
    let place: PostRetentionPlace
    /// Channels whose posts need not be counted, each with its newest post.
    let counted: [ChannelID: PostID]
  }

  /// Posts that are not awake.
  var posts: Set<PostID> = []
  /// Channels that must be as they are now.
  var channels: Set<ChannelID> = []
  var keys: Set<String> = []
  var reactions: Set<PostReaction> = []
  /// Posts that were signed before and may be known.
  var names: Set<PostName> = []
  /// Relays that may take more of what is due, and how many.
  var due: [RelayID: Int] = [:]
  /// Relays that can be reached again: how many of the posts that had trouble there are wanted, and after which one.
  var returned: [RelayID: (after: PostID?, limit: Int)] = [:]
  var pages: Set<Page> = []
  /// How many of the scheduled posts that are due are wanted; 0 for none.
  var schedules = 0
  /// Relays that cannot be compared now; `nil` if no one wants to know which can.
  var comparable: Set<RelayID>?
  /// Relays that are back, of which a route is wanted that was not compared since.
  var comparedBefore: [RelayID: PostComparisons.Returned] = [:]
  /// Pages of posts to compare with what a relay holds, each with the place before which it begins.
  var reconciled: [Page: PostID] = [:]
  /// Channels whose routes are wanted.
  var routed: Set<ChannelID> = []
  /// `nil` if no one wants to know.
  var toForget: ToForget?
  /// Slots whose work is taken up; `nil` if there are none.
  var gained: SlotSet?
  /// Lists of what is left to do cover only the posts of channels in these slots.
  var slots = SlotSet.all
  /// The time at which what is due is asked for.
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

/// What storage answers. What cannot be read is missing.
struct PostFacts {
  /// A page of a channel's posts, and the route that it is for.
  struct Page {
    let route: PostRouteRow
    /// The ids of the posts, highest first.
    let posts: [PostID]
  }

  /// A page of posts to compare with what a relay holds.
  struct Compared {
    /// The place before which it begins.
    let cursor: PostID
    /// The ids of the posts, highest first.
    let posts: [PostID]
    /// The dates that they have on their network, as far as these are known.
    var dates: [PostID: Timestamp] = [:]
  }

  /// Posts that are beyond the retention of their channels.
  struct ToForget {
    /// Where the walk was when storage was asked.
    let place: PostRetentionPlace
    let found: PostsToForget
    /// What must stay of their documents, by the document: a post may get another one in the same decision. Those of which nothing can be
    /// left out are missing.
    var remnants: [PostDocument: String] = [:]
  }

  /// What is left to do in slots that were gained; `nil` if no one asked.
  var work: PostWork?
  /// Why storage could not answer; `nil` if it could.
  var trouble: String?
  var posts = StoredPosts()
  /// Channels that were asked for, as they are now.
  var channels: [ChannelID: StoredChannel] = [:]
  /// Their routes.
  var routes: [ChannelID: [PostRouteRow]] = [:]
  /// Channels of which no one knows where their posts go, with what is wrong.
  var damagedRoutes: [ChannelID: String] = [:]
  /// The content and network of every channel of `posts` that was not known.
  var contents: [ChannelID: PostDecider.Known] = [:]
  var keys: [String: PostID] = [:]
  /// Reactions that were not deleted.
  var reactions: [PostReaction: PostID] = [:]
  var names: [PostName: PostID] = [:]
  /// - limit: how many were asked for.
  var due: [RelayID: (posts: [PostID], next: Timestamp?, limit: Int)] = [:]
  /// - isLast: whether there are no others.
  var returned: [RelayID: (posts: [PostID], isLast: Bool)] = [:]
  var pages: [PostReads.Page: Page] = [:]
  /// Scheduled posts that are due, and when the next one will be; `nil` if no one asked.
  var schedules: (posts: [PostID], next: Timestamp?)?
  /// The time of day at which this holds.
  var timeOfDay = Timestamp(milliseconds: 0)
  /// Routes whose comparison is due, the longest due first.
  var routesToCompare: [PostRouteRow] = []
  /// The next route of each relay that is back, `nil` if there are no more, and the question.
  var returnedRoutes: [RelayID: (next: PostRouteRow?, asked: PostComparisons.Returned)] = [:]
  var reconciled: [PostReads.Page: Compared] = [:]
  /// `nil` if no one asked.
  var toForget: ToForget?
  /// Where relays are.
  var relays: [RelayID: RelayRow] = [:]
}

extension PostFacts {
  /// The channels of which relays may be compared.
  var channelsToCompare: Set<ChannelID> {
    Set(routesToCompare.map(\.channel)).union(returnedRoutes.values.compactMap { $0.next?.channel })
  }
}
