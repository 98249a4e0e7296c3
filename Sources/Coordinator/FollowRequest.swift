public import Channels

/// A request to follow a channel.
public struct FollowRequest: Hashable, Sendable {
  /// The link to the channel, as people pass it on.
  public var link: String
  /// The relays to read it from. `nil` means the link's relays that Baton has.
  public var relays: [RelayID]?
  /// Its local name. `nil` means the channel's own name.
  public var displayName: String?
  /// Whether it may be joined, on networks where only members read.
  public var join: Bool
  /// The identity to read as. Messages that name its key are mentions.
  public var identity: String?

  public init(
    link: String, relays: [RelayID]? = nil, displayName: String? = nil, identity: String? = nil, join: Bool = false
  ) {
    self.join = join
    self.link = link
    self.relays = relays
    self.displayName = displayName
    self.identity = identity
  }
}
