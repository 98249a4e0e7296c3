// Written by `make generate` from org.batond.Identities.varlink.

/// A reply of org.batond.Identities.List.
public struct IdentitiesListReply: Codable, Hashable, Sendable {
  /// The identities.
  public var identities: [Identity]
  /// Where the next page begins; absent on the last.
  public var nextCursor: String?
  /// The revision at which this is true.
  public var revision: Int64

  public init(
    identities: [Identity],
    nextCursor: String? = nil,
    revision: Int64
  ) {
    self.identities = identities
    self.nextCursor = nextCursor
    self.revision = revision
  }
}

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

/// A reply that is one `Identity`.
public struct IdentityReply: Codable, Hashable, Sendable {
  /// The identity.
  public var identity: Identity

  public init(
    identity: Identity
  ) {
    self.identity = identity
  }
}

/// Parameters of org.batond.Identities.Add.
public struct IdentitiesAddRequest: Codable, Hashable, Sendable {
  /// Its name, 1 to 50 characters.
  public var name: String
  /// The protocol; nostr when absent.
  public var network: String?
  /// Name of a credential of the daemon (systemd's LoadCredential=) with the secret key as nsec or in hexadecimal digits; a new key is
  /// drawn when absent.
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
