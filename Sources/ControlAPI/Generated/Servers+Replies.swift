// Written by `make generate` from org.batond.Servers.varlink.

/// A reply of org.batond.Servers.List.
public struct ServersListReply: Codable, Hashable, Sendable {
  /// The servers.
  public var servers: [Server]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the reply corresponds.
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
