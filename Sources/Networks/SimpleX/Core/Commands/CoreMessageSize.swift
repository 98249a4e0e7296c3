internal import StrictJSON

/// The size of a message on its way to a relay and on to readers, in bytes (docs/design/simplex.md#size-of-posts).
///
/// Counted exactly: the JSON of text, preview, mentioned names and the name of a file, as the core writes it. Estimated, and never too low:
/// the data that the core puts around it (version, ids, times), the ids of mentioned members, the data about a file besides its name, the
/// reference to a quoted message, signatures, and the data that the relay adds when it forwards the message. So the core may accept a
/// message that is a few hundred bytes too large by this count. If the text of a quoted message was edited in the core's own window, the
/// core quotes the new text, and may answer `largeMsg` after all.
public struct CoreMessageSize: Hashable, Sendable {
  /// The largest message that the core accepts and relays forward, in bytes.
  public static let bytesMax = 15_602

  /// The size of the message in bytes.
  public let bytes: Int
  /// Whether the core sends it and the relays forward it.
  public var fits: Bool { bytes <= Self.bytesMax }

  /// The use for which a message is measured.
  public enum Use: Hashable, Sendable {
    /// It is sent, alone or as a reply.
    /// - quotedBytes: `CoreMessageSize.quoted` of the message that it replies to, or 0.
    case new(quotedBytes: Int)
    /// It replaces another one.
    case edit
  }

  /// Marks, a time and lengths, which the relay adds when it forwards a message of the channel.
  static let forwardingReserve = 64
  /// The signature of a signed message, and the name and id of its author, which the relay adds.
  static let signingReserve = 512
  /// The id of a mentioned member.
  static let memberIDReserve = 64
  /// The size of a file, and the place for its description, which follows in separate messages.
  static let fileReserve = 256
  /// The reference to a quoted message: ids, a time and an author.
  static let quoteReserve = 256

  /// The size of `message`.
  /// - Parameters:
  ///   - message: the message.
  ///   - use: the use of the message.
  ///   - isSigned: whether it is sent with the author's signature. For an edit, whether the edited message was.
  public init(of message: CoreMessage, for use: Use, isSigned: Bool = false) {
    var bytes = Self.bytes(Self.envelope(message, use)) + Self.forwardingReserve + (isSigned ? Self.signingReserve : 0)
    if case .new(let quoted) = use { bytes += quoted }
    self.bytes = bytes
  }

  /// The size of the quote of `message` in a reply, in bytes.
  public static func quoted(_ message: CoreMessage) -> Int {
    // Without a text, the core quotes the name of the file.
    bytes(message.content) + quoteReserve + (message.fileName.map { bytes(.string($0)) } ?? 0)
  }

  /// The size of the quote of a text in a reply, in bytes.
  /// - Parameter textBytes: the size of the text as JSON, in bytes.
  public static func quoted(textBytes: Int) -> Int { quoted(CoreMessage(text: "")) + textBytes }

  /// The message as the core sends it, with ids and versions of the longest kind.
  private static func envelope(_ message: CoreMessage, _ use: Use) -> JSONValue {
    let id = JSONValue.string(String(repeating: "x", count: 24))
    let member: JSONValue = ["memberId": .string(String(repeating: "x", count: memberIDReserve))]
    var params: [String: JSONValue] = ["content": message.content, "asGroup": true]
    if !message.mentions.isEmpty { params["mentions"] = .object(message.mentions.mapValues { _ in member }) }
    if use == .edit {
      params["msgId"] = id
    } else if let name = message.fileName {
      params["file"] = ["fileName": .string(name), "rest": .string(String(repeating: "x", count: fileReserve))]
    }
    let event: JSONValue = use == .edit ? "x.msg.update" : "x.msg.new"
    return ["v": "1-9999", "msgId": id, "event": event, "params": .object(params)]
  }

  /// The length of `value` in the core's JSON, which has short escapes for fewer characters than Baton's.
  private static func bytes(_ value: JSONValue) -> Int { value.bytes.count + longEscapes(in: value) }

  private static func longEscapes(in value: JSONValue) -> Int {
    switch value {
    case .null, .bool, .integer, .number: 0
    case .string(let text): longEscapes(in: text)
    case .array(let elements): elements.reduce(0) { $0 + longEscapes(in: $1) }
    case .object(let members): members.reduce(0) { $0 + longEscapes(in: $1.key) + longEscapes(in: $1.value) }
    }
  }

  /// The core writes backspace and form feed as `\u0008` and `\u000c`, four bytes more.
  private static func longEscapes(in text: String) -> Int { text.utf8.reduce(0) { $0 + ($1 == 0x08 || $1 == 0x0C ? 4 : 0) } }
}

extension CoreMessage {
  /// The name of the file without its folder, as readers see it.
  fileprivate var fileName: String? { file?.unicodeScalars.split(separator: "/").last.map { String($0) } }
}
