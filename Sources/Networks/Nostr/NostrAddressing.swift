public import Channels
public import RelayNetwork

/// Reads the addresses of Nostr relays.
public struct NostrAddressing: RelayAddressing {
  public let kind = NetworkKind.nostr

  public init() {}

  public func parse(address: String) throws(InvalidAddress) -> RelayAddress {
    let url = try RelayURL(address)
    return RelayAddress(text: url.text, displayHost: url.authority, host: url.host)
  }
}
