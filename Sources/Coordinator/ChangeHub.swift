internal import Synchronization

/// Passes committed changes to all subscribers. The changes are kept once, in a `ChangeLog`. A subscriber is a position in it and costs
/// next to nothing, even if it is slow. Subscribers never slow the coordinator: publishing wakes one task, and that task wakes the
/// subscribers.
public final class ChangeHub: Sendable {
  /// The number of changes that a subscriber may be behind.
  public static let subscriberQueueMaxDefault = 4096
  /// The approximate maximum size of the kept changes, in bytes.
  public static let bytesMaxDefault = 16 << 20

  /// The answer to a subscriber that asks for the next change.
  public enum Taken: Sendable {
    /// The next change for it.
    case change(ChangeEntry)
    /// There is no change now. Call `wait`.
    case nothing
    /// Changes after `after` and up to `through` are not in the hub. Their results are in the store, and later changes follow here.
    case missed(after: Int64, through: Int64)
    /// It fell behind again before it had read the missed changes. It has all its changes up to `after`.
    case tooSlow(after: Int64)
    /// There is nothing after `at`, now or later: the subscription was cancelled, or the daemon stops.
    case over(at: Int64)
  }

  /// Figures of the kept changes, and of the work for subscribers since the start.
  public struct Figures: Hashable, Sendable {
    /// The number of changes that are kept.
    public var changes: Int
    /// The approximate size of these changes and their messages, in bytes.
    public var bytes: Int
    /// The number of messages that were made, each for all its subscribers.
    public var messages: Int
    /// The number of times that a subscriber fell behind.
    public var falls: Int
  }

  private struct State {
    var log: ChangeLog
    var nextID = 1
    var messages = 0
    /// The number of subscribers that wait for a change.
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// Whether changes have come since the waiting subscribers were last checked.
    var hasNews = false
    /// Whether the task that wakes them is running.
    var isWaking = false
    /// Called when changes do not follow the published ones, because another daemon has committed before them. `nil` without other daemons.
    var fillGap: (@Sendable () -> Void)?
  }
  private let state: Mutex<State>
  /// The number of changes that a subscriber may be behind, and that are kept.
  public let queueMax: Int
  /// The approximate maximum size of these in bytes. If they are larger, fewer are kept.
  public let bytesMax: Int
  /// The maximum number of simultaneous subscribers.
  public let subscribersMax: Int

  /// The number of subscribers that are checked before publishing gets a turn.
  private static let wokenAtOnce = 64
  /// The time that each woken subscriber is given before the next check, so that many subscribers read several changes together. A few
  /// subscribers get each change immediately.
  private static let turn = Duration.microseconds(20)
  private static let turnsMin = Duration.milliseconds(1)

  /// - Parameters:
  ///   - queueMax: the number of changes that a subscriber may be behind, and that are kept.
  ///   - bytesMax: their approximate maximum size in bytes. If they are larger, fewer are kept.
  ///   - subscribersMax: the maximum number of simultaneous subscribers.
  public init(
    queueMax: Int = subscriberQueueMaxDefault, bytesMax: Int = bytesMaxDefault, subscribersMax: Int = .max
  ) {
    state = Mutex(State(log: ChangeLog(limits: .init(changesMax: queueMax, bytesMax: bytesMax))))
    self.queueMax = queueMax
    self.bytesMax = bytesMax
    self.subscribersMax = subscribersMax
  }

  public var revision: Int64 { state.withLock { $0.log.revision } }
  public var subscriberCount: Int { state.withLock { $0.log.readerCount } }
  public var figures: Figures {
    state.withLock { state in
      Figures(changes: state.log.count, bytes: state.log.byteCount, messages: state.messages, falls: state.log.falls)
    }
  }

  // MARK: - Subscribers

  /// - Returns: `nil` if there are too many subscribers.
  public func subscribe(_ selection: ChangeSelection = .all) -> ChangeSubscription? {
    state.withLock { state in
      guard state.log.readerCount < subscribersMax else { return nil }
      let id = state.nextID
      state.nextID += 1
      state.log.add(id, selection)
      return ChangeSubscription(id: id, revision: state.log.revision, hub: self)
    }
  }

