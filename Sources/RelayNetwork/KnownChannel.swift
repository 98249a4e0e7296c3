public import Channels

/// The known facts about a channel to which a network refers by its own name.
public struct KnownChannel: Sendable {
  public let id: ChannelID
  public let content: ChannelContent
  /// The relays that serve it as far as is known, with their addresses.
  public let relays: [RelayID: String]
  /// The relays that were given up, but may still accept it late.
  public let lapsed: [RelayID: String]
  /// Whether it is one of our own. For someone else's channel, `relays` and `lapsed` are empty.
  public let isOwned: Bool
  /// Whether a relay serves it, or has served it.
  public let isEstablished: Bool

  public init(
    id: ChannelID, content: ChannelContent, relays: [RelayID: String], lapsed: [RelayID: String] = [:],
    isOwned: Bool = true, isEstablished: Bool = true
  ) {
    self.isOwned = isOwned
    self.isEstablished = isEstablished
    self.id = id
    self.content = content
    self.relays = relays
    self.lapsed = lapsed
  }
}
