internal import Channels

/// Something that takes long to find out, and is kept a while for all who ask.
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

  /// What is found out in less than this is found out again for whoever asks.
  private let cheap: Duration
  /// How long something is kept, as a multiple of what it cost, so that most of the time nothing is being found out.
  private static var factor: Int { 20 }
  private static var keptMax: Duration { .seconds(300) }

  /// - Parameter cheap: what is found out in less than this is found out again for whoever asks.
  init(cheap: Duration = .milliseconds(250)) { self.cheap = cheap }

  /// - Parameters:
  ///   - now: gives the time of day.
  ///   - find: finds it out. It is not cancelled with those who ask, because others may wait for it.
  /// - Throws: what it throws. All who waited for that get it.
  func value(
    at now: @escaping @Sendable () -> Timestamp, _ find: @escaping @Sendable () async throws -> Value
  ) async throws -> Found {
    // What is being found out already may be from before the caller's own last change.
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
    // It is for all, and does not wait behind what one user has asked for.
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
