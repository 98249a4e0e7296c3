/// The delivery of a message to one member, which in a channel is one relay (`MemberDeliveryStatus`).
///
/// A relay whose connection was not ready when the message was sent has no row, and never gets one: the core neither sends the message to
/// it later nor reports that.
public struct CoreDelivery: Hashable, Sendable {
  /// How far it came (`GroupSndStatus`).
  public enum State: Hashable, Sendable {
    /// The core has not sent it yet.
    case new
    /// Another member passes it on.
    case forwarded
    /// The member has not been heard of for long, so nothing is sent to it.
    case inactive
    /// The server of the member's queue has it. Whether the member fetched it is unknown.
    case sent
    /// The member confirmed it. Members of large groups do not.
    /// - isIntact: whether it followed the message that the member got before.
    case received(isIntact: Bool)
    /// It was not sent and will not be.
    case error(CoreSendError)
    /// It was not sent so far. The core keeps trying.
    case warning(CoreSendError)
    /// The core cannot read its own record.
    case invalid(String)
    /// A word unknown to this version of Baton.
    case unknown(String)
  }

  /// The member.
  public let member: CoreMember.ID
  /// How far it came.
  public let state: State
}

extension CoreDelivery: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    member = try reader.id("groupMemberId")
    state = try reader.read("memberDeliveryStatus")
  }
}

extension CoreDelivery.State: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let word = try reader.string("type")
    switch word {
    case "new": self = .new
    case "forwarded": self = .forwarded
    case "inactive": self = .inactive
    case "sent": self = .sent
    case "rcvd": self = .received(isIntact: try reader.stringIfPresent("msgRcptStatus") == "ok")
    case "error": self = .error(try reader.read("agentError"))
    case "warning": self = .warning(try reader.read("agentError"))
    case "invalid": self = .invalid(CoreText.bounded(try reader.stringIfPresent("text") ?? ""))
    default: self = .unknown(CoreText.bounded(word))
    }
  }
}
