public import Channels
internal import NIOConcurrencyHelpers
public import RelayNetwork

// Reading what is said in channels.
extension NostrNetwork {
  public func follow(_ channel: FollowedChannel) {
    let before = followed.withLockedValue { $0.updateValue(channel, forKey: channel.id) }
    for (relay, address) in before?.relays ?? [:] where channel.relays[relay] != address {
      follower(relay)?.feed(.following(.unfollow(channel.id)))
    }
    tellFollowers(of: channel)
  }

  public func unfollow(_ channel: ChannelID) {
    let before = followed.withLockedValue { $0.removeValue(forKey: channel) }
    for relay in (before?.relays ?? [:]).keys { follower(relay)?.feed(.following(.unfollow(channel))) }
  }

  public func took(_ batch: MessageBatch.ID) { follower(of: batch)?.feed(.following(.took(batch.number))) }

  public func sync(_ channel: ChannelID) {
    guard let known = followed.withLockedValue({ $0[channel] }) else { return }
    for (relay, address) in known.relays {
      guard let session = follower(relay, address) else {
        // After its end, the network says nothing about relays.
        guard (try? RelayURL(address)) == nil else { continue }
        let trouble = Trouble(.protocol, "the relay's address is not one of Nostr")
        report(.synced(channel: channel, relay: relay, .failed(trouble)))
        continue
      }
      session.feed(.following(.sync(channel)))
    }
  }

  public func lacks(_ missing: [String], in inventory: MessageInventory) {
    follower(inventory.relay)?.feed(.following(.lacks(missing, inventory.channel, number: inventory.number)))
  }

  private func tellFollowers(of channel: FollowedChannel) {
    let reading = ChannelReading(channel, identityKey: key(of: channel.content.identity)?.publicKey)
    for (relay, address) in channel.relays { follower(relay, address)?.feed(.following(.follow(reading))) }
  }

  /// Goes on with the channels of an identity, whose key is known now.
  func followAgain(_ identity: IdentityID) {
    let mine = followed.withLockedValue { $0.values.filter { $0.content.identity == identity } }
    for channel in mine { tellFollowers(of: channel) }
  }
}