  func unsubscribe(_ id: Int) {
    let waiting = state.withLock { state in
      state.log.remove(id)
      return state.waiting.removeValue(forKey: id)
    }
    waiting?.resume()
  }

  func select(_ selection: ChangeSelection, for id: Int) { state.withLock { $0.log.select(selection, for: id) } }

  func rejoin(_ id: Int) { state.withLock { $0.log.rejoin(id) } }

  func take(_ id: Int) -> Taken { state.withLock { $0.log.take(id) } }

  func wait(_ id: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          // Only one caller may wait for a subscription. A second one returns immediately.
          guard state.waiting[id] == nil, !state.log.hasNews(for: id) else { return true }
          state.waiting[id] = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.log.cancel(id)
        return state.waiting.removeValue(forKey: id)
      }
      waiting?.resume()
    }
  }

  func message(of entry: ChangeEntry, by encode: (Change) throws -> [UInt8]) throws -> [UInt8] {
    let (bytes, isNew) = try entry.message(by: encode)
    if isNew {
      state.withLock { state in
        state.messages += 1
        state.log.grow(entry.number, by: bytes.count)
      }
    }
    return bytes
  }

  // MARK: - The coordinator

  func start(at revision: Int64) { state.withLock { $0.log.start(at: revision) } }

  /// Sets the function that is called when changes cannot be published, because another daemon has committed before them.
  func fillGaps(_ fill: @escaping @Sendable () -> Void) { state.withLock { $0.fillGap = fill } }

  /// Publishes changes that follow revision `before`. If other daemons commit, too, these changes wait until everything before them was
  /// published, together with them.
  /// - Parameters:
  ///   - before: `nil` if nothing can be missing.
  ///   - isWhole: whether all changes are there. If not, they count only while there are no subscribers.
  /// - Returns: whether they were published.
  @discardableResult
  func publish(_ changes: [Change], after before: Int64? = nil, revision: Int64, isWhole: Bool = true) -> Bool {
    var gap: (@Sendable () -> Void)?
    tell(isNews: !changes.isEmpty) { state in
      if let fill = state.fillGap, let before, state.log.revision != before || !isWhole && state.log.readerCount > 0 {
        gap = fill
      } else {
        state.log.append(changes, revision: revision)
      }
    }
    gap?()
    return gap == nil
  }

  /// Records that changes up to `revision` were not published. Subscribers find them in the store.
  func skip(to revision: Int64) { tell { $0.log.skip(to: revision) } }

  /// Records that there will be no further changes.
  func finish() {
    let all = state.withLock { state in
      state.log.finish()
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiting in all { waiting.resume() }
  }

  // MARK: - Waking

  private func tell(isNews: Bool = true, _ body: (inout State) -> Void) {
    let begins = state.withLock { state in
      body(&state)
      guard isNews else { return false }
      state.hasNews = true
      guard !state.isWaking, !state.waiting.isEmpty else { return false }
      state.isWaking = true
      return true
    }
    if begins { Task { await wake() } }
  }

  /// Wakes the subscribers with changes until there are none left. The other subscribers continue to sleep.
  private func wake() async {
    while let ids = sleepers() {
      var woken = 0
      for start in stride(from: 0, to: ids.count, by: Self.wokenAtOnce) {
        let due = due(ids[start..<min(start + Self.wokenAtOnce, ids.count)])
        for waiting in due { waiting.resume() }
        woken += due.count
      }
      let rest = Self.turn * woken
      if rest >= Self.turnsMin { try? await Task.sleep(for: rest) }
    }
  }

  /// The waiting subscribers that were not checked yet, if any must be.
  private func sleepers() -> [Int]? {
    state.withLock { state in
      guard state.hasNews, !state.waiting.isEmpty else {
        state.isWaking = false
        return nil
      }
      state.hasNews = false
      return Array(state.waiting.keys)
    }
  }

  private func due(_ ids: ArraySlice<Int>) -> [CheckedContinuation<Void, Never>] {
    state.withLock { state in
      var due: [CheckedContinuation<Void, Never>] = []
      for id in ids where state.waiting[id] != nil && state.log.hasNews(for: id) {
        if let waiting = state.waiting.removeValue(forKey: id) { due.append(waiting) }
      }
      return due
    }
  }
}
