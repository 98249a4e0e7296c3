import Synchronization
import Testing

@testable import ConsoleProgram

/// Answers that cost much are shared, and never older than pages may show them.
struct RecentTests {
  private final class Source: Sendable {
    let asked = Mutex(0)

    func ask() -> Int {
      asked.withLock {
        $0 += 1
        return $0
      }
    }
  }

  @Test func anAnswerIsKeptWhileNothingChanges() async throws {
    let (recent, source) = (Recent<Int>(), Source())
    func value(_ revision: Int64?, _ now: Double) async throws -> (value: Int, isOld: Bool) {
      try await recent.value(at: revision, now: now) { source.ask() }
    }
    #expect(try await value(7, 100) == (1, false))
    #expect(try await value(7, 129) == (1, false))
    #expect(try await value(7, 130) == (2, false), "not everything has a revision")
    // Something changed: for a moment the old answer will do, and says that it is old.
    #expect(try await value(8, 131) == (2, true))
    #expect(try await value(8, 132) == (3, false))
    #expect(try await value(nil, 133) == (3, true), "what is not known may have changed")
    #expect(try await value(nil, 134) == (4, false))
  }

  @Test func whoComesMeanwhileWaitsForTheSame() async throws {
    let (recent, source) = (Recent<Int>(), Source())
    let (gate, opener) = AsyncStream<Void>.makeStream()
    async let first = recent.value(at: 1, now: 100) {
      for await _ in gate { break }
      return source.ask()
    }
    async let second = recent.value(at: 1, now: 100) { source.ask() }
    opener.yield()
    let values = [try await first.value, try await second.value]
    // Whichever came first asked, and the other one did not.
    #expect(values == [1, 1] && source.asked.withLock { $0 } == 1)
  }

  @Test func aFailureIsNotKept() async throws {
    struct Failure: Error {}
    let recent = Recent<Int>()
    await #expect(throws: Failure.self) { try await recent.value(at: 1, now: 100) { throw Failure() } }
    #expect(try await recent.value(at: 1, now: 100) { 5 } == (5, false))
  }
}
