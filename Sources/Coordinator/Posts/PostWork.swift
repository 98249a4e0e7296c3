internal import Channels
internal import Storage

/// The work that is left for the posts of newly gained channels. It follows from the stored state.
struct PostWork {
  /// The slots of the channels.
  let slots: SlotSet
  /// The highest id of any post of all daemons.
  var post: Int64 = 0
  /// When the next delivery of each relay is due.
  var nextDeliveries: [RelayID: Timestamp] = [:]
  /// Posts with an operation under way whose outcome will not be reported.
  var underWay: [PostID] = []
  /// The channels that have posts.
  var channels: Set<ChannelID> = []
  var channelsToRoute: [ChannelID] = []
  /// Routes on which a walk along earlier posts is under way.
  var routes: [PostRouteRow] = []
  var replacements: [PostInput] = []

  /// The number of posts that are read or resumed together.
  static let pageMax = 256

  /// Inputs that resume operations under way.
  var steps: [PostInput] {
    stride(from: 0, to: underWay.count, by: Self.pageMax).map {
      .takeUp(Array(underWay[$0..<min($0 + Self.pageMax, underWay.count)]))
    }
  }

  /// The inputs after that.
  var inputs: [PostInput] {
    channelsToRoute.map { .membershipChanged($0) } + routes.map { .walk($0.channel, $0.relay) } + [.lookAtSchedules]
      + replacements
  }
}
