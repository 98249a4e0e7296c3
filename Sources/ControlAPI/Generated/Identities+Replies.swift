// Written by `make generate` from org.batond.Identities.varlink.

/// A reply of org.batond.Identities.List.
public struct IdentitiesListReply: Codable, Hashable, Sendable {
  /// The identities.
  public var identities: [Identity]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the reply corresponds.
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
