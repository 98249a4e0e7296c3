internal import Channels
internal import DequeModule

/// What waits for one relay, and what is under way to it. The store is the queue: a lane holds the next few posts only, and as many are
/// under way as the relay has shown that it takes.
struct PostLane: Equatable {
  /// How many operations may be under way to a relay, and how many may be at the beginning.
  static let underWayMax = 64
  static let underWayFirst = 16
  /// How many posts wait in memory.
  static let readyMax = 128

  /// The posts with an operation under way.
  private(set) var underWay: Set<PostID> = []
  private var ready: Deque<PostID> = []
  private var isReady: Set<PostID> = []
  /// Whether storage may have posts that are due and wait for this relay.
  var isHungry = false
  /// When the first delivery that sleeps is due; `nil` if none is known.
  private(set) var nextDue: Timestamp?
  /// Whether posts that had trouble with the connection are being told that the relay is back, and the last one that was.
  var returning: (isUnderWay: Bool, after: PostID?) = (false, nil)
  /// How many operations may be under way.
  private(set) var capacity = underWayFirst
  /// Until when the relay wants to be left alone.
  private(set) var pausedUntil: Timestamp?
  /// Deliveries that failed since the last one that succeeded.
  var failures = 0

  /// How many more operations may begin now.
  func room(at now: Timestamp) -> Int {
    if let pausedUntil, now < pausedUntil { return 0 }
    return max(0, capacity - underWay.count)
  }

  var hasReady: Bool { !ready.isEmpty }

  /// Whether nothing is under way.
  var isIdle: Bool { underWay.isEmpty }

  func holds(_ post: PostID) -> Bool { underWay.contains(post) || isReady.contains(post) }

  /// Notes whether the delivery of a post is under way.
  mutating func note(_ post: PostID, isUnderWay: Bool) {
    if isUnderWay { underWay.insert(post) } else { underWay.remove(post) }
  }

  /// Lets a post wait here, behind the others. Without room, or if others wait in storage, it waits there, too.
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

  /// Forgets a post, whose state is not known any more.
  mutating func forget(_ post: PostID) {
    underWay.remove(post)
    guard isReady.remove(post) != nil else { return }
    ready.removeAll { $0 == post }
    isHungry = true
  }

  /// Notes that a delivery sleeps until `due`.
  mutating func sleeps(until due: Timestamp) { nextDue = nextDue.map { min($0, due) } ?? due }

  /// Notes when the first sleeping delivery is due, as storage knew it: something may have been decided since.
  mutating func learned(next: Timestamp?) {
    if let next { sleeps(until: next) }
  }

  /// Notes that time has passed.
  mutating func awakened(at now: Timestamp) {
    if let due = nextDue, due <= now { (isHungry, nextDue) = (true, nil) }
    if let until = pausedUntil, until <= now { pausedUntil = nil }
  }

  /// Whether something waits for the relay that is due, here or, as far as is known, in storage.
  var wantsMore: Bool { returning.isUnderWay || isHungry || hasReady }

  /// When something is to be done here without another event; `nil` if nothing waits for a time.
  var alarm: Timestamp? {
    guard let pausedUntil else { return nextDue }
    return wantsMore ? pausedUntil : nextDue.map { max($0, pausedUntil) }
  }

  // MARK: - The pace of the relay

  /// Notes that the relay took something.
  mutating func accepted() { capacity = min(capacity + 1, Self.underWayMax) }

  /// Notes that the relay wants less.
  /// - Parameter wait: how long it wants to be left alone.
  mutating func limited(at now: Timestamp, for wait: Duration) {
    // Everything that was under way together says it once.
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
