import Channels
import Testing

@testable import Nostr

struct HistoryDifferenceTests {
  /// A pager that has read these events to the end.
  private func pager(_ dates: [String: Int64], cap: Int = 500, window: ClosedRange<Int64> = 0...1_000) throws -> HistoryPager {
    let events = dates.map { History.Event(id: $0.key, createdAt: $0.value) }
    var habits = ModelRelay.Habits()
    habits.cap = cap
    var relay = ModelRelay(events, habits, seed: 1)
    var pager = HistoryPager.over(window)
    try #require(pager.read(&relay) == nil && pager.ending == .complete)
    return pager
  }

  @Test func whatIsMissingComesOldestFirst() throws {
    let expected: [String: Int64] = ["d": 400, "c": 300, "b": 300, "a": 500, "here": 450]
    let difference = HistoryDifference(expected: expected, deleted: [], pager: try pager(["here": 450]))
    #expect(difference.missing == ["b", "c", "d", "a"])
    #expect(difference.doubtful.isEmpty && difference.stillServed.isEmpty && difference.strangers.isEmpty)
  }

  @Test func deletedEventsAreNeverMissingAndAreNamedWhereTheyAreServed() throws {
    let expected: [String: Int64] = ["kept": 1, "both": 2]
    let difference = HistoryDifference(
      expected: expected, deleted: ["both", "served", "gone"], pager: try pager(["kept": 1, "served": 5, "foreign": 7]))
    #expect(difference.missing.isEmpty && difference.doubtful.isEmpty)
    #expect(difference.stillServed == ["served"] && difference.strangers == ["foreign"])
  }

  @Test func whatIsOutsideTheWindowIsLeftOut() throws {
    let expected: [String: Int64] = ["before": 99, "first": 100, "last": 200, "after": 201]
    let difference = HistoryDifference(expected: expected, deleted: [], pager: try pager([:], window: 100...200))
    #expect(difference.missing == ["first", "last"] && difference.doubtful.isEmpty)
  }

  @Test func whatMayHideInAHoleIsDoubtful() throws {
    let crowd = Dictionary(uniqueKeysWithValues: (0..<45).map { ("tie\($0)", Int64(500)) })
    let pager = try pager(crowd.merging(["old": 10]) { first, _ in first }, cap: 20)
    #expect(pager.holes == [500])
    let difference = HistoryDifference(
      expected: crowd.merging(["lost": 300, "old": 10]) { first, _ in first }, deleted: [], pager: pager)
    #expect(difference.missing == ["lost"])
    #expect(difference.doubtful.count == 25 && difference.doubtful == difference.doubtful.sorted())
    #expect(Set(difference.doubtful).isDisjoint(with: pager.found.keys))
  }

  @Test func whatIsOlderThanThePlaceWhereThePagerGaveUpIsDoubtful() {
    var limits = HistoryPager.Limits()
    (limits.pageSize, limits.queriesMax) = (2, 1)
    var pager = HistoryPager(filter: HistoryFilter(), window: 0...1_000, limits: limits)
    _ = pager.next()
    for (id, date) in [("a", Int64(900)), ("b", 800)] { pager.take(id: id, createdAt: date, bytes: 1) { .new } }
    pager.endPage(nil)
    #expect(pager.next() == nil && pager.ending == .gaveUp(.queries) && pager.settledFrom == 801)
    let expected: [String: Int64] = ["a": 900, "b": 800, "new": 850, "edge": 801, "same": 800, "old": 10]
    let difference = HistoryDifference(expected: expected, deleted: [], pager: pager)
    #expect(difference.missing == ["edge", "new"] && difference.doubtful == ["old", "same"])
  }

  @Test func nothingIsMissingBeforeAnythingWasRead() {
    let pager = HistoryPager.over(0...1_000)
    let difference = HistoryDifference(expected: ["a": 1, "b": 1_000], deleted: ["c"], pager: pager)
    #expect(difference.missing.isEmpty && difference.doubtful == ["a", "b"])
  }
}
