import Channels
import Testing

@testable import Nostr

/// Histories on relays with all the habits that were seen, and some more; each failure names its seed and the relay.
struct HistoryPagerTests {
  private static let seeds: ClosedRange<UInt64> = 1...2

  private struct Run {
    let pager: HistoryPager
    let missed: Set<History.Event>
    /// The number of events in each second of the window.
    let counts: [Int64: Int]
    let trouble: String?

    init(_ history: History, _ habits: ModelRelay.Habits, pageSize: Int, seed: UInt64) {
      let events = history.events(seed: seed).filter { History.window.contains($0.createdAt) }
      var relay = ModelRelay(history.events(seed: seed), habits, seed: seed)
      var pager = HistoryPager.over(pageSize: pageSize)
      trouble = pager.read(&relay)
      self.pager = pager
      missed = Set(events.filter { pager.found[$0.id] != $0.createdAt })
      counts = events.reduce(into: [:]) { $0[$1.createdAt, default: 0] += 1 }
    }
  }

  @Test(arguments: History.allCases)
  func whatARelayHoldsIsFoundWithFewQueriesOrItsSecondIsAHole(_ history: History) {
    var failures: [String] = []
    for seed in Self.seeds {
      for habits in ModelRelay.Habits.all {
        for pageSize in [20, 50] {
          let run = Run(history, habits, pageSize: pageSize, seed: seed)
          guard let flaw = run.trouble ?? flaw(run, habits) ?? falseHole(run, habits) ?? waste(run, habits, pageSize) else {
            continue
          }
          failures.append("seed \(seed), page \(pageSize), \(habits): \(flaw)")
        }
      }
    }
    #expect(failures.isEmpty, "\(failures.count) failures, such as \(failures.first ?? "")")
  }

  /// All is found, except in holes.
  private func flaw(_ run: Run, _ habits: ModelRelay.Habits) -> String? {
    if run.pager.ending != .complete { return "it ended with \(String(describing: run.pager.ending))" }
    if run.pager.found.values.contains(where: { !History.window.contains($0) }) { return "it found what is outside the window" }
    let holes = run.pager.holes
    if let event = run.missed.first(where: { !holes.contains($0.createdAt) }) { return "\(event) is missed without a hole" }
    // Only a second with more events than the relay serves at once can hide one.
    let missed = run.missed.first { run.counts[$0.createdAt, default: 0] <= habits.cap }
    return missed.map { "\($0) is missed for no reason" }
  }

  /// A second in which nothing is missed is a hole only where a relay that hides events would have answered in the same way: it has as
  /// many events as the relay ever served at once, and either the relay has a cap, or nothing is older and the relay does not say so.
  private func falseHole(_ run: Run, _ habits: ModelRelay.Habits) -> String? {
    let missed = Set(run.missed.map(\.createdAt))
    let oldest = run.counts.keys.min()
    for hole in run.pager.holes where !missed.contains(hole) {
      let count = run.counts[hole, default: 0]
      let isLast = hole == oldest && count == run.counts.values.max() && !habits.hints
      if count < habits.cap, !isLast { return "\(hole) with \(count) is no hole" }
    }
    return nil
  }

  /// Allowed are twice the queries that a perfect pager needs, two for each second that fills half a page, and some to see that it is the
  /// end. A relay that chooses among the events of a second may choose the same ones again.
  private func waste(_ run: Run, _ habits: ModelRelay.Habits, _ pageSize: Int) -> String? {
    let page = min(pageSize, habits.cap)
    let events = run.counts.values.reduce(0, +)
    var bound = 16 + 2 * events / page + 2 * run.counts.values.count { 2 * $0 >= page }
    if habits.order == .changing { bound *= 2 }
    return run.pager.queryCount > bound ? "\(run.pager.queryCount) queries instead of \(bound)" : nil
  }

  /// A test of these tests: the relays are hard to page.
  @Test(arguments: [History.twoTies, .oneTie, .oneSecond, .dense, .neighbours], [20, 50])
  func naivePagerMissesEvents(_ history: History, _ cap: Int) {
    for isExclusive in [false, true] {
      var habits = ModelRelay.Habits()
      (habits.isExclusive, habits.cap) = (isExclusive, cap)
      var relay = ModelRelay(history.events(seed: 1), habits, seed: 1)
      var pager = NaivePager(pageSize: 20)
      pager.read(&relay)
      #expect(pager.found.count < history.events(seed: 1).count, "\(habits)")
    }
  }

