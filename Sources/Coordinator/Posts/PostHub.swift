public import Channels
internal import Synchronization

/// Tells those who watch posts that some have changed. They read in storage what it was.
public final class PostHub: Sendable {
  private struct Waiter {
    let after: Int64
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// A post that somebody follows.
  private struct Followed {
    var count = 0
    /// The newest revision at which it may have changed.
    var revision: Int64
  }

  private struct State {
    var revision: Int64 = 0
    var isOver = false
    var next = 0
    /// Those who wait for any post, and those who wait for one.
    var waiting: [Int: Waiter] = [:]
    var waitingFor: [PostID: [Int: Waiter]] = [:]
    var followed: [PostID: Followed] = [:]

    func revision(of post: PostID?) -> Int64 { post.flatMap { followed[$0]?.revision } ?? revision }

    mutating func add(_ waiter: Waiter, _ place: Int, _ post: PostID?) {
      if let post { waitingFor[post, default: [:]][place] = waiter } else { waiting[place] = waiter }
    }

    mutating func remove(_ place: Int, _ post: PostID?) -> Waiter? {
      guard let post else { return waiting.removeValue(forKey: place) }
      defer { if waitingFor[post]?.isEmpty == true { waitingFor[post] = nil } }
      return waitingFor[post]?.removeValue(forKey: place)
    }
  }
  private let state = Mutex(State())

  public init() {}

  /// The newest revision of posts that is durable and known.
  public var revision: Int64 { state.withLock { $0.revision } }

  /// How many wait.
  var waiterCount: Int { state.withLock { $0.waiting.count + $0.waitingFor.values.reduce(0) { $0 + $1.count } } }

  /// Notes until `unfollow` when this post changes, so that whoever waits for it is not woken by the changes of others.
  public func follow(_ post: PostID) {
    state.withLock { state in
      // What it was before is not known.
      var followed = state.followed[post] ?? Followed(revision: state.revision)
      followed.count += 1
      state.followed[post] = followed
    }
  }

  /// Ends what one call of `follow` began.
  public func unfollow(_ post: PostID) {
    state.withLock { state in
      guard var followed = state.followed[post] else { return }
      followed.count -= 1
      state.followed[post] = followed.count > 0 ? followed : nil
    }
  }

  /// Waits until posts have a newer revision than `revision`, or the wait is cancelled.
  /// - Parameter post: a post that is followed: only its changes count. All count if it is `nil`.
  /// - Returns: whether to go on; false once the coordinator has stopped.
  public func wait(after revision: Int64, for post: PostID? = nil) async -> Bool {
    let place = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.isOver { return false }
          if state.revision(of: post) > revision || Task.isCancelled { return true }
          state.add(Waiter(after: revision, continuation: continuation), place, post)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.remove(place, post) }?.continuation.resume(returning: true)
    }
  }

  /// Tells that posts have this revision by now.
  /// - Parameter posts: those that changed; any may have if it is `nil`.
  func publish(_ revision: Int64, changing posts: Set<PostID>? = nil) {
    let woken = state.withLock { state in
      state.revision = max(state.revision, revision)
      let changed = posts.map { $0.filter { state.followed[$0] != nil } } ?? Set(state.followed.keys)
      for post in changed { state.followed[post]?.revision = state.revision }
      var woken = Self.take(from: &state.waiting, upTo: state.revision)
      for post in changed {
        guard var waiting = state.waitingFor.removeValue(forKey: post) else { continue }
        woken += Self.take(from: &waiting, upTo: state.revision)
        if !waiting.isEmpty { state.waitingFor[post] = waiting }
      }
      return woken
    }
    for waiter in woken { waiter.continuation.resume(returning: true) }
  }

  private static func take(from waiting: inout [Int: Waiter], upTo revision: Int64) -> [Waiter] {
    let woken = waiting.filter { $0.value.after < revision }
    for place in woken.keys { waiting[place] = nil }
    return Array(woken.values)
  }

  /// Lets nobody wait any more.
  func finish() {
    let woken = state.withLock { state in
      state.isOver = true
      defer { (state.waiting, state.waitingFor) = ([:], [:]) }
      return Array(state.waiting.values) + state.waitingFor.values.flatMap(\.values)
    }
    for waiter in woken { waiter.continuation.resume(returning: false) }
  }
}
