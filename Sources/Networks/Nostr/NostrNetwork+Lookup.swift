public import Channels
internal import Dialing
internal import NIOCore
public import RelayNetwork

// Someone else's channels.
extension NostrNetwork {
  public func channel(fromLink text: String) throws(NetworkFailure) -> ChannelReference? {
    try ChannelReference(nostrLink: text)
  }

  public func look(
    for channel: ChannelReference, as identity: IdentityID, at address: String
  ) async throws(NetworkFailure) -> FoundChannel {
    guard let lines = lines(to: address) else { throw NetworkFailure("its address is not one of Nostr") }
    do {
      var events = try await events(of: channel, on: lines)
      var channel = channel
      if channel.trustAnchor == nil, let first = try? channel.channel(in: events, for: identity) {
        // Now the key is known whose editions count. Other people's editions may have been served in their place.
        channel = channel.signed(by: first.content.trustAnchor)
        events += (try? await self.events(of: channel, on: lines)) ?? []
      }
      if let found = try? channel.channel(in: events, for: identity) { return found }
      if channel.kind == .group, let url = try? RelayURL(address),
        let information = try? await dialer.information(of: url, on: lines.eventLoop).get(),
        let group = channel.signed(asSaidBy: information)
      {
        channel = group
        events = try await self.events(of: channel, on: lines)
      }
      return try channel.channel(in: events, for: identity)
    } catch let failure as NetworkFailure {
      throw failure
    } catch {
      throw NetworkFailure((error as? PeerFailure)?.trouble.detail ?? "\(error)")
    }
  }

  /// Asks with one filter after the other, because some relays refuse several in one request, or heed only the first. The first filter
  /// brings the channel itself. If a relay does not answer the others, their part is not shown.
  private func events(of channel: ChannelReference, on lines: RelayLines) async throws -> [NostrEvent] {
    var events: [NostrEvent] = []
    for (index, filter) in channel.filters.enumerated() {
      let lookup = ChannelLookup(filter, on: lines, within: limits)
      events += index == 0 ? try await lookup.events() : (try? await lookup.events()) ?? []
    }
    return events
  }
}
