internal import Channels
internal import RelayNetwork
internal import Storage

/// Which relays are being compared with what they should hold, and which are next.
///
/// What is due is in the store. This is bounded: the names of the posts that a few relays hold, and something small for each relay.
struct PostComparisons: Equatable {
  /// How many relays are compared at once.
  static let underWayMax = 4
  /// How often a relay is compared with all posts of a channel.
  static let interval = Duration.seconds(86_400)
  /// How often the store is asked for what is due.
  static let round = Duration.seconds(60)
  /// How long a relay is left alone where a comparison failed.
  static let afterFailure = Duration.seconds(3_600)
  /// How long the network may take for one comparison.
  static let patience = Duration.seconds(3_600)
  /// A route is not compared again after less than this, however often its relay comes back.
  static let recent = Duration.seconds(60)
  /// How long posts wait that were not found while their lane has no room, unless they are told that it has.
  static let roomWait = Duration.seconds(30)

  struct UnderWay: Equatable {
    let channel: ChannelID
    let number: Int
    let depth: PostComparison.Depth
    let startedAt: Timestamp
    /// What the relay was found to hold; `nil` while it is being asked.
    var served: ServedPosts?
    /// The posts from this one on were compared.
    var cursor = PostID(rawValue: 0)
    /// Whether the next post waits for room in the lane of the relay.
    var isHeld = false
    /// How many posts were not found that readers had found before.
    var lost = 0
    /// Whether posts that relays do not list are in doubt as well, because others were not found.
    var doubtsAsides = false

    /// Begins again, once, with the posts in doubt as well, if posts were not found.
    /// - Parameter top: an id above all posts.
    /// - Returns: whether it does.
    mutating func doubtsMore(from top: PostID) -> Bool {
      guard lost > 0, !doubtsAsides else { return false }
      (doubtsAsides, cursor) = (true, top)
      return true
    }
  }

  /// A relay of which nothing is assumed until it was compared.
  struct Returned: Equatable {
    /// When it came back. Routes that were compared since then need not be compared again.
    let since: Timestamp
    /// The latest of its channels that was seen to.
    var after = ChannelID(rawValue: 0)
  }

  /// Whether there are routes, so that what is due is looked for every minute.
  var isExpected = false
  var underWay: [RelayID: UnderWay] = [:]
  /// Relays that are back, until all of their channels were compared.
  var returned: [RelayID: Returned] = [:]
  /// Until when relays are left alone where a comparison failed.
  private(set) var resting: [RelayID: Timestamp] = [:]
  private var latestNumber = 0

  /// How many more relays may be compared now.
  var room: Int { max(0, Self.underWayMax - underWay.count) }

  /// The relays that cannot be compared now.
  func unavailable(at now: Timestamp) -> Set<RelayID> {
    Set(underWay.keys).union(resting.filter { now < $0.value }.keys)
  }

  /// The relays that are back and can be compared now.
  func waiting(at now: Timestamp) -> [RelayID: Returned] {
    let unavailable = unavailable(at: now)
    return returned.filter { !unavailable.contains($0.key) }
  }

  mutating func cameBack(_ relay: RelayID, at now: Timestamp) {
    mayAsk(relay)
    returned[relay] = Returned(since: now)
  }

  /// Notes that a relay where a comparison failed need not be left alone any longer.
  mutating func mayAsk(_ relay: RelayID) { resting[relay] = nil }

  mutating func begin(_ channel: ChannelID, _ relay: RelayID, _ depth: PostComparison.Depth, at now: Timestamp) -> Int {
    latestNumber += 1
    underWay[relay] = UnderWay(channel: channel, number: latestNumber, depth: depth, startedAt: now)
    return latestNumber
  }

  /// - Parameter isHopeless: whether the relay never lists anything.
  mutating func failed(_ relay: RelayID, isHopeless: Bool, at now: Timestamp) {
    underWay[relay] = nil
    if isHopeless { returned[relay] = nil }
    resting[relay] = now + Self.afterFailure
  }

  /// Forgets a comparison whose decision was not stored. What was due still is.
  mutating func drop(_ relay: RelayID) {
    let dropped = underWay.removeValue(forKey: relay)
    let isNewest = dropped?.depth == .newest
    guard let since = returned[relay]?.since ?? (isNewest ? dropped?.startedAt : nil) else { return }
    returned[relay] = Returned(since: since)
  }

  /// When a route is next compared: after a day, more or less, so that all do not come together.
  static func next(_ channel: ChannelID, _ relay: RelayID, seed: UInt64, after now: Timestamp) -> Timestamp {
    let mixed = (PostDecider.salt(PostID(rawValue: channel.rawValue), relay) ^ seed) &* 0xBF58_476D_1CE4_E5B9
    let tenth = interval.wholeMilliseconds / 10
    return now + .milliseconds(interval.wholeMilliseconds - tenth + Int64(mixed >> 24) % (2 * tenth))
  }
}
