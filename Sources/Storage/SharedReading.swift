/// The ends of all sequences in a store that several daemons share.
public struct SharedEnd: Hashable, Sendable {
  /// The newest revision of channels, relays, servers and operators.
  public var revision: Int64
  /// The newest revision of posts.
  public var postRevision: Int64
  /// How many identities there are, and how many of them were removed: their changes have no revision.
  public var identities: Int64
  public var removedIdentities: Int64
  /// The newest revision of decisions.
  public var decisionRevision: Int64

  public init(
    revision: Int64, postRevision: Int64, identities: Int64, removedIdentities: Int64, decisionRevision: Int64
  ) {
    self.revision = revision
    self.postRevision = postRevision
    self.identities = identities
    self.removedIdentities = removedIdentities
    self.decisionRevision = decisionRevision
  }
}

/// A daemon's questions to follow the commits of other daemons in a store that they share.
public protocol SharedReading: CoordinatorStorage {
  /// The ends at this moment. It is called many times a second.
  func end() async throws -> SharedEnd
  /// Changes after `revision`, oldest first, at most `limit`.
  func changes(after revision: Int64, limit: Int) async throws -> [ChangeRow]
}
