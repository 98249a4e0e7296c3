/// The reason why bytes are not a hello.
struct MalformedHello: Error, Hashable, Sendable {
  /// The text after "the hello is malformed: ".
  let reason: String
}

/// Reads values from the front of a block, in the encoding of SMP and XFTP.
struct BlockReader {
  private var rest: ArraySlice<UInt8>

  /// The length of each block on the wire, in bytes.
  static let blockBytes = 16_384

  /// Opens a padded block: a length of two bytes, the content, padding.
  init(block: [UInt8]) throws(MalformedHello) {
    guard block.count == Self.blockBytes else {
      throw MalformedHello(reason: "it has \(block.count) of \(Self.blockBytes) bytes")
    }
    rest = block[...]
    let count = try Int(number("length of the content"))
    guard count <= rest.count else {
      throw MalformedHello(reason: "the content should have \(count) bytes, the block holds \(rest.count)")
    }
    rest = rest.prefix(count)
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte(_ name: String) throws(MalformedHello) -> UInt8 {
    guard let byte = rest.popFirst() else { throw MalformedHello(reason: "it ends before the \(name)") }
    return byte
  }

  mutating func number(_ name: String) throws(MalformedHello) -> UInt16 {
    let high = try byte(name)
    let low = try byte(name)
    return UInt16(high) << 8 | UInt16(low)
  }

  mutating func bytes(_ count: Int, _ name: String) throws(MalformedHello) -> [UInt8] {
    guard count <= rest.count else { throw MalformedHello(reason: "it ends within the \(name)") }
    defer { rest.removeFirst(count) }
    return Array(rest.prefix(count))
  }
}
