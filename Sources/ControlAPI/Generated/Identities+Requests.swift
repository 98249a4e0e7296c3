// Written by `make generate` from org.batond.Identities.varlink.

/// Parameters of org.batond.Identities.Get.
public struct IdentitiesGetRequest: Codable, Hashable, Sendable {
  /// Identifier of the identity.
  public var id: Int64?
  /// Name of the identity.
  public var name: String?

  public init(
    id: Int64? = nil,
    name: String? = nil
  ) {
    self.id = id
    self.name = name
  }
}

/// Parameters of org.batond.Identities.Add.
public struct IdentitiesAddRequest: Codable, Hashable, Sendable {
  /// Its name, 1 to 100 characters.
  public var name: String
  /// The protocol, nostr if absent.
  public var network: String?
  /// Name of a credential of the daemon (systemd's LoadCredential=) with the secret key, as nsec or in hexadecimal digits. A new key is
  /// drawn if absent.
  public var credential: String?

  public init(
    name: String,
    network: String? = nil,
    credential: String? = nil
  ) {
    self.name = name
    self.network = network
    self.credential = credential
  }
}

/// Parameters of org.batond.Identities.Remove.
public struct IdentitiesRemoveRequest: Codable, Hashable, Sendable {
  /// Identifier of the identity.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}
