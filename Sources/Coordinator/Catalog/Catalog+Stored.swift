internal import Channels
internal import RelayNetwork
internal import Storage

extension Catalog {
  /// The stored catalog.
  /// - Parameter addressing: reads the addresses of relays.
  init(stored storage: any CoordinatorStorage, addressing: [NetworkKind: any RelayAddressing]) async throws {
    self.init()
    for row in try await storage.operators() { operators[row.id] = row }
    for row in try await storage.servers() { servers[row.id] = row }
    for var row in try await storage.relays() {
      if row.comparisonKey.isEmpty {
        // The relay was stored by a version that did not keep these.
        let address = try? addressing[row.network]?.parse(address: row.address)
        (row.host, row.comparisonKey) = (address?.host ?? "", address?.comparisonKey ?? row.address)
      }
      relays[row.id] = row
    }
  }
}
