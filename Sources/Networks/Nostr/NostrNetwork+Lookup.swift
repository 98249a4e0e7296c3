public import Channels
internal import Dialing
internal import NIOCore
public import RelayNetwork

// Channels that others run.
extension NostrNetwork {
  public func channel(fromLink text: String) throws(NetworkFailure) -> ChannelReference? {
    try ChannelReference(nostrLink: text)
  }

  public func look(
    for channel: ChannelReference, as identity: IdentityID, at address: String
  ) async throws(NetworkFailure) -> FoundChannel {
    guard let lines = lines(to: address) else { throw NetworkFailure("its address is not one of Nostr") }
    let events: [NostrEvent]
    do {
      events = try await ChannelLookup.events(matching: channel.filters, on: lines, within: limits).get()
    } catch {
      throw NetworkFailure((error as? PeerFailure)?.trouble.detail ?? "\(error)")
    }
    return try channel.channel(in: events, for: identity)
  }
}
