internal import Mustache

/// What a template shows: values by name. A name that is not there shows nothing; only `page` is looked for further out, so that a value
/// of something else is never shown in the place of one that is missing.
struct View: Sendable, MustacheParent, ExpressibleByDictionaryLiteral {
  enum Part: Sendable {
    case text(String)
    case flag(Bool)
    case view(View)
    case views([View])

    /// A text, or nothing if there is none or it is empty.
    static func some(_ text: String?) -> Part? { text.flatMap { $0.isEmpty ? nil : .text($0) } }

    static func number(_ number: some BinaryInteger) -> Part { .text(String(number)) }
  }

  private var values: [String: Part] = [:]

  init(dictionaryLiteral elements: (String, Part?)...) {
    for (name, value) in elements { values[name] = value }
  }

  subscript(_ name: String) -> Part? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// This view with the values of another, which win.
  func merging(_ other: View) -> View {
    var view = self
    view.values.merge(other.values) { $1 }
    return view
  }

  /// A text as it may stand in a page, between tags and within quotes: whatever stands before or after such a character, it is not markup.
  /// The library's own escaping looks at characters as people see them, and one that joins what follows it (U+0600), or follows it
  /// (U+0301), hides what is joined (docs/decisions/0047-the-console-is-a-program.md).
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { reference($0) != nil }) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 2)
    for byte in text.utf8 {
      if let reference = reference(byte) {
        reference.withUTF8Buffer { bytes.append(contentsOf: $0) }
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What stands for a character that would be markup.
  private static func reference(_ byte: UInt8) -> StaticString? {
    switch byte {
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }

  // The type is what the library asks for.
  func child(named name: String) -> Any? {
    switch values[name] {
    case .text(let text): Self.escaped(text)
    case .flag(let flag): flag
    case .view(let view): view
    case .views(let views): views
    case nil: name == "page" ? nil : Absent()
    }
  }
}

extension View.Part: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral {
  init(stringLiteral text: String) { self = .text(text) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

/// A value that is not there, which ends the search for it.
private struct Absent: MustacheCustomRenderable {
  var renderText: String { "" }
  var isNull: Bool { true }
}
