internal import Channels

/// Something that takes long to find out, and is kept a while for all who ask.
actor Kept<Value: Sendable> {
  private struct Last {
    let found: Found
    let number: Int
    let end: ContinuousClock.Instant
    let cost: Duration
  }

  private var last: Last?
  /// How many times it was begun to find it out.
  private var begun = 0
  /// How many wait for others.
  private(set) var waiting = 0
  private var running: Task<Found, any Error>?

  struct Found: Sendable {
    let value: Value
    /// When it was true, by the time of day.
    let at: Timestamp
  }

  /// What is found out in less than this is found out again for whoever asks.
  private let cheap: Duration
  /// How long something is kept, as a multiple of what it cost, so that finding it out takes a twentieth of the time at most.
  private static var factor: Int { 20 }
  private static var keptMax: Duration { .seconds(300) }

  /// - Parameter cheap: what is found out in less than this is found out again for whoever asks.
  init(cheap: Duration = .milliseconds(250)) { self.cheap = cheap }

  /// - Parameters:
  ///   - now: the time of day.
  ///   - find: finds it out. It is not cancelled with those who ask, because others may wait for it.
  func value(at now: Timestamp, _ find: @escaping @Sendable () async throws -> Value) async throws -> Found {
    // What is being found out already may be from before the caller's own last change.
    let needed = begun + 1
    while true {
      if let last {
        let isKept = last.cost >= cheap && ContinuousClock.now - last.end < min(last.cost * Self.factor, Self.keptMax)
        if isKept || last.number >= needed { return last.found }
      }
      if let running {
        waiting += 1
        _ = await running.result
        waiting -= 1
        continue
      }
      begun += 1
      let (number, begin) = (begun, ContinuousClock.now)
      let task = Task { Found(value: try await find(), at: now) }
      running = task
      let result = await task.result
      running = nil
      let (found, end) = (try result.get(), ContinuousClock.now)
      last = Last(found: found, number: number, end: end, cost: end - begin)
      return found
    }
  }
}
