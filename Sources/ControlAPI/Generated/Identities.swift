// Written by `make generate` from org.batond.Identities.varlink.

/// One who owns channels.
public struct Identity: Codable, Hashable, Sendable {
  /// Identifier, never reused.
  public var id: Int64
  /// Name, unique on its network.
  public var name: String
  /// The protocol that it lives on.
  public var network: String
  /// The public key in the network's notation.
  public var publicKey: String
  /// Channels that it owns, and those of others that are read for it; deleted ones left out.
  public var channels: Int
  /// When it was made or imported, RFC 3339 in UTC.
  public var createdAt: String

  public init(
    id: Int64,
    name: String,
    network: String,
    publicKey: String,
    channels: Int,
    createdAt: String
  ) {
    self.id = id
    self.name = name
    self.network = network
    self.publicKey = publicKey
    self.channels = channels
    self.createdAt = createdAt
  }
}
