/// The profile of a channel, which readers see.
public struct Profile: Hashable, Sendable {
  /// The name, as `DisplayName.validated` returned it.
  public var displayName: String
  public var fullName: String?
  public var description: String?
  /// The image as a data URL of at most `imageBytesMax` bytes.
  public var image: String?

  /// Upper bound of `image`, in bytes of the data URL.
  public static let imageBytesMax = 12_500
  /// Upper bound of `fullName`, in characters.
  public static let fullNameCharactersMax = 160
  /// Upper bound of `description`, in UTF-8 bytes; it keeps the channel's event below the size that relays accept.
  public static let descriptionBytesMax = 2_000

  public init(displayName: String, fullName: String? = nil, description: String? = nil, image: String? = nil) {
    self.displayName = displayName
    self.fullName = fullName
    self.description = description
    self.image = image
  }
}

/// The rules for the name of a channel on every network (SimpleX 7.0, `validDisplayName`). A network may have additional rules.
public enum DisplayName {
  public static let charactersMax = 50

  public struct Invalid: Error, Hashable, Sendable {
    /// A sentence that says what to change.
    public let reason: String
  }

  /// The name in normal form, without white space around it and with single spaces inside, or what is wrong with it. Lengths are
  /// counted in code points, as in SimpleX; the caller must have composed letters and their accents (Unicode's NFC).
  public static func validated(_ name: String) throws(Invalid) -> String {
    let trimmed = normalized(name)
    guard let first = trimmed.unicodeScalars.first else { throw Invalid(reason: "the name is empty") }
    let count = trimmed.unicodeScalars.count
    guard count <= charactersMax else {
      throw Invalid(reason: "the name has \(count) characters, at most \(charactersMax) are allowed")
    }
    guard isStart(first) else {
      throw Invalid(reason: "the name must start with a letter, a digit or a symbol")
    }
    for scalar in trimmed.unicodeScalars {
      if forbidden.contains(scalar) { throw Invalid(reason: "the name may not contain \(scalar)") }
      switch scalar.properties.generalCategory {
      case .control, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
        throw Invalid(reason: "the name contains a character that cannot be shown")
      default: break
      }
      if isDirectional(scalar) { throw Invalid(reason: "the name contains a character that changes the writing direction") }
    }
    return trimmed
  }

  /// A name in normal form that is as like `name` as can be; `nil` if nothing of it can be shown.
  /// - Parameter name: what a stranger wrote, of any length, with composed letters.
  public static func closest(to name: String) -> String? {
    var scalars = String.UnicodeScalarView()
    // The rest would not be shown.
    for scalar in name.unicodeScalars.prefix(8 * charactersMax) {
      if scalars.isEmpty, !isStart(scalar) { continue }
      let isShown = !forbidden.contains(scalar) && !isDirectional(scalar) && (try? validated("a" + String(scalar))) != nil
      scalars.append(isShown ? scalar : " ")
    }
    let cut = normalized(String(scalars)).unicodeScalars.prefix(charactersMax)
    return try? validated(String(String.UnicodeScalarView(cut)))
  }

  private static let forbidden = Set(".,;/\\#@'\"`~".unicodeScalars)

  private static func normalized(_ name: String) -> String {
    let words = name.unicodeScalars.split { scalar in
      // Control characters are refused, not replaced.
      scalar.properties.isWhitespace && scalar.properties.generalCategory == .spaceSeparator || scalar == "\t"
    }
    return words.map { String($0) }.joined(separator: " ")
  }

  private static func isStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
      .otherNumber, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
      true
    default: false
    }
  }

  private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }
}
