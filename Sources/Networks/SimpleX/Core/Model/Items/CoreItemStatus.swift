/// How far a message came, for all members together (`CIStatus`). The core changes it, with an event, only when the words for all of them
/// change: `CoreDelivery` says how each relay stands.
public enum CoreItemStatus: Hashable, Sendable {
  /// No server has it yet, or there was no one to send it to.
  case new
  /// The servers of some members have it, or those of all members to whom it was sent.
  case sent(isComplete: Bool)
  /// Members confirmed that they got it.
  /// - isIntact: whether it followed what they got before.
  case received(isIntact: Bool, isComplete: Bool)
  case error(CoreSendError)
  /// It was not sent so far; the core goes on trying.
  case warning(CoreSendError)
  /// Someone else wrote it.
  case incoming(isRead: Bool)
  /// The core cannot read what it stored.
  case invalid(String)
  /// A word that this version of Baton does not know.
  case unknown(String)
}

extension CoreItemStatus: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let word = try reader.string("type")
    let isComplete = try reader.stringIfPresent("sndProgress") == "complete"
    switch word {
    case "sndNew": self = .new
    case "sndSent": self = .sent(isComplete: isComplete)
    case "sndRcvd": self = .received(isIntact: try reader.stringIfPresent("msgRcptStatus") == "ok", isComplete: isComplete)
    case "sndErrorAuth": self = .error(.auth)
    case "sndError": self = .error(try reader.read("agentError"))
    case "sndWarning": self = .warning(try reader.read("agentError"))
    case "rcvNew": self = .incoming(isRead: false)
    case "rcvRead": self = .incoming(isRead: true)
    case "invalid": self = .invalid(CoreText.bounded(try reader.stringIfPresent("text") ?? ""))
    default: self = .unknown(CoreText.bounded(word))
    }
  }
}
