internal import Synchronization

/// Hands committed changes to all subscribers. The changes are kept once, in a `ChangeLog`; a subscriber is a position in it and costs
/// next to nothing, however slow it is. No one slows the coordinator: publishing wakes one task, and that task wakes the subscribers.
public final class ChangeHub: Sendable {
  /// The number of changes that a subscriber may be behind.
  public static let subscriberQueueMaxDefault = 4096
  /// The approximate bytes that the kept changes take.
  public static let bytesMaxDefault = 16 << 20

  /// The answer to a subscriber that asks for the next change.
  public enum Taken: Sendable {
    /// The next change that it wants.
    case change(ChangeEntry)
    /// There is none at present; call `wait`.
    case nothing
    /// Changes after `after` and up to `through` are no longer here, or never were. What they led to is in the store; what comes
    /// later is taken from here.
    case missed(after: Int64, through: Int64)
    /// It fell behind again before it had read what it missed. It has everything it wants up to `after`.
    case tooSlow(after: Int64)
    /// There is nothing after `at`, and never will be: the subscription was cancelled, or the daemon stops.
    case over(at: Int64)
  }

  /// Figures of what is held for all subscribers together, and of what was done for them since the start.
  public struct Figures: Hashable, Sendable {
    /// The number of changes that are kept.
    public var changes: Int
    /// The approximate bytes that they and their messages take.
    public var bytes: Int
    /// The number of messages that were made, each for all subscribers that want it.
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
    /// Whether something has come since the waiting subscribers were last looked at.
    var hasNews = false
    /// Whether the task that wakes them is at work.
    var isWaking = false
    /// Called when changes came that do not follow what was published: others have committed before them. `nil` if no one else commits.
    var fillGap: (@Sendable () -> Void)?
  }
  private let state: Mutex<State>
  /// The number of changes that a subscriber may be behind; that many are kept.
  public let queueMax: Int
  /// The approximate bytes that these may take; if they take more, fewer are kept.
  public let bytesMax: Int
  /// The number of subscribers that there may be at once.
  public let subscribersMax: Int

  /// The number of subscribers that are looked at before publishing gets a turn.
  private static let wokenAtOnce = 64
  /// The time that each woken subscriber is given before the next look, so that many of them take several changes at once. A few
  /// subscribers get each change at once.
  private static let turn = Duration.microseconds(20)
  private static let turnsMin = Duration.milliseconds(1)

  /// - Parameters:
  ///   - queueMax: how many changes a subscriber may be behind; that many are kept.
  ///   - bytesMax: the approximate bytes that these may take; if they take more, fewer changes are kept.
  ///   - subscribersMax: how many subscribers there may be at once.
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
          // Only one caller may wait for a subscription; a second one returns at once.
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

  /// Has `fill` called when changes cannot be published, because others have committed before them.
  func fillGaps(_ fill: @escaping @Sendable () -> Void) { state.withLock { $0.fillGap = fill } }

  /// Publishes changes that follow revision `before`. Where others commit, too, they wait until someone has published what comes before
  /// them, and published them with it.
  /// - Parameters:
  ///   - before: `nil` if nothing can be missing.
  ///   - isWhole: whether all changes are there; if not, they count only as long as no one watches.
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

  /// Notes that there are changes up to `revision` that were not published: subscribers find them in the store.
  func skip(to revision: Int64) { tell { $0.log.skip(to: revision) } }

  /// Notes that no more changes come.
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

  /// Wakes the subscribers for which something has come, until there is no more news. Others stay asleep.
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

  /// The waiting subscribers that were not looked at yet; `nil` if none must be.
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
