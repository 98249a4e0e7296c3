internal import Channels
internal import RelayNetwork
internal import Storage

/// The stored operators, servers, relays and identities.
struct StoredCatalog: Equatable, Sendable {
  var catalog: Catalog
  var identities: [IdentityRow]

  /// - Parameter addressing: reads the addresses of relays.
  init(_ storage: any CoordinatorStorage, addressing: [NetworkKind: any RelayAddressing]) async throws {
    catalog = try await Catalog(stored: storage, addressing: addressing)
    identities = try await storage.identities()
  }
}
