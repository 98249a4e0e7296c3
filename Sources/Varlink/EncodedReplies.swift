internal import NIOCore

/// Replies whose parameters are JSON already, sent in one write. Other replies follow them.
public struct EncodedReplies: Sendable {
  /// The replies, each in its envelope and with its terminator.
  private(set) var messages = ByteBuffer()

  public init() {}

  /// The size of the replies in bytes, envelopes included.
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
