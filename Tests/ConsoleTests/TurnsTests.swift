import NIOConcurrencyHelpers
import Testing

@testable import ConsoleProgram

/// What is done with one object is done one after the other.
struct TurnsTests {
  private struct Refused: Error {}

  @Test func oneAfterTheOther() async throws {
    let turns = Turns()
    let state = NIOLockedValueBox((inside: 0, most: 0, done: 0))
    await withTaskGroup { group in
      for number in 0..<50 {
        group.addTask {
          _ = try? await turns.take(7) {
            state.withLockedValue {
              $0.inside += 1
              $0.most = max($0.most, $0.inside)
            }
            for _ in 0..<20 { await Task.yield() }
            state.withLockedValue {
              $0.inside -= 1
              $0.done += 1
            }
            // Whoever fails does not hold up the others.
            if number.isMultiple(of: 3) { throw Refused() }
          }
        }
      }
    }
    #expect(state.withLockedValue { $0.most == 1 && $0.done == 50 })
  }

  @Test func othersDoNotWait() async throws {
    let turns = Turns()
    let (stream, gate) = AsyncStream<Void>.makeStream()
    let slow = Task { try await turns.take(1) { for await _ in stream { break } } }
    #expect(try await turns.take(2) { 5 } == 5)
    gate.yield()
    try await slow.value
    await #expect(throws: Refused.self) { try await turns.take(1) { throw Refused() } }
  }
}
