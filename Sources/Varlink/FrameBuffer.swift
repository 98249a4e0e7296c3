package import NIOCore

/// Cuts a byte stream into messages at NUL bytes. It is bounded, and looks at each byte once.
package struct FrameBuffer {
  let messageBytesMax: Int
  private var buffer = ByteBuffer()
  private var scanned = 0

  package init(messageBytesMax: Int) { self.messageBytesMax = messageBytesMax }

  /// The number of bytes that wait.
  package var count: Int { buffer.readableBytes }

  package mutating func append(_ bytes: inout ByteBuffer) {
    buffer.writeBuffer(&bytes)
  }

  /// The next message without its terminator, or `nil` if it is not complete yet.
  package mutating func next() throws(VarlinkProtocolError) -> ByteBuffer? {
    let view = buffer.readableBytesView.dropFirst(scanned)
    guard let end = view.firstIndex(of: 0) else {
      scanned = buffer.readableBytes
      guard scanned <= messageBytesMax else { throw VarlinkProtocolError("a message is longer than \(messageBytesMax) bytes") }
      return nil
    }
    let length = end - buffer.readerIndex
    guard length <= messageBytesMax else { throw VarlinkProtocolError("a message is longer than \(messageBytesMax) bytes") }
    let message = buffer.readSlice(length: length)
    buffer.moveReaderIndex(forwardBy: 1)
    scanned = 0
    // Moving the rest to the front costs a copy, so it is done only when more was read than is left.
    if buffer.readableBytes == 0 {
      buffer.clear()
    } else if buffer.readerIndex > buffer.readableBytes {
      buffer.discardReadBytes()
    }
    return message
  }
}
