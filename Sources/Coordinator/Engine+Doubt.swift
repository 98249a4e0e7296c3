internal import Channels
internal import Storage

// A commit that failed may have become durable all the same.
extension Engine {
  /// Goes on from what is durable, once that can be read. Until then nothing is committed, so that no revision or identifier is
  /// given out twice.
  func settleDoubt() async {
    guard let doubt = recovery.doubt else { return }
    var effects = Effects()
    do {
      let stored = try await storage.counters()
      // They change no revision; what is stored of them is what holds.
      let identities = try await storage.identities()
      effects.identities = identities
      let found = stored == committed.counters ? nil : try await Self.load(storage, directory)
      recovery.settle(latest: stored.channel)
      guard let found else { return carryOut(effects) }
      effects = doubt.effects(through: stored.revision, identities: identities)
      goOn(from: stored, found, &effects)
    } catch {
      storageFailed("\(error)", &effects, at: clock.now)
    }
    carryOut(effects)
  }

  private func goOn(from stored: StoreCounters, _ found: Catalog, _ effects: inout Effects) {
    let (before, now) = (catalog, clock.now)
    (counters, catalog) = (stored, found)
    committed = (stored, found, healing)
    // What is heard of a relay or server is newer than what is stored of it.
    for (id, row) in before.relays where found.relays[id]?.address == row.address {
      catalog.relays[id]?.condition = row.condition
    }
    for (id, row) in before.servers where found.servers[id]?.address == row.address {
      catalog.servers[id]?.condition = row.condition
    }
    let moved = Set(found.relays.values.filter { before.relays[$0.id].map(\.address) != $0.address }.map(\.id))
    follow(moved, &effects, at: now)
    scheduleTests(at: now)
  }
}
