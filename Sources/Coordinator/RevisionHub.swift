public import Channels
internal import Synchronization

/// The hub that announces changes of posts.
public typealias PostHub = RevisionHub<PostID>
/// The hub that announces changes of messages and conversations.
public typealias MessageHub = RevisionHub<MessageID>

/// Announces changes of objects that share a sequence of revisions. Waiting tasks read the changes in storage.
public final class RevisionHub<Object: Hashable & Sendable>: Sendable {
  private struct Waiter {
    let after: Int64
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// An object that is followed.
  private struct Followed {
    var count = 0
    /// The newest revision at which it may have changed.
    var revision: Int64
  }

  private struct State {
    var revision: Int64 = 0
    var isOver = false
    var next = 0
    /// The waiters for any object, and the waiters for one.
    var waiting: [Int: Waiter] = [:]
    var waitingFor: [Object: [Int: Waiter]] = [:]
    var followed: [Object: Followed] = [:]

    func revision(of object: Object?) -> Int64 { object.flatMap { followed[$0]?.revision } ?? revision }

    mutating func add(_ waiter: Waiter, _ place: Int, _ object: Object?) {
      if let object { waitingFor[object, default: [:]][place] = waiter } else { waiting[place] = waiter }
    }

    mutating func remove(_ place: Int, _ object: Object?) -> Waiter? {
      guard let object else { return waiting.removeValue(forKey: place) }
      defer { if waitingFor[object]?.isEmpty == true { waitingFor[object] = nil } }
      return waitingFor[object]?.removeValue(forKey: place)
    }
  }
  private let state = Mutex(State())

  public init() {}

  /// The newest revision that is known to be durable.
  public var revision: Int64 { state.withLock { $0.revision } }

  /// The number of waiters.
  var waiterCount: Int { state.withLock { $0.waiting.count + $0.waitingFor.values.reduce(0) { $0 + $1.count } } }

  /// Records changes of this object until `unfollow`, so that changes of other objects do not wake its waiters.
  public func follow(_ object: Object) {
    state.withLock { state in
      // Its earlier revision is unknown.
      var followed = state.followed[object] ?? Followed(revision: state.revision)
      followed.count += 1
      state.followed[object] = followed
    }
  }

  /// Ends one call of `follow`.
  public func unfollow(_ object: Object) {
    state.withLock { state in
      guard var followed = state.followed[object] else { return }
      followed.count -= 1
      state.followed[object] = followed.count > 0 ? followed : nil
    }
  }

  /// Waits until objects have a newer revision than `revision`, or the wait is cancelled.
  /// - Parameter object: A followed object, if only its changes count. `nil` means that all changes count.
  /// - Returns: whether to continue. False once the coordinator has stopped.
  public func wait(after revision: Int64, for object: Object? = nil) async -> Bool {
    let place = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.isOver { return false }
          if state.revision(of: object) > revision || Task.isCancelled { return true }
          state.add(Waiter(after: revision, continuation: continuation), place, object)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.remove(place, object) }?.continuation.resume(returning: true)
    }
  }

  /// Announces that objects have this revision now.
  /// - Parameter objects: the changed objects. `nil` if any may have changed.
  func publish(_ revision: Int64, changing objects: Set<Object>? = nil) {
    let woken = state.withLock { state in
      state.revision = max(state.revision, revision)
      let changed = objects.map { $0.filter { state.followed[$0] != nil } } ?? Set(state.followed.keys)
      for object in changed { state.followed[object]?.revision = state.revision }
      var woken = Self.take(from: &state.waiting, upTo: state.revision)
      for object in changed {
        guard var waiting = state.waitingFor.removeValue(forKey: object) else { continue }
        woken += Self.take(from: &waiting, upTo: state.revision)
        if !waiting.isEmpty { state.waitingFor[object] = waiting }
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

  /// Ends all waits.
  func finish() {
    let woken = state.withLock { state in
      state.isOver = true
      defer { (state.waiting, state.waitingFor) = ([:], [:]) }
      return Array(state.waiting.values) + state.waitingFor.values.flatMap(\.values)
    }
    for waiter in woken { waiter.continuation.resume(returning: false) }
  }
}
