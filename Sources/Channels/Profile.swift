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
  /// Upper bound of `description`, in UTF-8 bytes. It keeps the channel's event below the size that relays accept.
  public static let descriptionBytesMax = 2_000

  public init(displayName: String, fullName: String? = nil, description: String? = nil, image: String? = nil) {
    self.displayName = displayName
    self.fullName = fullName
    self.description = description
    self.image = image
  }
}

/// The rules for the name of a channel on every network. A network may have additional rules.
public enum DisplayName {
  public static let charactersMax = 50

  public struct Invalid: Error, Hashable, Sendable {
    /// A sentence about the necessary change.
    public let reason: String
  }

  /// The name in normal form, without white space around it and with single spaces inside, or its error. Lengths are counted in code
  /// points, as in SimpleX. The caller must have composed letters and their accents (Unicode's NFC).
  public static func validated(_ name: String) throws(Invalid) -> String {
    let name = VisibleName.normalized(name)
    let count = name.unicodeScalars.count
    guard count <= charactersMax else {
      throw Invalid(reason: "the name has \(count) characters, at most \(charactersMax) are allowed")
    }
    if let fault = VisibleName.fault(in: name) { throw Invalid(reason: fault) }
    return name
  }

  /// A name in normal form that is as like `name` as can be, or `nil` if nothing of it can be shown.
  /// - Parameter name: a stranger's text, of any length, with composed letters.
  public static func closest(to name: String) -> String? {
    // The rest would not be shown.
    let seen = VisibleName.seen(name.unicodeScalars.prefix(8 * charactersMax))
    let cut = VisibleName.normalized(String(String.UnicodeScalarView(seen))).unicodeScalars.prefix(charactersMax)
    // The joiners of characters that were cut off join nothing.
    return try? validated(String(String.UnicodeScalarView(VisibleName.seen(cut))))
  }
}
