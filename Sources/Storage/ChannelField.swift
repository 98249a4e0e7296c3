internal import Filters

/// A field of a channel that storage can filter and sort by. Only the daemon knows the other fields that clients see.
public enum ChannelField: Hashable, Sendable {
  case id, edition, revision, wantedRelays, heal
  /// Whether the channel is owned, not followed.
  case isOwned
  /// Whether readers can join by the link: the channel lives, and a relay serves it.
  case isLinkUsable
  case kind, network, identity
  /// Which key signs. Absent where the network keeps the keys.
  case key
  /// The phase, as `PhaseCounts` derives it.
  case phase
  case createdAt, updatedAt
  /// When the newest post that was not deleted was created. Absent without such a post.
  case lastPostAt
  case displayName, fullName, description, image
  /// Decisions about the channel by the people who run it.
  case isMuted, isPinned, isFrozen, truncatedAt
  /// How its messages are read. Absent where the settings for all channels apply.
  case isFollowed, followDays, followCount, followKeep
  /// The figures of its conversation. A channel without one has nothing unread.
  case isHidden, unread, unreadMentions
  /// How many people belong to it. Absent where its network does not report that.
  case memberCount
  /// When its last message was written. Absent without messages.
  case lastMessageAt
  /// The value at a path of names in the custom data. The path is never empty.
  case custom([String])
  /// The value at a path of names in the preferences of the profile. The path is never empty.
  case preferences([String])

  /// - Parameter path: the names under which clients see the field.
  /// - Returns: `nil` for fields that only the daemon itself knows, and for names that some storage cannot quote.
  public init?(_ path: [String]) {
    if let field = Self.named[path] {
      self = field
      return
    }
    let rest: ArraySlice<String>
    switch (path.first, path.dropFirst().first) {
    case ("custom", _?):
      rest = path.dropFirst()
      self = .custom(Array(rest))
    case ("profile", "preferences") where path.count > 2:
      rest = path.dropFirst(2)
      self = .preferences(Array(rest))
    default: return nil
    }
    guard rest.allSatisfy(ListOrder.isPlain) else { return nil }
  }

  /// Whether it comes from the channel's messages, which each daemon reads into its own database.
  package var isOfMessages: Bool {
    switch self {
    case .isHidden, .unread, .unreadMentions, .memberCount, .lastMessageAt: true
    default: false
    }
  }

  /// - Parameter key: names with dots between them, as in a filter after `custom.`.
  /// - Returns: `nil` if one of the names is empty, or some storage cannot quote it.
  public init?(customKey key: String) {
    self.init(["custom"] + key.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// Whether channels can be sorted by this path of names.
  public static func canSort(by path: [String]) -> Bool { Self(path) != nil }

  /// The fields with fixed names, by their path.
  package static let named: [[String]: ChannelField] = [
    ["id"]: .id, ["edition"]: .edition, ["revision"]: .revision, ["wantedRelays"]: .wantedRelays, ["heal"]: .heal,
    ["linkUsable"]: .isLinkUsable, ["kind"]: .kind, ["network"]: .network, ["identity"]: .identity, ["key"]: .key,
    ["followed"]: .isFollowed, ["followDays"]: .followDays, ["followCount"]: .followCount, ["followKeep"]: .followKeep,
    ["owned"]: .isOwned,
    ["muted"]: .isMuted, ["pinned"]: .isPinned, ["frozen"]: .isFrozen, ["truncatedAt"]: .truncatedAt,
    ["hidden"]: .isHidden,
    ["unread"]: .unread, ["unreadMentions"]: .unreadMentions, ["lastMessageAt"]: .lastMessageAt,
    ["memberCount"]: .memberCount,
    ["phase"]: .phase, ["createdAt"]: .createdAt, ["updatedAt"]: .updatedAt, ["lastPostAt"]: .lastPostAt,
    ["profile", "displayName"]: .displayName,
    ["profile", "fullName"]: .fullName, ["profile", "description"]: .description, ["profile", "image"]: .image,
  ]
}
