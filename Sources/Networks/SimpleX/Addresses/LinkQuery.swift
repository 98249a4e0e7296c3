/// The query of a link: `name=value&name=value`.
struct LinkQuery {
  /// A value with percent-encoding removed, and with the place of each byte.
  struct Value {
    let bytes: [UInt8]
    /// The offsets, one more than `bytes`: the last one is the end of the value.
    let positions: [Int]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Passes the value to `parse` and reports its fault with its place in the link.
    func read<Result>(_ parse: (ArraySlice<UInt8>) throws(AddressFault) -> Result) throws(AddressFault) -> Result {
      do throws(AddressFault) {
        return try parse(bytes[...])
      } catch {
        throw AddressFault(error.reason, at: error.position.map { positions[min($0, bytes.count)] })
      }
    }
  }

  private var values: [String: Value] = [:]

  /// - Parameter names: the known parameters. Others are refused, because the normal form could not keep them.
  init(_ bytes: ArraySlice<UInt8>, names: [String]) throws(AddressFault) {
    for part in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      let name = String(decoding: part[..<equals], as: UTF8.self)
      guard names.contains(name) else {
        throw AddressFault("the link may only have the parameters \(names.joined(separator: ", "))", at: part.startIndex)
      }
      guard values[name] == nil else { throw AddressFault("the parameter \(name) is there twice", at: part.startIndex) }
      guard equals + 1 < part.endIndex else { throw AddressFault("the parameter \(name) is empty", at: part.startIndex) }
      values[name] = try Self.decode(part[(equals + 1)...])
    }
  }

  /// The query of a link without parameters.
  init() {}

  subscript(name: String) -> Value? { values[name] }

  private static func decode(_ text: ArraySlice<UInt8>) throws(AddressFault) -> Value {
    var bytes: [UInt8] = []
    var positions: [Int] = []
    var index = text.startIndex
    while index < text.endIndex {
      positions.append(index)
      guard text[index] == UInt8(ascii: "%") else {
        bytes.append(text[index])
        index += 1
        continue
      }
      guard let byte = byte(text[(index + 1)...].prefix(2)) else {
        throw AddressFault("two hexadecimal digits must follow the '%'", at: index)
      }
      bytes.append(byte)
      index += 3
    }
    return Value(bytes: bytes, positions: positions + [text.endIndex])
  }

  /// The byte that two hexadecimal digits stand for.
  static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
    let text = String(decoding: digits, as: UTF8.self)
    return digits.count == 2 && text.allSatisfy({ $0.isASCII && $0.isHexDigit }) ? UInt8(text, radix: 16) : nil
  }

  /// Writes `text` as a value: everything but letters, digits and `-._~` (RFC 3986 §2.3) after a percent sign.
  static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      if Base64URL.value(of: byte) != nil || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~") {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
