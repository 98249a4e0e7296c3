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

/// Parameters of org.batond.Relays.Get.
public struct RelaysGetRequest: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var id: Int64?
  /// Name of the relay.
  public var name: String?

  public init(
    id: Int64? = nil,
    name: String? = nil
  ) {
    self.id = id
    self.name = name
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

/// Parameters of org.batond.Relays.Remove.
public struct RelaysRemoveRequest: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var id: Int64
  /// Remove it although channels use it; they keep it. False when absent.
  public var force: Bool?

  public init(
    id: Int64,
    force: Bool? = nil
  ) {
    self.id = id
    self.force = force
  }
}
