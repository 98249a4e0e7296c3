internal import Channels
internal import RelayNetwork

/// A relay's refusal of an event because of its date, as its words have it: for channels and posts alike. Relays agree on no words.
struct DateRefusal: Hashable, Sendable {
  /// The place of the date, according to the relay.
  enum Side: Hashable, Sendable {
    case ahead, behind
    /// The words leave it open, as in the example of NIP-01.
    case unclear
  }

  let side: Side
  /// The relay's words.
  let text: String

  /// The number of seconds that a new event may have waited before it was sent. If a relay refuses an event that is not older, two clocks
  /// differ.
  static let freshSeconds: Int64 = 60
  /// The same where the words leave the side of the date open: clocks may differ by more than the event waited, and the event may be ahead
  /// at the relay. Relays that refuse old events accept this much.
  static let unclearSeconds: Int64 = 900

  /// - Returns: `nil` if the words are about anything else.
  init?(_ text: String) {
    if let prefix = RelayAnswer.prefix(of: text), Self.otherReasons.contains(prefix) { return nil }
    let words = text.lowercased()
    func holds(_ parts: [String]) -> Bool { parts.contains { words.contains($0) } }
    let namesDate = holds([
      "created_at", "created at", "creation date", "creation time", "timestamp", "current time", "event date",
    ])
    let isAhead = holds(["future", "too late", "too new"]) || namesDate && holds(["ahead", "later"])
    let isBehind = holds(["too old", "too early", "in the past"]) || namesDate && holds(["earlier", "older", "past", "stale"])
    guard isAhead || isBehind || namesDate else { return nil }
    side = isAhead == isBehind ? .unclear : isAhead ? .ahead : .behind
    self.text = text
  }

  private static let otherReasons: Set<String> = ["restricted", "pow", "payment-required", "unsupported"]

  /// Whether the date is refused because it is ahead.
  /// - Parameter lead: the number of seconds by which it is ahead of this machine's clock, below zero if it is behind.
  func isAhead(by lead: Int64) -> Bool { side == .ahead || side == .unclear && lead > 0 }

  /// Whether neither the event's age nor its lead explains the refusal, so that the relay's clock or this machine's clock is wrong.
  /// - Parameters:
  ///   - lead: as of `isAhead`.
  ///   - isFresh: whether the event is dated anew whenever it is sent.
  func isMatterOfClocks(at lead: Int64, isFresh: Bool) -> Bool {
    isAhead(by: lead) ? lead <= 0 : isFresh || lead > -(side == .behind ? Self.freshSeconds : Self.unclearSeconds)
  }

  /// The outcome for the event, with parameters as of `isMatterOfClocks`. Only an event that gets older and never younger is refused for
  /// good. An event from ahead is sent again when half of its lead is over: the relay's limit is not known, and few attempts find it.
  func outcome(at lead: Int64, isFresh: Bool) -> RelayOutcome {
    if isMatterOfClocks(at: lead, isFresh: isFresh) {
      let words = "the relay refuses the date of a new event, so its clock or this machine's clock is wrong"
      return .troubled(Trouble(.rejected, "\(words): \(text)"), retryAfter: nil)
    }
    guard isAhead(by: lead) else { return .refused(Trouble(.rejected, text)) }
    let words = "the event is dated \(lead) s ahead, and the relay does not accept it yet"
    return .troubled(Trouble(.rejected, "\(words): \(text)"), retryAfter: isFresh ? nil : .seconds(lead - lead / 2))
  }
}
