internal import StrictJSON

/// The progress of the connection to a member (`ConnStatus`, docs/design/simplex.md#relays-of-a-channel).
public enum CoreConnectionStatus: Hashable, Sendable {
  case new, prepared, joined, requested, accepted, sendReady, ready, deleted
  /// The connection failed for good. This is the core's only sign that a relay failed after its invitation.
  /// - reason: the core's words.
  case failed(reason: String)
  /// A word unknown to this version of Baton.
  case unknown(String)

  /// - Parameter connection: the object with the member `connStatus`.
  init(of connection: CoreReader) throws(CoreShapeError) {
    // Versions before 7.0 have only the word.
    if let word = connection.value("connStatus")?.string {
      self = Self.named(word)
      return
    }
    let status = try connection.object("connStatus")
    let word = try status.string("type")
    self = word == "failed" ? .failed(reason: try status.stringIfPresent("connError") ?? "") : Self.named(word)
  }

  private static func named(_ word: String) -> Self {
    switch word {
    case "new": .new
    case "prepared": .prepared
    case "joined": .joined
    case "requested": .requested
    case "accepted": .accepted
    case "sndReady": .sendReady
    case "ready": .ready
    case "deleted": .deleted
    case "failed": .failed(reason: "")
    default: .unknown(word)
    }
  }
}
