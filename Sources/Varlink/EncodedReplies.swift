internal import NIOCore

/// Replies whose parameters are JSON already, to be sent in one go. Others follow them.
public struct EncodedReplies: Sendable {
  /// Each in its envelope and with its terminator.
  private(set) var messages = ByteBuffer()

  public init() {}

  /// How many bytes they have, envelopes included.
  public var byteCount: Int { messages.readableBytes }
  public var isEmpty: Bool { messages.readableBytes == 0 }

  /// - Parameter parameters: one JSON object in UTF-8.
  public mutating func append(parameters: [UInt8]) {
    assert(parameters.first == UInt8(ascii: "{") && parameters.last == UInt8(ascii: "}"), "parameters are an object")
    messages.writeBytes(VarlinkReply.head)
    messages.writeBytes(parameters)
    messages.writeBytes(VarlinkReply.tailOfOneThatContinues)
  }
}
