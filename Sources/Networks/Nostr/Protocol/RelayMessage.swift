public import StrictJSON

/// What a relay says at the end of stored events about those that it did not send (NIP-67).
public enum StoredHint: String, Hashable, Sendable {
  /// It has sent all that match.
  case finish
  /// It has more that match.
  case more
}

/// A message from a relay (NIP-01, NIP-42).
public enum RelayMessage: Hashable, Sendable {
  case event(subscription: String, NostrEvent)
  /// `id` may be empty: some relays do not name the event that they refuse.
  case ok(id: String, accepted: Bool, text: String)
  /// `hint` is `nil` if the relay does not say whether it has more, as most do not.
  case endOfStored(subscription: String, hint: StoredHint? = nil)
  case closed(subscription: String, text: String)
  case notice(String)
  case challenge(String)
  /// A message type that Baton does not use.
  case other(String)

  /// Reads one message; `nil` if it is not a Nostr message.
  public init?(_ bytes: some Sequence<UInt8>) {
    guard let message = try? JSONParser.parse(bytes), let parts = message.array, let type = parts.first?.string else {
      return nil
    }
    func text(_ index: Int) -> String? { index < parts.count ? parts[index].string : nil }
    switch type {
    case "EVENT":
      guard let subscription = text(1), parts.count > 2, let event = NostrEvent(json: parts[2]) else { return nil }
      self = .event(subscription: subscription, event)
    case "OK":
      guard let id = text(1), parts.count > 2, let accepted = parts[2].bool else { return nil }
      self = .ok(id: id, accepted: accepted, text: text(3) ?? "")
    case "EOSE":
      guard let subscription = text(1) else { return nil }
      self = .endOfStored(subscription: subscription, hint: parts.count > 2 ? StoredHint(parts[2]) : nil)
    case "CLOSED":
      guard let subscription = text(1) else { return nil }
      self = .closed(subscription: subscription, text: text(2) ?? "")
    case "NOTICE": self = .notice(text(1) ?? "")
    case "AUTH":
      guard let challenge = text(1) else { return nil }
      self = .challenge(challenge)
    default: self = .other(type)
    }
  }
}

extension StoredHint {
  /// Reads the third element of an EOSE, a list of hints. Unknown ones are ignored, and so is a list that contradicts itself.
  init?(_ json: JSONValue) {
    let hints = Set((json.array ?? []).compactMap { $0.string.flatMap(StoredHint.init(rawValue:)) })
    guard hints.count == 1, let hint = hints.first else { return nil }
    self = hint
  }
}

/// A message from Baton to a relay, as JSON text.
public enum ClientMessage {
  /// - Parameter event: the event's own JSON, sent unchanged.
  public static func event(_ event: String) -> String { "[\"EVENT\",\(event)]" }
  public static func auth(_ event: NostrEvent) -> String { "[\"AUTH\",\(event.text)]" }
  public static func request(_ subscription: String, _ filters: [JSONValue]) -> String {
    JSONValue.array(["REQ", .string(subscription)] + filters).text
  }
  public static func close(_ subscription: String) -> String { JSONValue.array(["CLOSE", .string(subscription)]).text }
}
