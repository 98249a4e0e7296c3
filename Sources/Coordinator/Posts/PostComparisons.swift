internal import Channels
internal import RelayNetwork
internal import Storage

/// The relays that are being compared with the posts that they should have, and the next ones.
///
/// Due comparisons are in the store. In memory are only the names of the posts on a few relays, and a small state for each relay.
struct PostComparisons: Equatable {
  /// The maximum number of simultaneous comparisons.
  static let underWayMax = 4
  /// How often a relay is compared with all posts of a channel.
  static let interval = Duration.seconds(86_400)
  /// How often due comparisons are read from the store.
  static let round = Duration.seconds(60)
  /// How long a relay is skipped after a comparison failed.
  static let afterFailure = Duration.seconds(3_600)
  /// The maximum duration of one comparison.
  static let patience = Duration.seconds(3_600)
  /// A route is not compared again within this time, however often its relay comes back.
  static let recent = Duration.seconds(60)
  /// How long missing posts wait while their lane has no room, unless the lane signals room before.
  static let roomWait = Duration.seconds(30)

  struct UnderWay: Equatable {
    let channel: ChannelID
    let number: Int
    let depth: PostComparison.Depth
    let startedAt: Timestamp
    /// The posts on the relay. `nil` while it is being asked.
    var served: ServedPosts?
    /// Posts from this one on were compared.
    var cursor = PostID(rawValue: 0)
    /// Whether the next post waits for room in the lane of the relay.
    var isHeld = false
    /// The number of missing posts that readers had found before.
    var lost = 0
    /// Whether posts that relays do not list are in doubt too, because other posts are missing.
    var doubtsAsides = false

    /// Begins again, once, with the posts in doubt, if posts are missing.
    /// - Parameter top: an id above all posts.
    /// - Returns: whether it begins again.
    mutating func doubtsMore(from top: PostID) -> Bool {
      guard lost > 0, !doubtsAsides else { return false }
      (doubtsAsides, cursor) = (true, top)
      return true
    }
  }

  /// A relay about which nothing is assumed until it was compared.
  struct Returned: Equatable {
    /// When it came back. Routes that were compared since then are not compared again.
    let since: Timestamp
    /// The last of its channels that was handled.
    var after = ChannelID(rawValue: 0)
  }

  /// Whether there are routes, so that due comparisons are read every minute.
  var isExpected = false
  var underWay: [RelayID: UnderWay] = [:]
  /// Relays that are back, until all of their channels were compared.
  var returned: [RelayID: Returned] = [:]
  /// The time until which relays are skipped after a failed comparison.
  private(set) var resting: [RelayID: Timestamp] = [:]
  private var latestNumber = 0

  /// The number of further relays that may be compared now.
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

  /// Ends the skipping of a relay after a failed comparison.
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

  /// Forgets a comparison whose decision was not stored. It is still due.
  mutating func drop(_ relay: RelayID) {
    let dropped = underWay.removeValue(forKey: relay)
    let isNewest = dropped?.depth == .newest
    guard let since = returned[relay]?.since ?? (isNewest ? dropped?.startedAt : nil) else { return }
    returned[relay] = Returned(since: since)
  }

  /// The next comparison of a route: after about a day, so that comparisons are spread.
  static func next(_ channel: ChannelID, _ relay: RelayID, seed: UInt64, after now: Timestamp) -> Timestamp {
    let mixed = (PostDecider.salt(PostID(rawValue: channel.rawValue), relay) ^ seed) &* 0xBF58_476D_1CE4_E5B9
    let tenth = interval.wholeMilliseconds / 10
    return now + .milliseconds(interval.wholeMilliseconds - tenth + Int64(mixed >> 24) % (2 * tenth))
  }
}
