import Channels
import StrictJSON
import Testing

@testable import Nostr

/// Relays that lie.
struct HistoryPagerHostileTests {
  private typealias Query = HistoryPager.Query
  private struct Served {
    let id: String
    let date: Int64
    var judgement = HistoryPager.Judgement.new
  }

  private static let now = History.now

  /// Pages through a relay that serves what `page` says.
  private func read(
    _ pager: inout HistoryPager, hint: StoredHint? = nil, _ page: (Query) -> [Served]
  ) -> String? {
    pager.readAll { query, pager in
      for served in page(query) {
        pager.take(id: served.id, createdAt: served.date, bytes: 1_000) { served.judgement }
      }
      return hint
    }
  }

  /// All events of a history up to `until`, newest first, as an honest relay without a cap serves them.
  private func honest(_ events: [History.Event], _ query: Query, isExclusive: Bool = false) -> [Served] {
    var habits = ModelRelay.Habits()
    (habits.isExclusive, habits.cap) = (isExclusive, .max)
    var relay = ModelRelay(events, habits, seed: 1)
    return relay.serve(query).page.map { Served(id: $0.id, date: $0.createdAt) }
  }

  @Test(arguments: [HistoryPager.Judgement.new, .forged, .unasked])
  func samePageForEverEnds(_ judgement: HistoryPager.Judgement) {
    var pager = HistoryPager.over()
    let page = (1...20).map { Served(id: "e\($0)", date: Self.now - Int64($0), judgement: judgement) }
    #expect(read(&pager) { _ in page } == nil)
    #expect(pager.ending == .gaveUp(.noProgress))
    #expect(pager.found.count == (judgement == .new ? 20 : 0) && pager.queryCount < 50)
    #expect(pager.settledFrom == Self.now - 20, "what is older was never shown")
  }

  @Test func relayThatIgnoresUntilEndsAfterEverythingThatItServes() {
    let events = History.twoTies.events(seed: 4)
    var pager = HistoryPager.over()
    let trouble = read(&pager) { query in
      honest(events, Query(since: nil, until: Self.now + 900, limit: query.limit))
    }
    #expect(trouble == nil && pager.ending == .gaveUp(.noProgress) && pager.found.count == 400 && pager.queryCount < 80)
  }

  @Test(arguments: [HistoryPager.Judgement.new, .unasked])
  func growingDatesEnd(_ judgement: HistoryPager.Judgement) {
    var pager = HistoryPager.over()
    var date = History.window.lowerBound
    let trouble = read(&pager) { query in
      (0..<query.limit).map { _ in
        date += 1
        return Served(id: "e\(date)", date: date, judgement: judgement)
      }
    }
    #expect(trouble == nil && pager.ending != nil)
    #expect(pager.found.count <= pager.limits.eventsMax && pager.queryCount <= pager.limits.queriesMax)
  }

