public import Channels
internal import Storage
public import StrictJSON

/// An operator's request with `Channels.Create`.
public struct ChannelRequest: Hashable, Sendable {
  public var kind: ChannelKind
  /// The actions that only members of a group may do.
  public var access: Set<GroupAccess>
  public var profile: Profile
  public var preferences: JSONValue?
  public var network: NetworkKind?
  public var identity: String?
  /// The key that signs on Nostr. `nil` means the channel's own key, unless a relay accepts only known authors.
  public var key: ChannelKey?
  public var relays: [RelayID]?
  public var pick: Int?
  public var heal: Bool
  public var custom: JSONValue?
  public var idempotencyKey: String?

  /// The number of relays that are picked by default.
  public static let pickDefault = 3
  /// The maximum number of relays of a new channel.
  public static let relaysMax = 32
  /// The maximum number of people for whom a group can be created.
  public static let membersMax = 100
  /// Upper bound of `custom`, in bytes of JSON.
  public static let customBytesMax = 16 << 10
  /// Upper bound of `idempotencyKey`, in bytes.
  public static let idempotencyKeyBytesMax = 200

  public init(
    kind: ChannelKind = .channel, access: Set<GroupAccess> = [], profile: Profile, preferences: JSONValue? = nil,
    network: NetworkKind? = nil, identity: String? = nil, key: ChannelKey? = nil,
    relays: [RelayID]? = nil, pick: Int? = nil, heal: Bool = true, custom: JSONValue? = nil, idempotencyKey: String? = nil
  ) {
    self.kind = kind
    self.access = access
    self.profile = profile
    self.preferences = preferences
    self.network = network
    self.identity = identity
    self.key = key
    self.relays = relays
    self.pick = pick
    self.heal = heal
    self.custom = custom
    self.idempotencyKey = idempotencyKey
  }

  /// Upper bound of `preferences`, in bytes of JSON.
  public static let preferencesBytesMax = 16 << 10

  /// The preferences as they will be stored: later readers see the history, unless the request has another value (SimpleX 7.0, the default
  /// of channels).
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

  /// A digest of the request. Equal for equal requests, so that another request with the same key is noticed.
  /// - Parameter profile: the profile as it will be stored.
  func digest(_ profile: Profile) -> String {
    var members: [String: JSONValue] = [
      "kind": .string(kind.rawValue), "identity": .string(identity ?? Coordinator.mainIdentity), "heal": .bool(heal),
      "displayName": .string(profile.displayName),
    ]
    members["fullName"] = profile.fullName.map(JSONValue.string)
    members["description"] = profile.description.map(JSONValue.string)
    members["image"] = profile.image.map(JSONValue.string)
    members["preferences"] = preferences
    members["network"] = network.map { .string($0.rawValue) }
    if let relays, !relays.isEmpty { members["relays"] = .array(relays.map { .integer($0.rawValue) }) }
    members["pick"] = pick.map { .integer(Int64($0)) }
    members["custom"] = custom
    members["key"] = key.map { .string($0.rawValue) }
    if !access.isEmpty { members["access"] = .array(access.map(\.rawValue).sorted().map(JSONValue.string)) }
    return ContentDigest.of(JSONValue.object(members).bytes)
  }
}

extension ChannelRow {
  /// Why a request with the key of this channel cannot be answered with it. `nil` if it can.
  /// - Parameter digest: the digest of the request.
  func conflict(with digest: String) -> BatonError? {
    if deletedAt != nil { return .idempotencyKeyReused(id, isDeleted: true) }
    // Channels from before digests were stored have no known request.
    return requestDigest ?? digest == digest ? nil : .idempotencyKeyReused(id, isDeleted: false)
  }
}
