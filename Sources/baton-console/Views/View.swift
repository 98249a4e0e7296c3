internal import Mustache

/// The values that a template shows, by name. A missing name shows nothing. Only `page` is searched in outer views, so that a missing value
/// is never replaced by another object's.
struct View: Sendable, MustacheParent, ExpressibleByDictionaryLiteral {
  enum Part: Sendable {
    case text(String)
    case flag(Bool)
    case view(View)
    case views([View])

    /// A text, or nothing if it is absent or empty.
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

  /// A text for a page, between tags and within quotes. Its characters never become markup, whatever precedes or follows them. The
  /// library's own escaping works on characters as people see them. A character that joins the next one (U+0600) or the previous one
  /// (U+0301) would hide the other from it (docs/decisions/0047-the-console-is-a-program.md).
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

  /// The replacement of a character that would be markup.
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

  // The library requires this type.
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

/// A missing value, which ends the search for it.
private struct Absent: MustacheCustomRenderable {
  var renderText: String { "" }
  var isNull: Bool { true }
}
