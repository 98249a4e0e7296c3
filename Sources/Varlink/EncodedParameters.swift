internal import NIOCore
public import StrictJSON

/// The parameters of a reply as JSON, which is written once and then sent.
public struct EncodedParameters: Sendable, ExpressibleByDictionaryLiteral {
  /// The reply up to the end of its parameters.
  private let beginning: [UInt8]

  /// No parameters.
  public static let none = EncodedParameters([String: JSONValue]())

  /// - Parameter parameters: written as one JSON object.
  public init(_ parameters: some JSONWritable) {
    var writer = JSONWriter(after: VarlinkReply.head)
    parameters.writeJSON(to: &writer)
    beginning = writer.bytes
    assert(
      beginning[VarlinkReply.head.count] == UInt8(ascii: "{") && beginning.last == UInt8(ascii: "}"), "parameters are an object"
    )
  }

  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(Dictionary(elements) { _, last in last }) }

  /// The reply with its terminator.
  /// - Parameter continues: whether more replies follow.
  func message(continues: Bool) -> ByteBuffer {
    let tail = continues ? VarlinkReply.tailOfOneThatContinues : VarlinkReply.tail
    var message = ByteBuffer()
    message.reserveCapacity(beginning.count + tail.count)
    message.writeBytes(beginning)
    message.writeBytes(tail)
    return message
  }
}
