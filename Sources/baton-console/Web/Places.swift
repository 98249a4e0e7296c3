/// How many of something are taken, as a whole and by each user, as far as that is known: nobody gets all of them.
struct Places<User: Hashable & Sendable> {
  let max: Int
  let perUserMax: Int
  private var all = 0
  private var byUser: [User: Int] = [:]

  init(max: Int, perUserMax: Int) {
    self.max = max
    self.perUserMax = perUserMax
  }

  /// - Returns: whether there was one.
  mutating func take(_ user: User?) -> Bool {
    let own = user.map { byUser[$0, default: 0] } ?? 0
    guard all < max, own < perUserMax else { return false }
    all += 1
    if let user { byUser[user] = own + 1 }
    return true
  }

  mutating func leave(_ user: User?) {
    all -= 1
    guard let user, let own = byUser[user] else { return }
    byUser[user] = own > 1 ? own - 1 : nil
  }
}
