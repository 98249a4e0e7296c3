/// Pages backwards through a relay's events for one filter within a window of time, until nothing is left.
///
/// Relays differ in all that paging relies on: whether `until` includes its second, how many events one REQ brings, and in which order
/// events of one second come. Few of them announce whether there is more (NIP-67). Therefore
/// - the next page begins one second after the oldest event of the last one, so pages overlap, and an event that is known counts once,
/// - where a page leads no further back, more events are requested in one page, up to `Limits.limitMax`, before a second is passed over,
/// - the end is an empty page, a page that reaches behind the window, or the hint `finish` with a page that is not full: a page with fewer
///   events than were asked for proves nothing.
///
/// A second that was passed over, and that may have had more events than the relay serves in one page, is a hole. A relay that had no
/// further event looks the same, so a hole is a suspicion.
///
/// Relays may lie. Only an event that matches the filter and verifies is found, and the date of any other leads back only where nothing
/// better was served. After each page the next query begins earlier, or asks for more, or something new was found. The number of pages
/// without anything new, and the numbers of queries, events and bytes, are bounded. So it ends, regardless of the relay's answers.
///
/// Ask for `next`, feed the events to `take`, call `endPage` at EOSE, and repeat. After a lost connection, `next` asks for the page again.
struct HistoryPager: Sendable {
  /// The end of a window for events of any date, in Unix seconds. Its first query has no `until`.
  static let endOfTime: Int64 = 1 << 53

  let filter: HistoryFilter
  /// The seconds (Unix time) that are searched. Some relays serve events of the future: let the window end where their dates do.
  let window: ClosedRange<Int64>
  let limits: Limits
  /// The dates, in Unix seconds, of the events that were found, by id.
  private(set) var found: [String: Int64] = [:]
  /// Why it ended, or `nil` while there is more to ask.
  private(set) var ending: Ending?
  /// All events of this second and later ones were served, except in `holes`.
  private(set) var settledFrom: Int64
  private(set) var queryCount = 0

  /// `until` of the next query.
  private var cursor: Int64
  /// `limit` of the next query. It never falls.
  private var limit: Int
  /// The page that is being served, or `nil` before it was asked for.
  private var page: Page?
  private var suspects: [Int64: Suspect] = [:]
  /// The number of events in the largest page: the relay can serve that many in one page.
  private var largestPage = 0
  /// The same of the pages at the present place, which led no further back.
  private var largestHere = 0
  /// The pages at the present place that were not worth a larger request.
  private var repeatCount = 0
  /// The pages in a row that led no further back and had nothing new.
  private var barrenCount = 0
  private var eventCount = 0
  private var byteCount = 0

  init(filter: HistoryFilter, window: ClosedRange<Int64>, limits: Limits = Limits()) {
    self.filter = filter
    self.window = window.clamped(to: 0...(Int64.max - 1))
    self.limits = limits
    cursor = self.window.upperBound + 1
    settledFrom = cursor
    limit = max(1, min(limits.pageSize, limits.limitMax))
  }

  /// Seconds in which the relay may have more events than it served, in ascending order.
  var holes: [Int64] {
    suspects.filter { $0.value.isFull || $0.value.served >= max(largestPage, limits.smallestCap) }.keys.sorted()
  }

  /// The next page to ask for, or `nil` after the end.
  mutating func next() -> Query? {
    guard ending == nil else { return nil }
    guard queryCount < limits.queriesMax else {
      giveUp(.queries)
      return nil
    }
    queryCount += 1
    page = Page()
    // Some relays leave out the second of `since` too.
    return Query(since: window.lowerBound > 0 ? window.lowerBound - 1 : nil, until: cursor, limit: limit)
  }

  /// An event came for the present page.
  /// - Parameter bytes: the size of the message that brought it.
  @discardableResult
  mutating func take(_ event: NostrEvent, bytes: Int) -> Judgement {
    let filter = filter
    return take(id: event.id, createdAt: event.createdAt, bytes: bytes) {
      guard filter.matches(event) else { return .unasked }
      return (try? event.verify()) == nil ? .forged : .new
    }
  }