  /// Some relays leave events out only after they have counted them: a page that is not full may hide more of its second.
  @Test func relayThatServesHalfOfWhatItIsAskedForIsReadToTheEnd() {
    for isExclusive in [false, true] {
      var habits = ModelRelay.Habits()
      habits.isExclusive = isExclusive
      let events = History.twoTies.events(seed: 3)
      var relay = ModelRelay(events, habits, seed: 3)
      var pager = HistoryPager.over()
      let trouble = pager.readAll { query, pager in
        let half = HistoryPager.Query(since: query.since, until: query.until, limit: query.limit / 2)
        for event in relay.serve(half).page { pager.take(id: event.id, createdAt: event.createdAt, bytes: 500) { .new } }
        return nil
      }
      #expect(trouble == nil && pager.ending == .complete && pager.holes.isEmpty)
      #expect(pager.found.count == events.count, "seed 3, \(habits)")
    }
  }

  @Test func windowIsSearchedToBothOfItsSeconds() {
    let events = (0...100).map { History.Event(id: "e\($0)", createdAt: $0) }
    for habits in ModelRelay.Habits.all {
      for window in [0...100, 10...90, 99...200, 100...100, 0...0, 50...50] as [ClosedRange<Int64>] {
        var relay = ModelRelay(events, habits, seed: 1)
        var pager = HistoryPager.over(window)
        #expect(pager.read(&relay) == nil && pager.ending == .complete && pager.settledFrom == window.lowerBound)
        #expect(Set(pager.found.values) == Set(window.clamped(to: 0...100)), "\(window), \(habits)")
      }
    }
  }

  @Test func datesAtTheEndsOfTimeAreSearched() {
    for date in [Int64.min, -1, 0, 1, .max - 1, .max] {
      var pager = HistoryPager.over(.min ... .max)
      let trouble = pager.readAll { _, pager in
        pager.take(id: "a", createdAt: date, bytes: 1) { .new }
        return nil
      }
      #expect(trouble == nil && pager.ending != nil)
      #expect(pager.found.isEmpty == !(0...(Int64.max - 1)).contains(date), "\(date)")
    }
  }

  @Test func hintEndsTheHistoryOnlyWithAPageThatIsNotFull() {
    var pager = HistoryPager.over()
    #expect(pager.next() == .init(since: History.window.lowerBound - 1, until: History.window.upperBound + 1, limit: 20))
    for number in 1...20 { pager.take(id: "\(number)", createdAt: History.now, bytes: 1) { .new } }
    pager.endPage(.finish)
    #expect(pager.ending == nil)
    #expect(pager.next()?.until == History.now + 1)
    pager.take(id: "21", createdAt: History.now, bytes: 1) { .new }
    pager.endPage(.finish)
    #expect(pager.ending == .complete && pager.found.count == 21 && pager.holes.isEmpty)
  }

  @Test func emptyPageIsNotTheEndIfTheRelaySaysThatThereIsMore() {
    var pager = HistoryPager.over()
    _ = pager.next()
    pager.endPage(.more)
    #expect(pager.next()?.limit == 40)
    pager.endPage(nil)
    #expect(pager.ending == .complete && pager.next() == nil)
  }

  @Test func pageThatWasInterruptedIsAskedForAgain() {
    var pager = HistoryPager.over()
    let first = pager.next()
    #expect(pager.take(id: "a", createdAt: History.now, bytes: 1) { .new } == .new)
    // The connection is lost.
    #expect(pager.next() == first)
    #expect(pager.take(id: "a", createdAt: History.now, bytes: 1) { .new } == .known)
    pager.endPage(nil)
    #expect(pager.next()?.until == History.now + 1 && pager.queryCount == 3)
  }

  @Test func whatComesAfterThePageIsIgnored() {
    var pager = HistoryPager.over()
    #expect(pager.take(id: "a", createdAt: History.now, bytes: 1) { .new } == .ignored)
    pager.endPage(nil)
    #expect(pager.ending == nil, "no page was asked for")
    _ = pager.next()
    pager.take(id: "b", createdAt: History.now, bytes: 1) { .new }
    pager.endPage(nil)
    pager.endPage(nil)
    #expect(pager.take(id: "c", createdAt: History.now, bytes: 1) { .new } == .ignored)
    #expect(pager.ending == nil && pager.found.count == 1)
  }
}
