internal import Channels
internal import RelayNetwork
internal import Storage

// Operators, servers, relays and identities in a store that daemons share. The daemon that has the catalog's slot stores and tests them,
// and forgets old history. The other daemons read them from the store.
extension Decider {
  /// Stores an operator, server or relay, if this daemon has the catalog. Otherwise its observations of a relay hold for itself alone.
  mutating func save(_ reference: CatalogReference, isTold: Bool = true) {
    if slots.hasCatalog { open.save(reference, isTold: isTold) } else { open.heard.insert(reference) }
  }

  /// Adopts the state that the daemon with the catalog has stored.
  mutating func catalogRead(_ stored: StoredCatalog) {
    // The state in memory is newer.
    guard !slots.hasCatalog else { return }
    replaceIdentities(stored.identities)
    replaceCatalog(stored.catalog)
  }

  /// Takes over the catalog from another daemon.
  mutating func takeOver(_ stored: StoredCatalog, _ counters: StoreCounters) {
    base.counters.operator = max(base.counters.operator, counters.operator)
    base.counters.server = max(base.counters.server, counters.server)
    base.counters.relay = max(base.counters.relay, counters.relay)
    base.counters.identity = max(base.counters.identity, counters.identity)
    replaceIdentities(stored.identities)
    replaceCatalog(stored.catalog)
    base.healths = stored.catalog.healths
    // The state of connections from here is stored from now on, in a separate commit: this decision must not wait for one.
    for (id, row) in stored.catalog.relays where catalog.relays[id]?.condition != row.condition {
      recovery.owe(.relay(id))
      alarms.set(.recovery, noLaterThan: now)
    }
    scheduleTests(at: now)
  }

  /// Gives up the catalog. Changes that were not stored are lost.
  mutating func loseCatalog() {
    endTests()
    _ = recovery.takeObjects()
    _ = recovery.takeRoundTrips()
  }

  /// Keys of new identities were passed to their networks when they were read.
  private mutating func replaceIdentities(_ stored: [IdentityRow]) {
    let known = identities
    if stored != known { open.identities = stored }
    for row in known where !stored.contains(where: { $0.id == row.id }) {
      open.effects.keys.append(.lock(row.id, row.network))
    }
  }

  /// Replaces the state in memory by the stored one. The health of relays that are watched here follows from their connection.
  private mutating func replaceCatalog(_ stored: Catalog) {
    let before = catalog
    var next = stored
    for (id, row) in before.relays where watched.contains(id) && stored.relays[id]?.address == row.address {
      next.relays[id]?.condition.health = row.condition.health
      next.relays[id]?.condition.healthSince = row.condition.healthSince
      next.relays[id]?.condition.lastError = row.condition.lastError
      // Channels find this out, and each daemon does for its own channels.
      let learned = row.capabilities.filter { $0 == PeerDescription.onePerAuthor }
      let described = (next.relays[id]?.capabilities ?? []).filter { $0 != PeerDescription.onePerAuthor }
      next.relays[id]?.capabilities = learned.isEmpty ? described : (described + learned).sorted()
    }
    guard next != before else { return }
    catalog = next
    for object in next.changes(from: before) { noteMove(object, before[object.reference]) }
  }
}
