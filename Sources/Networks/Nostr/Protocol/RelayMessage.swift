public import StrictJSON

/// A relay's hint at the end of stored events about matching events that it did not send (NIP-67).
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
  /// `hint` is `nil` if the relay does not announce whether it has more, as most do not.
  case endOfStored(subscription: String, hint: StoredHint? = nil)
  case closed(subscription: String, text: String)
  case notice(String)
  case challenge(String)
  /// A message type that Baton does not use.
  case other(String)
  /// An unusable message, most often because of an event that someone gave the relay. It affects nothing else.
  /// - subscription: the request that it was meant for.
  /// - createdAt: when its event was made, in Unix seconds: relays choose by that date which events they serve.
  case unreadable(subscription: String? = nil, createdAt: Int64? = nil, bytes: Int)

  /// Reads one message, or returns `nil` if it is not JSON.
  /// - Parameter bytesMax: the size of the largest message whose event counts.
  public init?(_ bytes: some Collection<UInt8>, bytesMax: Int = 1 << 20) {
    if let json = try? JSONParser.parse(bytes) {
      self.init(json, isMended: bytes.count > bytesMax, bytes: bytes.count)
    } else if let (json, isMended) = try? JSONParser.parseMending(bytes) {
      self.init(json, isMended: isMended, bytes: bytes.count)
    } else {
      return nil
    }
  }

  /// - Parameter isMended: whether it differs from the bytes that were sent, or is too large. Then its words count, but no event and no
  ///   challenge does.
  private init(_ json: JSONValue, isMended: Bool, bytes: Int) {
    let parts = json.array ?? []
    func text(_ index: Int) -> String? { index < parts.count ? parts[index].string : nil }
    self = .unreadable(bytes: bytes)
    switch text(0) {
    case "EVENT":
      guard let subscription = text(1), parts.count > 2 else { return }
      self = .unreadable(subscription: subscription, createdAt: parts[2]["created_at"]?.wholeSeconds, bytes: bytes)
      guard !isMended, let event = NostrEvent(json: parts[2]) else { return }
      self = .event(subscription: subscription, event)
    case "OK":
      guard let id = text(1), parts.count > 2, let accepted = parts[2].bool else { return }
      self = .ok(id: id, accepted: accepted, text: text(3) ?? "")
    case "EOSE":
      guard let subscription = text(1) else { return }
      self = .endOfStored(subscription: subscription, hint: parts.count > 2 ? StoredHint(parts[2]) : nil)
    case "CLOSED":
      guard let subscription = text(1) else { return }
      self = .closed(subscription: subscription, text: text(2) ?? "")
    case "NOTICE": self = .notice(text(1) ?? "")
    case "AUTH":
      guard !isMended, let challenge = text(1) else { return }
      self = .challenge(challenge)
    case let type?: self = .other(type)
    case nil: break
    }
  }
}

extension JSONValue {
  /// A number without its fraction.
  fileprivate var wholeSeconds: Int64? {
    if case .number(let number) = self { Int64(exactly: number.rounded(.down)) } else { integer }
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
