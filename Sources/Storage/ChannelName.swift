public import Channels

/// What a channel is called on its network. Groups of two relays may have one name.
public struct ChannelName: Hashable, Sendable {
  public var network: NetworkKind
  public var networkID: String

  public init(network: NetworkKind, networkID: String) { (self.network, self.networkID) = (network, networkID) }
}
