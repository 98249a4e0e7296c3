/// The number of things that a relay lets one REQ ask for, as it turns out. A relay that refuses a REQ, or does not answer, may find it too
/// long. That is known once it answers a shorter one, and is remembered.
struct RequestSize: Sendable {
  /// The number that a REQ may ask for.
  private(set) var most: Int
  /// The largest number that was answered.
  private var served = 0
  /// The smallest number that was not, since the connection was opened.
  private var doubted: Int?

  init(most: Int) { self.most = most }

  /// The number that the next REQ should ask for, to find out whether an earlier one was too long.
  var next: Int { doubted.map { max(1, $0 / 2) } ?? most }

  /// Whether a REQ may have been too long. A shorter one shows whether it was.
  var isInDoubt: Bool { doubted != nil }

  /// Forgets a refusal that proved nothing, because the connection is new or the number was not the reason.
  mutating func connected() { doubted = nil }

  /// Notes that a REQ for so many was refused or not answered.
  mutating func refused(_ count: Int) {
    // Where as many were answered, the number is not the reason.
    guard count > max(1, served) else { return }
    doubted = min(doubted ?? count, count)
  }

  /// Notes that a REQ for so many was answered.
  mutating func took(_ count: Int) {
    served = max(served, count)
    if let doubted, doubted > count { most = min(most, doubted / 2) }
    doubted = nil
    most = max(most, served)
  }
}
