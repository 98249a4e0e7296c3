internal import Channels
internal import DequeModule

/// The work for one relay that waits or is under way. The store is the queue: a lane contains only the next few posts, and the number under
/// way adapts to the relay's pace.
struct PostLane: Equatable {
  /// The maximum number of operations under way to a relay, and the first limit.
  static let underWayMax = 64
  static let underWayFirst = 16
  /// The maximum number of posts that wait in memory.
  static let readyMax = 128

  /// The posts with an operation under way.
  private(set) var underWay: Set<PostID> = []
  private var ready: Deque<PostID> = []
  private var isReady: Set<PostID> = []
  /// Whether storage may have due posts that wait for this relay.
  var isHungry = false
  /// When the first sleeping delivery is due. `nil` if none is known.
  private(set) var nextDue: Timestamp?
  /// Whether posts that had trouble with the connection are being informed that the relay is back, and the last one that was.
  var returning: (isUnderWay: Bool, after: PostID?) = (false, nil)
  /// The current limit of operations under way.
  private(set) var capacity = underWayFirst
  /// The time until which the relay is paused.
  private(set) var pausedUntil: Timestamp?
  /// Deliveries that failed since the last one that succeeded.
  var failures = 0

  /// The number of operations that may begin now.
  func room(at now: Timestamp) -> Int {
    if let pausedUntil, now < pausedUntil { return 0 }
    return max(0, capacity - underWay.count)
  }

  var hasReady: Bool { !ready.isEmpty }

  /// Whether nothing is under way.
  var isIdle: Bool { underWay.isEmpty }

  func holds(_ post: PostID) -> Bool { underWay.contains(post) || isReady.contains(post) }

  /// Records whether the delivery of a post is under way.
  mutating func note(_ post: PostID, isUnderWay: Bool) {
    if isUnderWay { underWay.insert(post) } else { underWay.remove(post) }
  }

  /// Lets a post wait here, behind the others. Without room, or while others wait in storage, it waits in storage.
  mutating func offer(_ post: PostID, inOrder: Bool = true) {
    guard ready.count < Self.readyMax, !(inOrder && isHungry) else {
      isHungry = true
      return
    }
    if isReady.insert(post).inserted { ready.append(post) }
  }

  mutating func popReady() -> PostID? {
    guard let post = ready.popFirst() else { return nil }
    isReady.remove(post)
    return post
  }

  /// Forgets a post whose state is unknown.
  mutating func forget(_ post: PostID) {
    underWay.remove(post)
    guard isReady.remove(post) != nil else { return }
    ready.removeAll { $0 == post }
    isHungry = true
  }

  /// Records that a delivery sleeps until `due`.
  mutating func sleeps(until due: Timestamp) { nextDue = nextDue.map { min($0, due) } ?? due }

  /// Records when storage's first sleeping delivery is due, which later decisions may have changed.
  mutating func learned(next: Timestamp?) {
    if let next { sleeps(until: next) }
  }

  /// Records that time has passed.
  mutating func awakened(at now: Timestamp) {
    if let due = nextDue, due <= now { (isHungry, nextDue) = (true, nil) }
    if let until = pausedUntil, until <= now { pausedUntil = nil }
  }

  /// Whether due work waits for the relay in memory or possibly in storage.
  var wantsMore: Bool { returning.isUnderWay || isHungry || hasReady }

  /// When the lane needs attention without another event. `nil` if nothing waits for a time.
  var alarm: Timestamp? {
    guard let pausedUntil else { return nextDue }
    return wantsMore ? pausedUntil : nextDue.map { max($0, pausedUntil) }
  }

  // MARK: - The pace of the relay

  /// Records that the relay accepted an operation.
  mutating func accepted() { capacity = min(capacity + 1, Self.underWayMax) }

  /// Records that the relay limits the rate.
  /// - Parameter wait: how long to pause.
  mutating func limited(at now: Timestamp, for wait: Duration) {
    // Operations that were under way together count once.
    guard pausedUntil == nil else { return }
    capacity = max(1, capacity / 2)
    pausedUntil = now + wait
  }

  static func == (a: Self, b: Self) -> Bool {
    (a.underWay, a.ready, a.isHungry, a.nextDue, a.capacity, a.pausedUntil) == (
      b.underWay, b.ready, b.isHungry, b.nextDue, b.capacity, b.pausedUntil
    ) && a.returning == b.returning && a.failures == b.failures
  }
}
