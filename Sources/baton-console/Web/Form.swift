internal import Foundation

/// The fields of a form or of a page's address: names with values, as browsers send them (application/x-www-form-urlencoded, URL standard).
struct Form: Equatable, Sendable {
  /// Texts that no browser sends and no page needs.
  enum Refusal: Error, Hashable {
    /// A percent sign without two hexadecimal digits, or bytes that are not UTF-8.
    case malformed
    /// More names than a form may have.
    case tooLarge
  }

  /// The largest number of fields in a form. Lists of relays are the longest.
  static let fieldsMax = 256

  private(set) var fields: [(name: String, value: String)] = []

  init() {}

  init(_ text: some StringProtocol) throws(Refusal) {
    let parts = Substring(text).split(separator: "&", maxSplits: Self.fieldsMax)
    guard parts.count <= Self.fieldsMax else { throw .tooLarge }
    for part in parts {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      fields.append((try Self.decoded(sides[0]), sides.count > 1 ? try Self.decoded(sides[1]) : ""))
    }
  }

  static func == (left: Form, right: Form) -> Bool {
    left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
  }

  /// The first value of a name, or `nil` without one.
  subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The first value of a name without spaces around it, or `nil` if it is absent or consists only of spaces.
  func text(_ name: String) -> String? {
    guard let value = self[name] else { return nil }
    let inner = value.drop(while: \.isWhitespace)
    guard let last = inner.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(inner[...last])
  }

  func number(_ name: String) -> Int64? { self[name].flatMap { Int64($0) } }

  /// All values of a name that are not empty.
  func all(_ name: String) -> [String] { fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

  /// This form with one value for a name, which replaces its values, or without the name if the value is `nil`.
  func with(_ name: String, _ value: String?) -> Form {
    var form = self
    form.fields.removeAll { $0.name == name }
    if let value { form.fields.append((name, value)) }
    return form
  }

  /// The fields as part of an address, beginning with `?`. Empty without values.
  var query: String {
    let kept = fields.filter { !$0.value.isEmpty }
    guard !kept.isEmpty else { return "" }
    return "?" + kept.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
  }

  /// Choices such as `relay=3`, without texts that someone typed.
  var choices: [String] {
    let names: Set = ["relay", "replace", "pick", "enabled", "level", "id"]
    return fields.filter { names.contains($0.name) }.prefix(8).compactMap { field in
      let isWord = field.value.utf8.count <= 32 && field.value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      return isWord ? "\(field.name)=\(field.value)" : nil
    }
  }

  /// Whether it has one effect even if it is sent repeatedly: it has a key, or names the edition that it changes.
  var canRepeat: Bool { self["key"] != nil || self["edition"] != nil }

  private static func decoded(_ text: Substring) throws(Refusal) -> String {
    guard let decoded = text.replacing("+", with: " ").removingPercentEncoding else { throw .malformed }
    return decoded
  }

  /// Characters that addresses contain unescaped (RFC 3986, section 2.3).
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// A text escaped for an address.
  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
