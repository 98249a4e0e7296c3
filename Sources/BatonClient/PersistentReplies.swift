internal import StrictJSON
internal import Varlink

/// Growing waits between attempts, until the time is over.
struct Pauses {
  private let end: ContinuousClock.Instant
  private var wait = Duration.milliseconds(20)

  init(within limit: Duration) { end = ContinuousClock.now + limit }

  /// Waits before the next attempt.
  /// - Returns: whether there is time for another attempt.
  mutating func next() async throws -> Bool {
    guard ContinuousClock.now + wait < end else { return false }
    try await Task.sleep(for: wait)
    wait = min(wait * 2, .seconds(1))
    return true
  }
}

/// The replies to a call with `more`. The call is repeated if the daemon did not process it. After the first reply it counts as processed.
struct PersistentReplies: AsyncSequence, Sendable {
  typealias Element = [String: JSONValue]

  let first: VarlinkReplies
  let persistence: Duration
  let again: @Sendable () async throws -> VarlinkReplies

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(replies: first.makeAsyncIterator(), again: again, pauses: Pauses(within: persistence))
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    var replies: VarlinkReplies.AsyncIterator
    let again: @Sendable () async throws -> VarlinkReplies
    var pauses: Pauses
    var hasBegun = false

    mutating func next() async throws -> [String: JSONValue]? {
      while true {
        do {
          let reply = try await replies.next()
          hasBegun = true
          return reply?.parameters
        } catch  where !hasBegun && BatonClient.isNotTaken(error) {
          guard try await pauses.next() else { throw error }
          replies = try await again().makeAsyncIterator()
        }
      }
    }
  }
}
