/// A text by which a core finds groups among many (`/_groups`, docs/design/simplex.md#channels-in-a-core): their
/// names or descriptions contain it.
///
/// The core converts the text, and the texts that it searches, to lower case, but in the latter only ASCII letters if its database is
/// SQLite. So this text contains no other letter that has a lower-case form, and nothing that a database reads as an escape.
public struct CoreSearchText: Hashable, Sendable, CustomStringConvertible {
  /// The largest length. Longer texts would not make the search more exact.
  static let charactersMax = 60

  /// The text as written in the command.
  public let text: String

  /// The longest piece of `text` that the core is certain to find in it, or `nil`.
  public init?(in text: String) {
    let pieces = text.unicodeScalars.split { !Self.isSafe($0) }
      .map { piece in
        var trimmed = piece.drop { $0 == " " }
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed
      }
    guard let longest = pieces.max(by: { $0.count < $1.count }), !longest.isEmpty else { return nil }
    // A cut piece must not end with a space: the core drops trailing spaces.
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

  /// Keeps the text out of logs, because it is part of a profile.
  public var description: String { "a text of \(text.count) characters" }
}
