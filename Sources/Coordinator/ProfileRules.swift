internal import Channels
internal import Foundation
internal import StrictJSON

/// The rules for profiles of channels.
enum ProfileRules {
  /// The profile in normal form.
  /// - Parameter known: A profile that was valid by the rules of its time. Its name may be kept.
  /// - Throws: `invalidDisplayName`, `invalidProfile` or `invalidImage`.
  static func validated(_ given: Profile, after known: Profile? = nil) throws(BatonError) -> Profile {
    var profile = given
    let isKnown = given.displayName == known?.displayName
    profile.displayName = if isKnown, let known { known.displayName } else { try name(given.displayName) }
    if let fullName = profile.fullName, fullName.count > Profile.fullNameCharactersMax {
      throw .invalidProfile(field: "fullName", reason: "it has more than \(Profile.fullNameCharactersMax) characters")
    }
    if let description = profile.description, description.utf8.count > Profile.descriptionBytesMax {
      throw .invalidProfile(field: "description", reason: "it has more than \(Profile.descriptionBytesMax) bytes")
    }
    for (field, text) in [("fullName", profile.fullName), ("description", profile.description)] {
      if let text, text.unicodeScalars.contains(where: isForbidden) {
        throw .invalidProfile(field: field, reason: "it holds a control character")
      }
    }
    if let image = profile.image { try check(image: image) }
    return profile
  }

  /// The name in normal form.
  /// - Throws: `invalidDisplayName`.
  static func name(_ given: String) throws(BatonError) -> String {
    do {
      // Normalizing a text that is far too long would be wasted work, because it is refused anyway.
      let isShort = given.utf8.count <= 64 * DisplayName.charactersMax
      return try DisplayName.validated(isShort ? given.precomposedStringWithCanonicalMapping : given)
    } catch {
      throw .invalidDisplayName(reason: error.reason)
    }
  }

  /// Whether a character is forbidden in texts of several lines.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && scalar != "\n" && scalar != "\t" || scalar.value == 0x7F
  }

  /// The normal profile that is closest to texts of strangers, which may have any length.
  /// - Parameter fallback: the name if their name cannot be shown.
  static func closest(name: String, about: String, or fallback: String) -> Profile {
    // Normalizing a text that is far too long would be wasted work.
    let short = name.cut(toBytes: 64 * DisplayName.charactersMax)
    let shown = String(String.UnicodeScalarView(about.unicodeScalars.lazy.filter { !isForbidden($0) }))
      .cut(toBytes: Profile.descriptionBytesMax)
    return Profile(
      displayName: DisplayName.closest(to: short.precomposedStringWithCanonicalMapping) ?? fallback,
      description: shown.isEmpty ? nil : shown)
  }

  static func check(preferences: JSONValue?, custom: JSONValue?) throws(BatonError) {
    try check(preferences, "preferences", bytesMax: ChannelRequest.preferencesBytesMax)
    try check(custom, "custom", bytesMax: ChannelRequest.customBytesMax)
  }

  private static func check(_ value: JSONValue?, _ field: String, bytesMax: Int) throws(BatonError) {
    guard let value else { return }
    guard value.object != nil else { throw .invalidProfile(field: field, reason: "it must be an object") }
    guard !value.text.contains("\\u0000") else {
      throw .invalidProfile(field: field, reason: "it holds the character U+0000")
    }
    guard value.bytes.count <= bytesMax else {
      throw .invalidProfile(field: field, reason: "it has more than \(bytesMax) bytes")
    }
  }

  private static func check(image: String) throws(BatonError) {
    guard image.utf8.count <= Profile.imageBytesMax else {
      throw .invalidImage(
        reason:
          "the data URL has \(image.utf8.count) bytes, at most \(Profile.imageBytesMax) are allowed. Make the image smaller")
    }
    guard let (format, base64) = ImageFormat.parts(ofDataURL: image) else {
      throw .invalidImage(reason: "it must be a data URL of a PNG, JPEG or WebP image in base64")
    }
    guard let data = Data(base64Encoded: String(base64)) else {
      throw .invalidImage(reason: "its base64 is broken")
    }
    do {
      try format.check(Array(data))
    } catch {
      throw .invalidImage(reason: error.reason)
    }
  }
}
