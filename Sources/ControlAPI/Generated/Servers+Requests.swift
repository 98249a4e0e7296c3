// Written by `make generate` from org.batond.Servers.varlink.

/// Parameters of org.batond.Servers.Get.
public struct ServersGetRequest: Codable, Hashable, Sendable {
  /// Identifier of the server.
  public var id: Int64?
  /// Its address, or one of its hosts.
  public var name: String?

  public init(
    id: Int64? = nil,
    name: String? = nil
  ) {
    self.id = id
    self.name = name
  }
}

/// Parameters of org.batond.Servers.Remove.
public struct ServersRemoveRequest: Codable, Hashable, Sendable {
  /// Identifier of the server.
  public var id: Int64
  /// Whether to ignore new errors. False if absent.
  public var force: Bool?

  public init(
    id: Int64,
    force: Bool? = nil
  ) {
    self.id = id
    self.force = force
  }
}

/// Parameters of org.batond.Servers.Test.
public struct ServersTestRequest: Codable, Hashable, Sendable {
  /// Identifier of a known server, which stores the verdict.
  public var id: Int64?
  /// An address instead, known or not.
  public var address: String?

  public init(
    id: Int64? = nil,
    address: String? = nil
  ) {
    self.id = id
    self.address = address
  }
}
