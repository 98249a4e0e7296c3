import Channels
import Storage
import Store
import TestSupport
import Testing

/// How channels fared on their way to relays, as their history has it.
struct OutcomeTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Writes the lines of one channel on one relay, each with the status that it leads to and the second at which it was.
  private static func lines(
    _ channel: Int64, _ relay: Int64, _ steps: [(RelayStatus, Int64)], from first: RelayStatus = .new
  ) -> [StoreMutation] {
    var before = first
    return steps.enumerated().map { number, step in
      defer { before = step.0 }
      return .appendTransition(
        TransitionRow(
          revision: channel * 1_000 + relay * 100 + Int64(number), channel: ChannelID(rawValue: channel),
          relay: RelayID(rawValue: relay),
          transition: .init(
            from: before, to: step.0, cause: nil, detail: "", attempt: 1, at: Timestamp(milliseconds: step.1 * 1_000))))
    }
  }

  @Test func timeIsFromTheHandOverThatLedThere() async throws {
    let store = try Store(directory: folder.path + "/state")
    let year: Int64 = 31_536_000
    // With a retry on the way, and straight.
    try await store.commit(Self.lines(1, 1, [(.new, 1), (.invited, 5), (.invited, 7), (.accepted, 8), (.active, 9)]))
    try await store.commit(Self.lines(2, 1, [(.invited, 10), (.accepted, 11), (.active, 12)]))
    // It was lost a year later and came back: that says nothing of how new channels fare, and nor does what fails then.
    try await store.commit(
      Self.lines(3, 1, [(.inactive, year), (.invited, year + 1), (.accepted, year + 1), (.active, year + 2)], from: .active))
    try await store.commit(Self.lines(4, 1, [(.inactive, year), (.invited, year + 1), (.failed, year + 2)], from: .active))
    // Given up, and a week later taken back.
    try await store.commit(
      Self.lines(5, 2, [(.invited, 20), (.failed, 21), (.invited, 604_800), (.accepted, 604_801), (.active, 604_803)]))
    // Given up before anything was handed over, and of which the beginning was forgotten.
    try await store.commit(Self.lines(6, 2, [(.failed, 30)]))
    try await store.commit(Self.lines(7, 2, [(.active, 40)], from: .accepted))
    let outcomes = try store.outcomes()
    let (first, second) = (outcomes.relays[RelayID(rawValue: 1)], outcomes.relays[RelayID(rawValue: 2)])
    #expect(first?.times == [2_000, 4_000] && first?.reached == 2 && first?.missed == 0)
    #expect(second?.times == [3_000] && second?.reached == 2 && second?.missed == 2)
    #expect(outcomes.since == Timestamp(milliseconds: 1_000))
    store.close()
  }

  @Test func emptyHistoryHasNoOutcomes() throws {
    let store = try Store(directory: folder.path + "/state")
    #expect(try store.outcomes() == RelayOutcomes())
    store.close()
  }
}
