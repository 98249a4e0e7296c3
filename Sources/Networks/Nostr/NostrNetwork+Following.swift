public import Channels
internal import NIOConcurrencyHelpers
internal import NIOCore
public import RelayNetwork

// Reading the messages of channels.
extension NostrNetwork {
  public func follow(_ channel: FollowedChannel) {
    let before = followed.withLockedValue { $0.updateValue(channel, forKey: channel.id) }
    for (relay, address) in before?.relays ?? [:] where channel.relays[relay] != address {
      follower(relay)?.feed(.unfollow(channel.id))
    }
    tellFollowers(of: channel)
  }

  public func unfollow(_ channel: ChannelID) {
    let before = followed.withLockedValue { $0.removeValue(forKey: channel) }
    for relay in (before?.relays ?? [:]).keys { follower(relay)?.feed(.unfollow(channel)) }
  }

  public func took(_ batch: MessageBatch.ID) { follower(of: batch)?.feed(.took(batch.number)) }

  public func sync(_ channel: ChannelID) {
    guard let known = followed.withLockedValue({ $0[channel] }) else { return }
    for (relay, address) in known.relays {
      guard let session = follower(relay, address) else {
        // After its end, the network reports nothing about relays.
        guard (try? RelayURL(address)) == nil else { continue }
        report(.synced(channel: channel, relay: relay, .failed(Self.strangeAddress)))
        continue
      }
      session.feed(.sync(channel))
    }
  }

  public func lacks(_ missing: StoredNames, in inventory: MessageInventory) {
    follower(inventory.relay)?.feed(.lacks(missing, inventory.channel, number: inventory.number))
  }

  /// Reports messages that a relay has served. The other relays of the channel may hold deletions of it and reactions to it.
  func reportRead(_ what: NetworkReport) {
    report(what)
    guard case .read(let batch) = what, let relay = batch.relay else { return }
    let told = followed.withLockedValue { followed in
      batch.news.reduce(into: [RelayID: [MessageNews]]()) { told, item in
        guard item.what.hasMarks, let channel = followed[item.channel], channel.content.kind == .channel else { return }
        for other in channel.relays.keys where other != relay { told[other, default: []].append(item) }
      }
    }
    for (other, news) in told { follower(other)?.feed(.heard(news)) }
  }

  private static let strangeAddress = Trouble(.protocol, "the relay's address is not one of Nostr")
  private static let noDescription = Trouble(
    .unreachable, "it shows no description (NIP-11), so no one knows whether it searches")

  /// Asks only relays that offer search (NIP-50). Other relays ignore the words, and would serve anything.
  public func search(_ search: RelaySearch) {
    guard let known = followed.withLockedValue({ $0[search.channel] }) else { return }
    for (relay, address) in known.relays {
      let tell = { @Sendable [self] (outcome: RelaySearchOutcome) in
        report(.searched(channel: search.channel, relay: relay, number: search.number, outcome))
      }
      guard let url = try? RelayURL(address) else {
        tell(.failed(Self.strangeAddress))
        continue
      }
      // After its end, the network reports nothing about relays.
      guard let session = follower(relay, address) else { continue }
      dialer.information(of: url, on: group.next()).whenComplete { result in
        guard let information = (try? result.get()) ?? nil else { return tell(.failed(Self.noDescription)) }
        guard information.supportedNIPs.contains(50) else { return tell(.notOffered) }
        session.feed(.search(search))
      }
    }
  }

  private func tellFollowers(of channel: FollowedChannel) {
    let reading = ChannelReading(channel, identityKey: key(of: channel.content.identity)?.publicKey)
    for (relay, address) in channel.relays { follower(relay, address)?.feed(.follow(reading)) }
  }

  /// Continues with the channels of an identity, whose key is known now.
  func followAgain(_ identity: IdentityID) {
    let mine = followed.withLockedValue { $0.values.filter { $0.content.identity == identity } }
    for channel in mine { tellFollowers(of: channel) }
  }
}

extension MessageNews.What {
  /// Whether other news may be about it.
  fileprivate var hasMarks: Bool {
    switch self {
    case .message, .reaction: true
    case .edited, .deleted, .removed, .profile, .joinRequest, .members, .memberCount: false
    }
  }
}
