/// A limited number of places, in total and for each known user, so that no user gets all of them.
struct Places<User: Hashable & Sendable> {
  let max: Int
  let perUserMax: Int
  private var all = 0
  private var byUser: [User: Int] = [:]

  init(max: Int, perUserMax: Int) {
    self.max = max
    self.perUserMax = perUserMax
  }

  /// - Returns: whether there was a free place.
  mutating func take(_ user: User?) -> Bool {
    let own = user.map { byUser[$0, default: 0] } ?? 0
    guard all < max, own < perUserMax else { return false }
    all += 1
    if let user { byUser[user] = own + 1 }
    return true
  }

  /// Reserves a place for a waiting visitor: the first among the visitors with the fewest.
  /// - Returns: the index of the visitor, or `nil` if no one can have a place.
  mutating func takeNext(for waiting: [User?]) -> Int? {
    func count(_ place: Int) -> Int { waiting[place].map { byUser[$0, default: 0] } ?? 0 }
    guard let next = waiting.indices.min(by: { (count($0), $0) < (count($1), $1) }), take(waiting[next]) else { return nil }
    return next
  }

  mutating func leave(_ user: User?) {
    all -= 1
    guard let user, let own = byUser[user] else { return }
    byUser[user] = own > 1 ? own - 1 : nil
  }
}
