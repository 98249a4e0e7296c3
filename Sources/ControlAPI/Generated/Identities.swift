// Written by `make generate` from org.batond.Identities.varlink.

/// An owner of channels.
public struct Identity: Codable, Hashable, Sendable {
  /// Identifier, never reused.
  public var id: Int64
  /// Its name, unique on its network.
  public var name: String
  /// Its protocol.
  public var network: String
  /// Public key in the network's notation.
  public var publicKey: String
  /// Number of channels that it owns, or that are followed for it, without deleted ones.
  public var channels: Int
  /// Time of its creation or import, RFC 3339 in UTC.
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
