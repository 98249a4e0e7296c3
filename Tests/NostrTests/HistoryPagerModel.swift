import Channels

@testable import Nostr

/// The history that relays of these tests hold.
enum History: String, CaseIterable {
  case twoTies, oneTie, oneSecond, empty, future, dense, neighbours, single

  static let now: Int64 = 1_800_000_000
  /// Relays may serve events that are dated 15 minutes ahead; some serve any date.
  static let window = (now - 20_000)...(now + 900)

  struct Event: Hashable {
    let id: String
    let createdAt: Int64
  }

  private func dates(_ random: inout SplitMix64) -> [Int64] {
    let now = Self.now
    func tie(_ count: Int, _ date: Int64) -> [Int64] { Array(repeating: date, count: count) }
    func spread(_ count: Int, _ dates: ClosedRange<Int64>) -> [Int64] {
      (0..<count).map { _ in Int64.random(in: dates, using: &random) }
    }
    switch self {
    case .twoTies: return tie(45, now - 1_000) + tie(60, now - 5_000) + spread(295, (now - 9_999)...now)
    case .oneTie: return tie(45, now - 1_000) + spread(575, (now - 9_999)...now)
    case .oneSecond: return tie(400, now - 77)
    case .empty: return []
    case .future: return spread(100, (now - 1_000)...now) + spread(30, now...(now + 900)) + tie(30, now + 1_000_000)
    case .dense: return spread(620, (now - 59)...now)
    case .neighbours: return tie(45, now - 5) + tie(60, now - 6) + tie(45, now - 7) + tie(19, now - 8) + [now - 9]
    case .single: return [now - 5]
    }
  }

  func events(seed: UInt64) -> [Event] {
    var random = SplitMix64(seed: seed)
    return dates(&random).map { Event(id: String(random.next(), radix: 16), createdAt: $0) }
  }
}

/// A relay that serves one page after the other, as its habits have it.
struct ModelRelay {
  struct Habits: CustomStringConvertible {
    enum Order: String, CaseIterable {
      /// By id within a second, as NIP-01 says; the same each time, but arbitrary; another one each time.
      case byID, arbitrary, changing
    }

    /// Whether `until` and `since` leave out their own second.
    var isExclusive = false
    /// The number of events that it serves at once, whatever it is asked for.
    var cap = 500
    var honoursLimit = true
    var order = Order.byID
    /// Whether it says if there is more (NIP-67).
    var hints = false

    var description: String {
      "\(isExclusive ? "exclusive" : "inclusive"), cap \(cap), limit \(honoursLimit ? "honoured" : "ignored"), \(order.rawValue)"
        + (hints ? ", hints" : "")
    }

    static let all: [Habits] = [false, true].flatMap { isExclusive in
      [20, 50, 500].flatMap { cap in
        [true, false].flatMap { honoursLimit in
          Order.allCases.flatMap { order in
            [false, true].map { hints in
              Habits(isExclusive: isExclusive, cap: cap, honoursLimit: honoursLimit, order: order, hints: hints)
            }
          }
        }
      }
    }
  }

  let habits: Habits
  private var random: SplitMix64
  /// Newest first.
  private let events: [History.Event]

  init(_ events: [History.Event], _ habits: Habits, seed: UInt64) {
    self.habits = habits
    random = SplitMix64(seed: seed)
    var mixed = events
    if habits.order != .byID { mixed.shuffle(using: &random) }
    let places = Dictionary(uniqueKeysWithValues: mixed.enumerated().map { ($1.id, $0) })
    self.events = mixed.sorted { one, other in
      if one.createdAt != other.createdAt { return one.createdAt > other.createdAt }
      return habits.order == .byID ? one.id < other.id : places[one.id, default: 0] < places[other.id, default: 0]
    }
  }

  mutating func serve(_ query: HistoryPager.Query) -> (page: [History.Event], hint: StoredHint?) {
    var matching = events.filter { event in
      let (date, since) = (event.createdAt, query.since ?? -1)
      return habits.isExclusive ? date < query.until && date > since : date <= query.until && date >= since
    }
    if habits.order == .changing {
      matching.shuffle(using: &random)
      matching.sort { $0.createdAt > $1.createdAt }
    }
    let count = min(habits.cap, habits.honoursLimit ? query.limit : .max)
    var page = Array(matching.prefix(count))
    if habits.order != .byID { page.shuffle(using: &random) }
    return (page, habits.hints ? (count >= matching.count ? .finish : .more) : nil)
  }
}

/// A pager as many programs have it, to show that these relays are hard to page: it goes on before the oldest event, and ends with a page
/// that is not full.
struct NaivePager {
  private let pageSize: Int
  private(set) var found: Set<String> = []

  init(pageSize: Int) { self.pageSize = pageSize }

  mutating func read(_ relay: inout ModelRelay) {
    var until = History.window.upperBound
    while true {
      let page = relay.serve(.init(since: nil, until: until, limit: pageSize)).page
      found.formUnion(page.map(\.id))
      guard page.count >= pageSize, let oldest = page.map(\.createdAt).min() else { return }
      until = oldest - 1
    }
  }
}

extension HistoryPager {
  /// A pager of the events of these tests.
  static func over(_ window: ClosedRange<Int64> = History.window, pageSize: Int = 20) -> HistoryPager {
    var limits = Limits()
    limits.pageSize = pageSize
    return HistoryPager(filter: HistoryFilter(), window: window, limits: limits)
  }

  /// Pages until the end, and checks that each query goes on from the one before.
  /// - Parameter serve: feeds the pager with the page that the query asks for, and returns the hint.
  /// - Returns: a description of a query that does not; `nil` if there is none.
  mutating func readAll(_ serve: (Query, inout HistoryPager) -> StoredHint?) -> String? {
    var (last, foundBefore): (Query?, Int) = (nil, 0)
    while let query = next() {
      if let last, query.until >= last.until, query.limit <= last.limit, found.count <= foundBefore {
        return "\(query) follows \(last) with nothing new in between"
      }
      if let last, query.until > last.until || query.limit < last.limit { return "\(query) goes back behind \(last)" }
      (last, foundBefore) = (query, found.count)
      let hint = serve(query, &self)
      endPage(hint)
    }
    return next() == nil ? nil : "it goes on after its end"
  }

  mutating func read(_ relay: inout ModelRelay) -> String? {
    readAll { query, pager in
      let (page, hint) = relay.serve(query)
      for event in page { pager.take(id: event.id, createdAt: event.createdAt, bytes: 500) { .new } }
      return hint
    }
  }
}
