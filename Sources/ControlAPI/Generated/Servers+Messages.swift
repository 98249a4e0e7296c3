// Written by `make generate` from org.batond.Servers.varlink.

/// A reply of org.batond.Servers.List.
public struct ServersListReply: Codable, Hashable, Sendable {
  /// The servers.
  public var servers: [Server]
  /// Where the next page begins; absent on the last.
  public var nextCursor: String?
  /// The revision at which this is true.
  public var revision: Int64

  public init(
    servers: [Server],
    nextCursor: String? = nil,
    revision: Int64
  ) {
    self.servers = servers
    self.nextCursor = nextCursor
    self.revision = revision
  }
}

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

/// A reply that is one `Server`.
public struct ServerReply: Codable, Hashable, Sendable {
  /// The server.
  public var server: Server

  public init(
    server: Server
  ) {
    self.server = server
  }
}

/// Parameters of org.batond.Servers.Remove.
public struct ServersRemoveRequest: Codable, Hashable, Sendable {
  /// Identifier of the server.
  public var id: Int64
  /// Do it although it adds errors to the whole. False when absent.
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
  /// Identifier of a known server; its record keeps the verdict.
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