  /// - Parameter judge: whether the event matches the filter and verifies. It is not asked about ids that were found before.
  @discardableResult
  mutating func take(id: String, createdAt: Int64, bytes: Int, judge: () -> Judgement) -> Judgement {
    guard ending == nil, page != nil else { return .ignored }
    eventCount += 1
    byteCount += bytes
    guard eventCount <= limits.eventsMax, byteCount <= limits.bytesMax else {
      giveUp(eventCount > limits.eventsMax ? .events : .bytes)
      return .ignored
    }
    page?.served += 1
    // An id fixes the date of its event. A copy that comes later under the same id may have any date.
    if let known = found[id] {
      page?.see(known, until: cursor)
      return .known
    }
    let judgement = judge()
    guard judgement == .new else {
      page?.seeStranger(createdAt, until: cursor)
      return judgement
    }
    page?.see(createdAt, until: cursor)
    guard window.contains(createdAt) else { return .unasked }
    found[id] = createdAt
    page?.fresh += 1
    return .new
  }

  /// An unreadable event came for the present page. A page of such events is not the end.
  /// - Parameter createdAt: `nil` if it has no date either.
  mutating func takeUnreadable(createdAt: Int64?, bytes: Int) {
    take(id: "", createdAt: createdAt ?? .max, bytes: bytes) { .forged }
  }

  /// The relay has served the page (EOSE).
  mutating func endPage(_ hint: StoredHint?) {
    guard ending == nil, let page else { return }
    self.page = nil
    largestPage = max(largestPage, page.served)
    if page.served == 0, hint != .more { return complete() }
    let isFull = page.served >= limit
    // A relay might count `limit` as a part of the filter, and be finished after each full page.
    let isFinished = hint == .finish && !isFull
    if page.hasEdge, isFinished || page.reachesBehind(cursor) { suspects[cursor] = nil }
    let oldest = page.oldest ?? page.oldestStranger
    if isFinished || oldest.map({ $0 < window.lowerBound }) ?? false { return complete() }
    if let oldest, oldest < cursor - 1 { return goBack(to: oldest + 1) }
    stay(page, oldest, asksForMore: isFull || hint == .more, isFull: isFull)
  }

  private mutating func goBack(to second: Int64) {
    cursor = second
    settledFrom = min(settledFrom, second)
    (largestHere, repeatCount, barrenCount) = (0, 0, 0)
  }

  /// The page leads no further back. Either one second has more events than a page, or older events are not served.
  private mutating func stay(_ page: Page, _ oldest: Int64?, asksForMore: Bool, isFull: Bool) {
    barrenCount = page.fresh > 0 ? 0 : barrenCount + 1
    guard barrenCount <= limits.barrenMax else { return giveUp(.noProgress) }
    // A page that is not full is worth one larger request: some relays leave events out only after they have counted them.
    let isWorthMore = asksForMore || page.fresh == 0 && page.served > largestHere
    if limit < limits.limitMax, isWorthMore {
      largestHere = max(largestHere, page.served)
      limit = min(2 * limit, limits.limitMax)
      return
    }
    // Relays that choose among the events of a second serve others when they are asked again. Messages that people write during this time
    // are new, too, and would keep the pager here for as long as people write.
    repeatCount += 1
    guard page.fresh == 0 || repeatCount > limits.repeatsMax else { return }
    if let oldest {
      suspects[oldest] = Suspect(served: page.served, isFull: isFull)
      settledFrom = min(settledFrom, oldest)
    }
    repeatCount = 0
    cursor -= 1
    if cursor < window.lowerBound { complete() }
  }

  private mutating func complete() {
    ending = .complete
    settledFrom = window.lowerBound
  }

  private mutating func giveUp(_ reason: GivingUp) { ending = .gaveUp(reason) }
}

extension HistoryPager {
  /// The facts about the page that is being served.
  private struct Page {
    /// The number of events of any kind.
    var served = 0
    /// The number of events that were found by this page.
    var fresh = 0
    /// The oldest date of an event that was asked for.
    var oldest: Int64?
    /// The oldest date of any other event.
    var oldestStranger: Int64?
    /// Whether there was an event that was asked for, of the very second of `until`.
    var hasEdge = false

    mutating func see(_ date: Int64, until cursor: Int64) {
      guard date <= cursor else { return }
      oldest = min(oldest ?? date, date)
      if date == cursor { hasEdge = true }
    }

    mutating func seeStranger(_ date: Int64, until cursor: Int64) {
      guard date <= cursor else { return }
      oldestStranger = min(oldestStranger ?? date, date)
    }

    func reachesBehind(_ second: Int64) -> Bool { oldest.map { $0 < second } ?? false }
  }

  /// A second that was passed over.
  private struct Suspect {
    /// The number of events in the last page that did not reach behind it.
    let served: Int
    /// Whether these were as many as were asked for.
    let isFull: Bool
  }
}
