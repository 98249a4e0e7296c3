internal import StrictJSON

/// The sizes and dates of events that a relay declares to accept (NIP-11). They are hints: only its answer to the event counts.
struct EventLimits: Hashable, Sendable {
  /// The limits that a relay may set, by the names of NIP-11.
  enum Limit: String, Hashable, Sendable, CaseIterable {
    /// The bytes of the whole message, from `[` to `]`.
    case messageLength = "max_message_length"
    /// The characters of the content, in code points.
    case contentLength = "max_content_length"
    case eventTags = "max_event_tags"
  }

  /// A limit that an event exceeds.
  struct Excess: Hashable, Sendable, CustomStringConvertible {
    let limit: Limit
    /// The size or number that the event has.
    let count: Int
    /// The relay's upper bound.
    let max: Int

    var description: String {
      switch limit {
      case .messageLength: "the post is sent with \(count) bytes, and the relay takes \(max) at most (\(limit.rawValue))"
      case .contentLength: "the post's text has \(count) characters, and the relay takes \(max) at most (\(limit.rawValue))"
      case .eventTags: "the post has \(count) tags, and the relay takes \(max) at most (\(limit.rawValue))"
      }
    }
  }

  /// The upper bounds that the relay names.
  let bounds: [Limit: Int]
  /// The number of seconds by which a date may be ahead, or `nil` if the relay sets no such limit.
  let aheadMax: Int64?

  /// Reads `limitation` of a relay's document. A member that is missing, below 1 or not a number is no limit.
  init(limitation: JSONValue?) {
    var bounds: [Limit: Int] = [:]
    for limit in Limit.allCases {
      if let bound = limitation?[limit.rawValue]?.integer, bound > 0 { bounds[limit] = Int(clamping: bound) }
    }
    self.bounds = bounds
    aheadMax = limitation?["created_at_upper_limit"]?.integer.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The first limit that an event exceeds, in the order of `Limit`, or `nil` if it fits.
  func excess(of event: NostrEvent) -> Excess? {
    for limit in Limit.allCases {
      guard let max = bounds[limit] else { continue }
      let count = event.count(of: limit)
      if count > max { return Excess(limit: limit, count: count, max: max) }
    }
    return nil
  }
}

extension NostrEvent {
  /// The number of bytes of the message that publishes the event.
  var sentBytes: Int { ClientMessage.event(text).utf8.count }

  fileprivate func count(of limit: EventLimits.Limit) -> Int {
    switch limit {
    case .messageLength: sentBytes
    case .contentLength: content.unicodeScalars.count
    case .eventTags: tags.count
    }
  }
}
