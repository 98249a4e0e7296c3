public import Channels

/// What a channel is called on its network.
public struct ChannelName: Hashable, Sendable {
  public var network: NetworkKind
  public var networkID: String
  /// The key whose signature readers check: groups of two relays may have one name.
  public var trustAnchor: String

  public init(network: NetworkKind, networkID: String, trustAnchor: String) {
    (self.network, self.networkID, self.trustAnchor) = (network, networkID, trustAnchor)
  }
}

extension ChannelRow {
  /// What it is called on its network.
  public var name: ChannelName { ChannelName(network: network, networkID: networkID, trustAnchor: trustAnchor) }
}
