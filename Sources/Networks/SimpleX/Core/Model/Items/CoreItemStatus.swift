/// The delivery of a message to all members together (`CIStatus`). The core changes it, with an event, only when the words for all of them
/// change. `CoreDelivery` is the delivery to one relay.
public enum CoreItemStatus: Hashable, Sendable {
  /// No server has it yet, or there was no one to send it to.
  case new
  /// The servers of some members have it, or, if `isComplete`, the servers of all members that it was sent to.
  case sent(isComplete: Bool)
  /// Members confirmed that they got it.
  /// - isIntact: whether it followed the message that they got before.
  case received(isIntact: Bool, isComplete: Bool)
  case error(CoreSendError)
  /// It was not sent so far. The core keeps trying.
  case warning(CoreSendError)
  /// Someone else wrote it.
  case incoming(isRead: Bool)
  /// The core cannot read its own record.
  case invalid(String)
  /// A word unknown to this version of Baton.
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
