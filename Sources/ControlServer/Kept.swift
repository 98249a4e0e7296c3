internal import Channels

/// A value that takes long to find out, and is kept a while for all callers.
actor Kept<Value: Sendable> {
  /// One attempt to find it out.
  private struct Attempt {
    let result: Result<Found, any Error>
    let number: Int
    let end: ContinuousClock.Instant
    let cost: Duration
  }

  private var last: Attempt?
  /// How many attempts were begun.
  private var begun = 0
  /// How many wait for others.
  private(set) var waiting = 0
  private var running: Task<Void, Never>?

  struct Found: Sendable {
    let value: Value
    /// When it was true, by the time of day.
    let at: Timestamp
  }

  /// A value that is found out faster than this is not kept.
  private let cheap: Duration
  /// How long a value is kept, as a multiple of its cost, so that most of the time no attempt is running.
  private static var factor: Int { 20 }
  private static var keptMax: Duration { .seconds(300) }

  /// - Parameter cheap: a value that is found out faster than this is not kept.
  init(cheap: Duration = .milliseconds(250)) { self.cheap = cheap }

  /// - Parameters:
  ///   - now: gives the time of day.
  ///   - find: finds it out. It is not cancelled with its callers, because others may wait for it.
  /// - Throws: the errors of `find`. All callers that waited for that attempt get them.
  func value(
    at now: @escaping @Sendable () -> Timestamp, _ find: @escaping @Sendable () async throws -> Value
  ) async throws -> Found {
    // An attempt that is running already may have begun before the caller's own last change.
    let needed = begun + 1
    while true {
      if let last {
        let isKept = last.cost >= cheap && ContinuousClock.now - last.end < min(last.cost * Self.factor, Self.keptMax)
        if last.number >= needed { return try last.result.get() }
        if isKept, case .success(let found) = last.result { return found }
      }
      let attempt = running ?? begin(now, find)
      waiting += 1
      await attempt.value
      waiting -= 1
    }
  }

  private func begin(
    _ now: @escaping @Sendable () -> Timestamp, _ find: @escaping @Sendable () async throws -> Value
  ) -> Task<Void, Never> {
    begun += 1
    let number = begun
    // It is for all, and does not wait behind the work of one user.
    let attempt = Caller.$user.withValue(.max) {
      Task {
        let (begin, at) = (ContinuousClock.now, now())
        let result: Result<Found, any Error>
        do { result = .success(Found(value: try await find(), at: at)) } catch { result = .failure(error) }
        let end = ContinuousClock.now
        last = Attempt(result: result, number: number, end: end, cost: end - begin)
        running = nil
      }
    }
    running = attempt
    return attempt
  }
}
