extension JSONValue {
  /// The value as compact JSON in UTF-8: keys sorted, `/` not escaped, so equal values give equal bytes.
  public var bytes: [UInt8] {
    var out: [UInt8] = []
    write(into: &out)
    return out
  }

  /// The value as compact JSON text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends the value as compact JSON.
  public func write(into out: inout [UInt8]) {
    // The writer takes the bytes over and gives them back: none are copied.
    var writer = JSONWriter(continuing: &out)
    writeJSON(to: &writer)
    swap(&out, &writer.bytes)
  }

  /// Appends `text` as a JSON string with the escapes that NIP-01 prescribes for event ids, which are also valid JSON:
  /// `\n \" \\ \r \t \b \f`, other control characters as `\u00xx` in lower case, everything else verbatim.
  public static func write(_ text: String, into out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { write($0, into: &out) }
    out.append(UInt8(ascii: "\""))
  }

  /// Appends what stands between the quotes. Most texts need no escapes and are copied in one piece.
  private static func write(_ text: UnsafeBufferPointer<UInt8>, into out: inout [UInt8]) {
    var start = 0
    for (index, byte) in text.enumerated() {
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      out.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
      escape(byte, into: &out)
      start = index + 1
    }
    out.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
  }

  /// Appends a byte that must be escaped in a string.
  private static func escape(_ byte: UInt8, into out: inout [UInt8]) {
    out.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x0A: out.append(UInt8(ascii: "n"))
    case 0x0D: out.append(UInt8(ascii: "r"))
    case 0x09: out.append(UInt8(ascii: "t"))
    case 0x08: out.append(UInt8(ascii: "b"))
    case 0x0C: out.append(UInt8(ascii: "f"))
    case 0..<0x20:
      out.append(contentsOf: "u00".utf8)
      out.append(hexDigits[Int(byte >> 4)])
      out.append(hexDigits[Int(byte & 15)])
    default: out.append(byte)
    }
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
