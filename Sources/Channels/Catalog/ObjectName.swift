/// The rules for the names of operators and relays, which people type to refer to them.
public enum ObjectName {
  public static let charactersMax = 100

  public struct Invalid: Error, Hashable, Sendable {
    /// A sentence that says what to change.
    public let reason: String
  }

  /// The name without surrounding white space, or what is wrong with it.
  public static func validated(_ text: String) throws(Invalid) -> String {
    var view = Substring(text).unicodeScalars
    while let first = view.first, first.properties.isWhitespace { view.removeFirst() }
    while let last = view.last, last.properties.isWhitespace { view.removeLast() }
    let name = String(view)
    guard !name.isEmpty else { throw Invalid(reason: "the name is empty") }
    guard name.count <= charactersMax, name.utf8.count <= 4 * charactersMax else {
      throw Invalid(reason: "the name has more than \(charactersMax) characters")
    }
    // Joiners are part of some writing systems and of emoji.
    for scalar in name.unicodeScalars where scalar != "\u{200C}" && scalar != "\u{200D}" {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
        throw Invalid(reason: "the name contains a character that cannot be shown")
      default: break
      }
    }
    guard !name.unicodeScalars.allSatisfy({ (0x30...0x39).contains($0.value) }) else {
      throw Invalid(reason: "the name is a number, which would be taken for an identifier")
    }
    return name
  }
}
