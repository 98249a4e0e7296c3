public import Channels
public import RelayNetwork

// Messages in channels.
extension SimpleXNetwork {
  public func follow(_ channel: FollowedChannel) { put(.follow(channel)) }
  public func unfollow(_ channel: ChannelID) { put(.unfollow(channel)) }
  public func took(_ batch: MessageBatch.ID) { if batch.network == kind { put(.taken(batch)) } }

  /// Reads the channel in the core, which does not list the contents of each relay: one answer counts for all relays of the channel.
  public func sync(_ channel: ChannelID) { put(.sync(channel)) }
}
