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
    switch self {
    case .null: out.append(contentsOf: "null".utf8)
    case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): out.append(contentsOf: String(value).utf8)
    case .number(let value): out.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): Self.write(value, into: &out)
    case .array(let elements):
      out.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        element.write(into: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let members):
      out.append(UInt8(ascii: "{"))
      var isFirst = true
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        Self.write(key, into: &out)
        out.append(UInt8(ascii: ":"))
        value.write(into: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Appends `text` as a JSON string with the escapes that NIP-01 prescribes for event ids, which are also valid JSON:
  /// `\n \" \\ \r \t \b \f`, other control characters as `\u00xx` in lower case, everything else verbatim.
  public static func write(_ text: String, into out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        out.append(UInt8(ascii: "\\"))
        out.append(byte)
      case 0x0A: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
      case 0x0D: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
      case 0x09: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
      case 0x08: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "b")])
      case 0x0C: out.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "f")])
      case 0..<0x20:
        out.append(contentsOf: "\\u00".utf8)
        out.append(hexDigits[Int(byte >> 4)])
        out.append(hexDigits[Int(byte & 15)])
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
