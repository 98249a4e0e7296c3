/// The number of events that may be under way to a relay simultaneously, and how fast they may follow each other: as many as it has proved
/// to accept.
///
/// It begins with one and opens by one with each event that the relay answers under its id, so it doubles with each round trip. Trouble
/// halves the size that it may reach like this. From there it grows by one per round trip. Where the relay limits the rate, events get a
/// distance that doubles with each refusal and shrinks slowly without refusals.
struct PublishingWindow: Hashable, Sendable {
  /// The largest window. Relays state no limit (NIP-11). With this many, a round trip of 100 ms allows 640 events per second.
  static let sizeMax = 64
  /// The distance of events after the first refusal for their rate, and the longest.
  static let distanceFirst = Duration.milliseconds(100)
  static let distanceMax = Duration.seconds(60)
  /// The number of events in a row that the relay answers without limiting the rate before they may follow each other faster.
  static let eventsPerSpeedUp = 32

  /// The number of events that may be under way simultaneously.
  private(set) var size = 1
  /// The time after an event before the next one may follow, or zero if it may follow immediately.
  private(set) var distance = Duration.zero
  /// The size above which the window opens slowly.
  private var ceiling = Self.sizeMax
  /// Whether the relay's answers do not name their events, or each author must authenticate first.
  private var isSingle = false
  /// Events that were answered since the window last opened above `ceiling`, and since the relay last limited their rate.
  private var answered = 0
  private var answeredInARow = 0

  /// Begins a new connection, which may lead to another program than the one before. The rate limits that were found are kept.
  mutating func connected() { (size, isSingle, answered) = (1, false, 0) }

  /// Notes that the relay answered an event under its id, for a reason other than being currently unable to accept one.
  /// - Parameter isFull: whether as many events were under way as allowed. The window does not open unless this is needed.
  mutating func answeredByID(whenFull isFull: Bool) {
    speedUp()
    guard isFull, !isSingle, size < Self.sizeMax else { return }
    if size < ceiling {
      size += 1
    } else {
      answered += 1
      guard answered >= size else { return }
      (size, ceiling, answered) = (size + 1, size + 1, 0)
    }
  }

  /// Notes that the relay was currently unable to store an event.
  mutating func struggled() { shrink(to: max(1, size / 2)) }

  /// Notes that the relay was silent, or closed the connection, while events were under way.
  mutating func failed() { shrink(to: 1) }

  /// Allows only one event under way as long as the connection holds.
  mutating func closeToOne() { (size, isSingle) = (1, true) }

  /// Notes that the relay refused an event because there were too many.
  mutating func limited() {
    failed()
    answeredInARow = 0
    distance = min(max(distance * 2, Self.distanceFirst), Self.distanceMax)
  }

  /// Returns the number of events that may follow within `time`, or `nil` if no limit is known.
  func capacity(within time: Duration) -> Int? {
    distance > .zero ? Int(time / distance) : nil
  }

  private mutating func shrink(to size: Int) {
    ceiling = max(1, min(self.size, ceiling) / 2)
    (self.size, answered) = (size, 0)
  }

  private mutating func speedUp() {
    guard distance > .zero else { return }
    answeredInARow += 1
    guard answeredInARow >= Self.eventsPerSpeedUp else { return }
    answeredInARow = 0
    distance = distance * 3 / 4
    if distance < Self.distanceFirst / 8 { distance = .zero }
  }
}
