internal import Filters

/// A field of a channel that storage knows by itself and can filter and sort by. The other fields that clients see are known to the daemon
/// alone.
public enum ChannelField: Hashable, Sendable {
  case id, edition, revision, wantedRelays, heal
  /// Whether it is one of Baton's own channels.
  case isOwned
  /// Whether readers can join by the link: the channel lives, and a relay serves it.
  case isLinkUsable
  case kind, network, identity
  /// Which key signs; absent where the network keeps the keys.
  case key
  /// The phase, as `PhaseCounts` derives it.
  case phase
  case createdAt, updatedAt
  /// When the newest post was created that was not deleted; absent where there is none.
  case lastPostAt
  case displayName, fullName, description, image
  /// What whoever runs the channel has decided about it.
  case isMuted, isPinned, isFrozen, truncatedAt
  /// How its messages are read; absent where that is the same for all channels.
  case isFollowed, followDays, followCount, followKeep
  /// What is known of its messages; where nothing is, there is nothing unread.
  case isHidden, unread, unreadMentions
  /// How many people belong to it; absent where its network does not say.
  case memberCount
  /// When its last message was written; absent where there is none.
  case lastMessageAt
  /// The value at a path of names in the custom data; the path is never empty.
  case custom([String])
  /// The value at a path of names in the preferences of the profile; the path is never empty.
  case preferences([String])

  /// - Parameter path: the names by which clients know the field.
  /// - Returns: `nil` for fields that only the daemon itself knows, and for names that not every storage can quote.
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

  /// Whether it is known of the channel's messages, which each daemon reads into a database of its own.
  package var isOfMessages: Bool {
    switch self {
    case .isHidden, .unread, .unreadMentions, .memberCount, .lastMessageAt: true
    default: false
    }
  }

  /// - Parameter key: names with dots between them, as in a filter after `custom.`.
  /// - Returns: `nil` if one of the names is empty, or not every storage can quote it.
  public init?(customKey key: String) {
    self.init(["custom"] + key.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// Whether channels have an order by this path of names.
  public static func canSort(by path: [String]) -> Bool { Self(path) != nil }

  /// The fields that have a name of their own, by their path.
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
