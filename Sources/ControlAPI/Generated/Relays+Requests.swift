// Written by `make generate` from org.batond.Relays.varlink.

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

/// Parameters of org.batond.Relays.Remove.
public struct RelaysRemoveRequest: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var id: Int64
  /// Whether to remove it even if channels use it. They keep it. False if absent.
  public var force: Bool?

  public init(
    id: Int64,
    force: Bool? = nil
  ) {
    self.id = id
    self.force = force
  }
}
