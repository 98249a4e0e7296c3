// Written by `make generate` from org.batond.Relays.varlink.

/// A reply of org.batond.Relays.List.
public struct RelaysListReply: Codable, Hashable, Sendable {
  /// The relays.
  public var relays: [Relay]
  /// Where the next page begins; absent on the last.
  public var nextCursor: String?
  /// The revision at which this is true.
  public var revision: Int64

  public init(
    relays: [Relay],
    nextCursor: String? = nil,
    revision: Int64
  ) {
    self.relays = relays
    self.nextCursor = nextCursor
    self.revision = revision
  }
}

/// A reply that is one `Relay`.
public struct RelayReply: Codable, Hashable, Sendable {
  /// The relay.
  public var relay: Relay

  public init(
    relay: Relay
  ) {
    self.relay = relay
  }
}
