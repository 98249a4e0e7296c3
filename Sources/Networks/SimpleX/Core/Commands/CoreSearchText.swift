/// A text by which a core finds groups among many (`/_groups`, docs/design/simplex.md#channels-in-a-core): it
/// stands in their names or descriptions.
///
/// The core puts the text in small letters, and what it searches too, but of the latter only the ASCII letters when its database is SQLite.
/// So a text holds no other letter that has a small form, and nothing that a database reads as an escape.
public struct CoreSearchText: Hashable, Sendable, CustomStringConvertible {
  /// Longer texts find nothing more exactly.
  static let charactersMax = 60

  /// As it stands in the command.
  public let text: String

  /// The longest piece of `text` that the core is sure to find in it; nil when there is none.
  public init?(in text: String) {
    let pieces = text.unicodeScalars.split { !Self.isSafe($0) }
      .map { piece in
        var trimmed = piece.drop { $0 == " " }
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed
      }
    guard let longest = pieces.max(by: { $0.count < $1.count }), !longest.isEmpty else { return nil }
    // What is cut may not end with a space: the core drops those.
    var scalars = String.UnicodeScalarView(longest.prefix(Self.charactersMax))
    while scalars.last == " " { scalars.removeLast() }
    self.text = String(scalars)
  }

  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    // After a space an `@` would name a contact.
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F && scalar != "@" && scalar != "\\" }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned: return false
    default: return scalar.properties.lowercaseMapping.unicodeScalars.elementsEqual([scalar])
    }
  }

  /// Nothing of what readers see goes into logs.
  public var description: String { "a text of \(text.count) characters" }
}
