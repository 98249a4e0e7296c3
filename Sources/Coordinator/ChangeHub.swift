internal import Synchronization

/// Hands committed changes to subscribers. A subscriber that does not keep up is cut off; it never slows the coordinator.
public final class ChangeHub: Sendable {
  /// Changes that may wait for one subscriber.
  public static let subscriberQueueMaxDefault = 4096
  private let subscriberQueueMax: Int
  private let subscribersMax: Int

  /// A stream of changes after a revision.
  public struct Subscription: Sendable {
    public let id: Int
    /// The revision up to which the subscriber must read by itself; everything later comes through `changes`.
    public let revision: Int64
    /// Ends when the subscription is cancelled or cut off.
    public let changes: AsyncStream<Change>
  }

  private struct State {
    var revision: Int64 = 0
    var nextID = 1
    var subscribers: [Int: AsyncStream<Change>.Continuation] = [:]
    var cutOff: Set<Int> = []
  }
  private let state = Mutex(State())

  /// - Parameters:
  ///   - queueMax: changes that may wait for one subscriber; with more it is cut off.
  ///   - subscribersMax: subscribers at once.
  public init(queueMax: Int = subscriberQueueMaxDefault, subscribersMax: Int = .max) {
    subscriberQueueMax = queueMax
    self.subscribersMax = subscribersMax
  }

  public var revision: Int64 { state.withLock { $0.revision } }
  public var subscriberCount: Int { state.withLock { $0.subscribers.count } }

  /// - Returns: nil when there are too many subscribers.
  public func subscribe() -> Subscription? {
    state.withLock { state in
      guard state.subscribers.count < subscribersMax else { return nil }
      let id = state.nextID
      state.nextID += 1
      let (changes, continuation) = AsyncStream.makeStream(
        of: Change.self, bufferingPolicy: .bufferingOldest(subscriberQueueMax))
      state.subscribers[id] = continuation
      return Subscription(id: id, revision: state.revision, changes: changes)
    }
  }

  public func unsubscribe(_ id: Int) {
    let continuation = state.withLock { state in
      state.cutOff.remove(id)
      return state.subscribers.removeValue(forKey: id)
    }
    continuation?.finish()
  }

  /// Whether the subscriber lost its stream because its queue was full.
  public func wasCutOff(_ id: Int) -> Bool { state.withLock { $0.cutOff.contains(id) } }

  func start(at revision: Int64) { state.withLock { $0.revision = revision } }

  func publish(_ changes: [Change], revision: Int64) {
    let cutOff = state.withLock { state in
      state.revision = revision
      var full: [AsyncStream<Change>.Continuation] = []
      for (id, continuation) in state.subscribers {
        for change in changes {
          guard case .dropped = continuation.yield(change) else { continue }
          full.append(continuation)
          state.subscribers[id] = nil
          state.cutOff.insert(id)
          break
        }
      }
      return full
    }
    for continuation in cutOff { continuation.finish() }
  }

  /// Sends all subscribers away: there are changes that they did not hear of.
  func cutOffAll(at revision: Int64) {
    let all = state.withLock { state in
      defer { state.subscribers = [:] }
      state.revision = revision
      state.cutOff.formUnion(state.subscribers.keys)
      return Array(state.subscribers.values)
    }
    for continuation in all { continuation.finish() }
  }

  func finish() {
    let all = state.withLock { state in
      defer { state.subscribers = [:] }
      return Array(state.subscribers.values)
    }
    for continuation in all { continuation.finish() }
  }
}
