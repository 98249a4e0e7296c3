internal import Channels
internal import Storage

/// What is left to do for the posts of channels that someone begins to act for. It follows from what is stored.
struct PostWork {
  /// The channels are in these.
  let slots: SlotSet
  /// The highest id of any post, whoever gave it.
  var post: Int64 = 0
  /// When the next delivery of each relay is due.
  var nextDeliveries: [RelayID: Timestamp] = [:]
  /// Posts with an operation under way, of which nothing will be heard any more.
  var underWay: [PostID] = []
  /// The channels that have posts.
  var channels: Set<ChannelID> = []
  var channelsToRoute: [ChannelID] = []
  /// Routes on which a walk along earlier posts is under way.
  var routes: [PostRouteRow] = []
  var replacements: [PostInput] = []

  /// How many posts are read, or taken up, at once.
  static let pageMax = 256

  /// Takes up what is under way.
  var steps: [PostInput] {
    stride(from: 0, to: underWay.count, by: Self.pageMax).map {
      .takeUp(Array(underWay[$0..<min($0 + Self.pageMax, underWay.count)]))
    }
  }

  /// What comes after that.
  var inputs: [PostInput] {
    channelsToRoute.map { .membershipChanged($0) } + routes.map { .walk($0.channel, $0.relay) } + [.lookAtSchedules]
      + replacements
  }
}
