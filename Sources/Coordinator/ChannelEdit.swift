public import Channels
public import Storage
public import StrictJSON

/// An operator's request to change a channel. `nil` fields are unchanged.
public struct ChannelEdit: Hashable, Sendable {
  public var displayName: String?
  /// An empty text clears the field.
  public var fullName: String?
  /// An empty text clears the field.
  public var description: String?
  /// An empty text clears the field.
  public var image: String?
  /// Replaces all preferences.
  public var preferences: JSONValue?
  public var heal: Bool?
  /// Replaces all custom data.
  public var custom: JSONValue?
  public var isMuted: Bool?
  public var isPinned: Bool?
  public var isFrozen: Bool?
  public var following: FollowingChoice?
  /// Messages of that time or earlier are no longer shown. A time before the stored one changes nothing.
  public var truncatedAt: Timestamp?
  /// The revision of the channel that the edit is based on. `nil` if it does not matter.
  public var revision: Int64?

  public init(
    displayName: String? = nil, fullName: String? = nil, description: String? = nil, image: String? = nil,
    preferences: JSONValue? = nil, heal: Bool? = nil, custom: JSONValue? = nil, isMuted: Bool? = nil, isPinned: Bool? = nil,
    isFrozen: Bool? = nil, truncatedAt: Timestamp? = nil, following: FollowingChoice? = nil, revision: Int64? = nil
  ) {
    self.following = following
    (self.isMuted, self.isPinned, self.isFrozen, self.truncatedAt) = (isMuted, isPinned, isFrozen, truncatedAt)
    self.displayName = displayName
    self.fullName = fullName
    self.description = description
    self.image = image
    self.preferences = preferences
    self.heal = heal
    self.custom = custom
    self.revision = revision
  }

  /// Whether it changes only local properties, such as the local name. Only these can be changed for a followed channel.
  var isForOurselves: Bool {
    fullName == nil && description == nil && image == nil && preferences == nil && heal == nil && isFrozen == nil
      // To stop reading a followed channel is to unfollow it.
      && following?.isOn != false
  }

  /// `row` with the edit applied.
  func applied(to row: ChannelRow) throws(BatonError) -> ChannelRow {
    func text(_ new: String?, _ old: String?) -> String? { new.map { $0.isEmpty ? nil : $0 } ?? old }
    var row = row
    row.profile = try ProfileRules.validated(
      Profile(
        displayName: displayName ?? row.profile.displayName, fullName: text(fullName, row.profile.fullName),
        description: text(description, row.profile.description), image: text(image, row.profile.image)),
      after: row.profile)
    try ProfileRules.check(preferences: preferences, custom: custom)
    if let preferences { row.preferences = preferences }
    if let custom { row.custom = custom }
    if let heal { row.heal = heal && row.kind == .channel }
    row.marks.isMuted = isMuted ?? row.marks.isMuted
    row.marks.isPinned = isPinned ?? row.marks.isPinned
    row.marks.isFrozen = isFrozen ?? row.marks.isFrozen
    row.marks.following = following ?? row.marks.following
    if let truncatedAt { row.marks.truncatedAt = max(truncatedAt, row.marks.truncatedAt ?? truncatedAt) }
    return row
  }
}
