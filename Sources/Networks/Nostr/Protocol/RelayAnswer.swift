/// The meaning of the machine-readable start of an OK or CLOSED text.
public enum RelayAnswer: Hashable, Sendable {
  case success
  /// Authenticate (NIP-42), then send once more.
  case authenticate
  /// Later. `isRateLimit` asks for a longer wait.
  case transient(isRateLimit: Bool)
  /// A refusal for good.
  case permanent
  /// The relay has a newer event in this one's place.
  case outdated
  /// The text has no meaning for Baton: a few tries, then it counts as refused.
  case unknown

  /// - Parameters:
  ///   - accepted: the boolean of the OK, false for a CLOSED.
  ///   - text: the relay's words.
  ///   - mayAuthenticate: whether a challenge is at hand that was not answered yet on this connection.
  public init(accepted: Bool, text: String, mayAuthenticate: Bool) {
    if accepted {
      self = .success
      return
    }
    switch Self.prefix(of: text) {
    case "duplicate": self = .success
    case "auth-required": self = .authenticate
    case "restricted": self = mayAuthenticate ? .authenticate : .permanent
    case "rate-limited": self = .transient(isRateLimit: true)
    case "error", "mute": self = .transient(isRateLimit: false)
    case "replaced": self = .outdated
    case "invalid", "pow", "payment-required", "rejected", "unsupported": self = .permanent
    case "blocked":
      // Some relays wrap another answer: "blocked: auth-required: …".
      let rest = text.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
      self =
        Self.prefix(of: String(rest)).map { Self.known.contains($0) } == true
        ? Self(accepted: false, text: String(rest), mayAuthenticate: mayAuthenticate) : .permanent
    default: self = .unknown
    }
  }

  /// Whether the relay does not accept the event, and does not announce that it will.
  var isRefusal: Bool { self == .permanent || self == .unknown }

  private static let known: Set<String> = [
    "duplicate", "auth-required", "restricted", "rate-limited", "error", "mute", "invalid", "pow", "payment-required",
    "rejected", "replaced", "unsupported",
  ]

  /// The word before the first colon, if it has the form of a prefix.
  static func prefix(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let word = text[..<colon].lowercased()
    guard (1...20).contains(word.utf8.count),
      word.utf8.allSatisfy({ $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") || $0 == UInt8(ascii: "-") })
    else { return nil }
    return word
  }
}
