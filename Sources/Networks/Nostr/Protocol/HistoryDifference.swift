/// What differs between the events that a relay should hold and those that it holds. Ids within each list are ordered by date, oldest
/// first, and then by themselves.
struct HistoryDifference: Hashable, Sendable {
  /// Events that the relay does not hold: publish them in this order.
  let missing: [String]
  /// Events that were not found, of seconds in which the relay may hold more than it served, or before the one at which the pager gave
  /// up: ask for these ids before you publish them.
  let doubtful: [String]
  /// Events that were deleted, and that the relay serves all the same.
  let stillServed: [String]
  /// Events that are neither expected nor deleted.
  let strangers: [String]

  /// - Parameters:
  ///   - expected: the dates, in Unix seconds, of the events that the relay should hold, by id. Those outside the pager's window are left
  ///     out.
  ///   - deleted: the ids of events that no relay should hold. They are never missing.
  ///   - pager: what the relay was found to hold.
  init(expected: [String: Int64], deleted: Set<String>, pager: HistoryPager) {
    let holes = Set(pager.holes)
    let absent = expected.filter { id, date in
      pager.window.contains(date) && pager.found[id] == nil && !deleted.contains(id)
    }
    // Of these seconds it is known what the relay holds.
    let isSettled = { (date: Int64) in date >= pager.settledFrom && !holes.contains(date) }
    missing = Self.ordered(absent.filter { isSettled($0.value) })
    doubtful = Self.ordered(absent.filter { !isSettled($0.value) })
    stillServed = Self.ordered(pager.found.filter { deleted.contains($0.key) })
    strangers = Self.ordered(pager.found.filter { expected[$0.key] == nil && !deleted.contains($0.key) })
  }

  private static func ordered(_ events: [String: Int64]) -> [String] {
    events.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
  }
}