  @Test func randomRubbishEnds() {
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      var pager = HistoryPager.over()
      let dates = [Int64.min...Int64.max, History.window, (Self.now - 5)...Self.now].randomElement(using: &random) ?? 0...1
      let trouble = pager.readAll { query, pager in
        for _ in 0..<Int.random(in: 0...60, using: &random) {
          let id = String(Int.random(in: 0..<2_000, using: &random))
          let judgement = [HistoryPager.Judgement.new, .forged, .unasked].randomElement(using: &random) ?? .forged
          pager.take(id: id, createdAt: Int64.random(in: dates, using: &random), bytes: 200) { judgement }
        }
        return [nil, .more, .finish].randomElement(using: &random) ?? nil
      }
      #expect(trouble == nil && pager.ending != nil, "seed \(seed)")
      #expect(pager.found.values.allSatisfy(History.window.contains), "seed \(seed)")
    }
  }

  /// Full pages of strangers, at the second that was asked for or before it.
  @Test(arguments: [0, 2] as [Int64])
  func fullPagesOfStrangersEnd(_ distance: Int64) {
    var pager = HistoryPager.over(0...History.now)
    var number = 0
    let trouble = read(&pager) { query in
      (0..<query.limit).map { _ in
        number += 1
        return Served(id: "s\(number)", date: query.until - distance, judgement: .unasked)
      }
    }
    #expect(trouble == nil && pager.found.isEmpty)
    #expect(pager.ending == .gaveUp(distance == 0 ? .events : .queries))
  }

  @Test func pageWithoutEndIsCutOff() {
    for (bytes, reason) in [(1, HistoryPager.GivingUp.events), (1 << 20, .bytes)] {
      var pager = HistoryPager.over()
      _ = pager.next()
      var number = 0
      while number < 100_000, pager.ending == nil {
        number += 1
        pager.take(id: "e\(number)", createdAt: Self.now, bytes: bytes) { .new }
      }
      #expect(pager.ending == .gaveUp(reason) && pager.next() == nil)
      #expect(pager.found.count <= min(pager.limits.eventsMax, pager.limits.bytesMax / bytes))
      #expect(pager.take(id: "last", createdAt: Self.now, bytes: 1) { .new } == .ignored)
    }
  }

  @Test func moreForEverEnds() {
    var pager = HistoryPager.over()
    #expect(read(&pager, hint: .more) { _ in [] } == nil)
    #expect(pager.ending == .gaveUp(.noProgress) && pager.settledFrom == History.window.upperBound + 1)
  }

  /// Lies beside an honest page hide nothing of it.
  @Test(arguments: [false, true])
  func rubbishBesideAnHonestPageHidesNothing(_ isExclusive: Bool) {
    let events = History.twoTies.events(seed: 5)
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      var pager = HistoryPager.over(0...(Self.now + 900))
      let trouble = read(&pager) { query in
        let page = honest(events, query, isExclusive: isExclusive)
        let strangers = (0..<5).map { _ in
          Served(
            id: String(random.next(), radix: 16), date: Int64.random(in: 0...Self.now, using: &random),
            judgement: [.forged, .unasked].randomElement(using: &random) ?? .forged)
        }
        // Ids that are known come back with other dates.
        let redated = page.prefix(3).map { Served(id: $0.id, date: 1, judgement: .forged) }
        return (page + strangers + redated + page.suffix(2)).shuffled(using: &random)
      }
      #expect(trouble == nil && pager.ending != nil && pager.queryCount < 300, "seed \(seed)")
      // A forged event may come before the genuine one, so it is its judgement that counts.
      #expect(Set(pager.found.keys) == Set(events.map(\.id)), "seed \(seed)")
      #expect(events.allSatisfy { pager.found[$0.id] == $0.createdAt }, "seed \(seed)")
    }
  }

  /// A relay that does not know `#e` serves the author's other channels too; these may crowd a second beyond what can be paged.
  @Test(arguments: [500, 5_000])
  func relayThatIgnoresPartOfTheFilterHidesNothing(_ cap: Int) {
    let ours = History.twoTies.events(seed: 6)
    var random = SplitMix64(seed: 6)
    let others =
      (0..<3_000).map {
        History.Event(id: "s\($0)", createdAt: Int64.random(in: (Self.now - 9_999)...Self.now, using: &random))
      }
      + (0..<2_500).map { History.Event(id: "t\($0)", createdAt: Self.now - 5_000) }
    let ids = Set(ours.map(\.id))
    for isExclusive in [false, true] {
      var habits = ModelRelay.Habits()
      (habits.isExclusive, habits.cap) = (isExclusive, cap)
      var relay = ModelRelay(ours + others, habits, seed: 6)
      var pager = HistoryPager.over()
      let trouble = read(&pager) { query in
        relay.serve(query).page.map { Served(id: $0.id, date: $0.createdAt, judgement: ids.contains($0.id) ? .new : .unasked) }
      }
      #expect(trouble == nil && pager.ending == .complete && pager.queryCount < 150)
      #expect(pager.holes == [Self.now - 5_000])
      #expect(ours.allSatisfy { pager.found[$0.id] != nil || $0.createdAt == Self.now - 5_000 })
    }
  }

  @Test func onlyGenuineEventsThatMatchAreFound() throws {
    let channel = String(repeating: "c", count: 64)
    func event(_ content: String, key: SecretKey = sessionKey, kind: Int = 42, tags: [[String]]) throws -> NostrEvent {
      try #require(NostrEvent(signedBy: key, createdAt: 1_000, kind: kind, tags: tags, content: content))
    }
    let root = ["e", channel, "ws://r", "root"]
    let good = try event("ours", tags: [["p", sessionKey.publicKey], ["e", String(repeating: "d", count: 64)], root])
    let filter = HistoryFilter(authors: [sessionKey.publicKey], kinds: [42, 5], tags: ["e": [channel]])
    var pager = HistoryPager(filter: filter, window: 0...2_000)
    let next = pager.next()
    let query = try #require(next)
    #expect(
      filter.json(query) == [
        "authors": [.string(sessionKey.publicKey)], "kinds": [5, 42], "#e": [.string(channel)], "until": 2_001, "limit": 500,
      ])
    #expect(pager.take(good, bytes: 500) == .new)
    #expect(pager.take(good, bytes: 500) == .known)
    #expect(pager.take(try event("theirs", key: .random(), tags: [root]), bytes: 500) == .unasked)
    #expect(pager.take(try event("reaction", kind: 7, tags: [root]), bytes: 500) == .unasked)
    #expect(pager.take(try event("elsewhere", tags: [["q", channel], ["e"], ["e", "d"]]), bytes: 500) == .unasked)
    func altered(id: String, content: String, signature: String) -> NostrEvent {
      NostrEvent(
        id: id, publicKey: good.publicKey, createdAt: good.createdAt, kind: good.kind, tags: good.tags, content: content,
        signature: signature)
    }
    let other = try event("another", tags: [root])
    #expect(pager.take(altered(id: other.id, content: "ours", signature: good.signature), bytes: 500) == .forged)
    #expect(pager.take(altered(id: good.id.uppercased(), content: "ours", signature: good.signature), bytes: 500) == .forged)
    let signature = String(good.signature.reversed())
    #expect(pager.take(altered(id: good.id, content: "ours", signature: signature), bytes: 500) == .known)
    pager.endPage(.finish)
    #expect(pager.found == [good.id: 1_000] && pager.ending == .complete)
  }
}
