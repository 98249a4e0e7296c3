public import Channels

/// A request to read a channel that others run.
public struct FollowRequest: Hashable, Sendable {
  /// The link to the channel, as people pass it on.
  public var link: String
  /// The relays from which it is read; those that the link names, as far as Baton has them, if it is `nil`.
  public var relays: [RelayID]?
  /// What it is called here; what it calls itself if it is `nil`.
  public var displayName: String?
  /// Whether it may be joined, on networks where only members read.
  public var join: Bool
  /// On whose behalf: messages that name this identity's key are mentions.
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
