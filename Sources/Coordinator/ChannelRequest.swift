public import Channels
public import StrictJSON

/// What an operator asks for with `Channels.Create`.
public struct ChannelRequest: Hashable, Sendable {
  public var kind: ChannelKind
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
    kind: ChannelKind = .channel, profile: Profile, preferences: JSONValue? = nil, network: NetworkKind? = nil,
    identity: String? = nil,
    relays: [RelayID]? = nil, pick: Int? = nil, heal: Bool = true, custom: JSONValue? = nil, idempotencyKey: String? = nil
  ) {
    self.kind = kind
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
    let profile = try ProfileRules.validated(profile)
    try ProfileRules.check(preferences: preferences, custom: custom)
    if let key = idempotencyKey {
      guard (1...Self.idempotencyKeyBytesMax).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw .invalidProfile(
          field: "idempotencyKey",
          reason: "it must have 1 to \(Self.idempotencyKeyBytesMax) bytes and no control characters")
      }
    }
    return profile
  }
}
