/// What a form or the address of a page says: names with values, as browsers send them (application/x-www-form-urlencoded, URL standard).
struct Form: Hashable, Sendable {
  /// Texts that no browser sends and no page asks for.
  enum Refusal: Error, Hashable {
    /// A percent sign without two hexadecimal digits, or bytes that are not UTF-8.
    case malformed
    /// More names than a form may have.
    case tooLarge
  }

  /// Names that a form may have; lists of relays are the longest.
  static let fieldsMax = 256

  private(set) var fields: [(name: String, value: String)] = []

  init() {}

  init(_ text: some StringProtocol) throws(Refusal) {
    let parts = text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.fieldsMax)
    guard parts.count <= Self.fieldsMax else { throw .tooLarge }
    for part in parts {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      fields.append((try Self.decoded(sides[0]), sides.count > 1 ? try Self.decoded(sides[1]) : ""))
    }
  }

  static func == (left: Form, right: Form) -> Bool {
    left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
  }

  func hash(into hasher: inout Hasher) {
    for field in fields {
      hasher.combine(field.name)
      hasher.combine(field.value)
    }
  }

  /// The first value of a name; `nil` if there is none.
  subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The first value of a name without spaces around it; `nil` if there is none, or nothing but spaces.
  func text(_ name: String) -> String? {
    guard let value = self[name] else { return nil }
    let inner = value.drop(while: \.isWhitespace)
    guard let last = inner.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(inner[...last])
  }

  func number(_ name: String) -> Int64? { self[name].flatMap { Int64($0) } }

  /// All values of a name that are not empty.
  func all(_ name: String) -> [String] { fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

  /// This form with one value for a name, in the place of those that it has; without it if that is `nil`.
  func with(_ name: String, _ value: String?) -> Form {
    var form = self
    form.fields.removeAll { $0.name == name }
    if let value { form.fields.append((name, value)) }
    return form
  }

  /// As part of an address, with `?` in front; empty if there is nothing to say.
  var query: String {
    let kept = fields.filter { !$0.value.isEmpty }
    guard !kept.isEmpty else { return "" }
    return "?" + kept.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
  }

  private static func decoded(_ bytes: some Collection<UInt8>) throws(Refusal) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { throw .malformed }
        result.append(high << 4 | low)
      default: result.append(byte)
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else { throw .malformed }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// A text as it may stand in an address (RFC 3986, unreserved characters stay).
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}
