public import Channels
internal import Foundation
public import StrictJSON

/// What an operator asks for with `Channels.Create`.
public struct ChannelRequest: Hashable, Sendable {
  public var profile: Profile
  public var preferences: JSONValue?
  public var network: NetworkKind?
  public var identity: String?
  public var relays: [RelayID]?
  public var pick: Int?
  public var heal: Bool
  public var custom: JSONValue?
  public var idempotencyKey: String?

  /// Relays that are picked when nothing else is said.
  public static let pickDefault = 3
  /// Relays that one channel may start with.
  public static let relaysMax = 32
  /// Upper bound of `custom`, in bytes of JSON.
  public static let customBytesMax = 16 << 10
  /// Upper bound of `idempotencyKey`, in bytes.
  public static let idempotencyKeyBytesMax = 200

  public init(
    profile: Profile, preferences: JSONValue? = nil, network: NetworkKind? = nil, identity: String? = nil,
    relays: [RelayID]? = nil, pick: Int? = nil, heal: Bool = true, custom: JSONValue? = nil, idempotencyKey: String? = nil
  ) {
    self.profile = profile
    self.preferences = preferences
    self.network = network
    self.identity = identity
    self.relays = relays
    self.pick = pick
    self.heal = heal
    self.custom = custom
    self.idempotencyKey = idempotencyKey
  }

  /// Upper bound of `preferences`, in bytes of JSON.
  public static let preferencesBytesMax = 16 << 10

  /// The preferences as they will be stored: readers who come later see what was there before, unless the request says otherwise
  /// (SimpleX 7.0, the default of channels).
  var completePreferences: JSONValue {
    var members = preferences?.object ?? [:]
    if members["history"] == nil { members["history"] = "on" }
    return .object(members)
  }

  /// The profile as it will be stored.
  /// - Throws: `invalidDisplayName`, `invalidProfile` or `invalidImage`.
  func validatedProfile() throws(BatonError) -> Profile {
    var profile = profile
    do {
      profile.displayName = try DisplayName.validated(profile.displayName)
    } catch {
      throw .invalidDisplayName(reason: error.reason)
    }
    if let fullName = profile.fullName, fullName.count > Profile.fullNameCharactersMax {
      throw .invalidProfile(field: "fullName", reason: "it has more than \(Profile.fullNameCharactersMax) characters")
    }
    if let description = profile.description, description.utf8.count > Profile.descriptionBytesMax {
      throw .invalidProfile(field: "description", reason: "it has more than \(Profile.descriptionBytesMax) bytes")
    }
    for (field, text) in [("fullName", profile.fullName), ("description", profile.description)] {
      if let text, text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" && $0 != "\t" || $0.value == 0x7F }) {
        throw .invalidProfile(field: field, reason: "it holds a control character")
      }
    }
    if let image = profile.image { try Self.check(image: image) }
    if let preferences {
      guard preferences.object != nil else { throw .invalidProfile(field: "preferences", reason: "it must be an object") }
      guard preferences.bytes.count <= Self.preferencesBytesMax else {
        throw .invalidProfile(field: "preferences", reason: "it has more than \(Self.preferencesBytesMax) bytes")
      }
    }
    if let custom, custom.object == nil { throw .invalidProfile(field: "custom", reason: "it must be an object") }
    if let custom, custom.bytes.count > Self.customBytesMax {
      throw .invalidProfile(field: "custom", reason: "it has more than \(Self.customBytesMax) bytes")
    }
    if let key = idempotencyKey {
      guard (1...Self.idempotencyKeyBytesMax).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw .invalidProfile(
          field: "idempotencyKey",
          reason: "it must have 1 to \(Self.idempotencyKeyBytesMax) bytes and no control characters")
      }
    }
    return profile
  }

  private static func check(image: String) throws(BatonError) {
    guard image.utf8.count <= Profile.imageBytesMax else {
      throw .invalidImage(
        reason:
          "the data URL has \(image.utf8.count) bytes, at most \(Profile.imageBytesMax) are allowed; make the image smaller")
    }
    let names = ["image/png": ImageFormat.png, "image/jpeg": .jpeg, "image/jpg": .jpeg, "image/webp": .webp]
    guard image.hasPrefix("data:"), let end = image.firstRange(of: ";base64,"),
      let format = names[String(image[image.index(image.startIndex, offsetBy: 5)..<end.lowerBound])]
    else { throw .invalidImage(reason: "it must be a data URL of a PNG, JPEG or WebP image in base64") }
    guard let data = Data(base64Encoded: String(image[end.upperBound...])) else {
      throw .invalidImage(reason: "its base64 is broken")
    }
    do {
      try format.check(Array(data))
    } catch {
      throw .invalidImage(reason: error.reason)
    }
  }
}
