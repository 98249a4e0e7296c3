// Written by `make generate` from org.batond.Operators.varlink.

/// Parameters of org.batond.Operators.Get.
public struct OperatorsGetRequest: Codable, Hashable, Sendable {
  /// Identifier of the operator.
  public var id: Int64?
  /// Name of the operator.
  public var name: String?

  public init(
    id: Int64? = nil,
    name: String? = nil
  ) {
    self.id = id
    self.name = name
  }
}

/// Parameters of org.batond.Operators.Remove.
public struct OperatorsRemoveRequest: Codable, Hashable, Sendable {
  /// Identifier of the operator.
  public var id: Int64
  /// Whether to remove its servers and relays as well. Channels keep relays that they have. False if absent.
  public var force: Bool?

  public init(
    id: Int64,
    force: Bool? = nil
  ) {
    self.id = id
    self.force = force
  }
}
