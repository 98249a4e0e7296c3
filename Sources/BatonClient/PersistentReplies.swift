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
struct PersistentReplies<Element: Sendable>: AsyncSequence, Sendable {
  let first: VarlinkReplies
  let persistence: Duration
  let decode: @Sendable ([String: JSONValue]) throws -> Element
  let again: @Sendable () async throws -> VarlinkReplies

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(replies: first.makeAsyncIterator(), call: self, pauses: Pauses(within: persistence))
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate(set) var replies: VarlinkReplies.AsyncIterator
    fileprivate let call: PersistentReplies
    fileprivate var pauses: Pauses
    fileprivate var hasBegun = false

    mutating func next() async throws -> Element? {
      while true {
        do {
          let reply = try await replies.next()
          hasBegun = true
          return try reply.map { try call.decode($0.parameters) }
        } catch  where !hasBegun && BatonClient.isNotTaken(error) {
          guard try await pauses.next() else { throw error }
          replies = try await call.again().makeAsyncIterator()
        }
      }
    }
  }
}
