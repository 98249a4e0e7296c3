public import Channels

/// A channel's name on its network. Groups of two relays may share a name.
public struct ChannelName: Hashable, Sendable {
  public var network: NetworkKind
  public var networkID: String

  public init(network: NetworkKind, networkID: String) { (self.network, self.networkID) = (network, networkID) }
}
