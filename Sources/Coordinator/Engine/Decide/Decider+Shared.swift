internal import Channels
internal import RelayNetwork
internal import Storage

// Operators, servers, relays and identities, where several daemons share one store. One of them looks after these: the one that has the
// slot of the catalog stores them, tests them, and clears away old history. The others read what it has stored.
extension Decider {
  /// Stores an operator, server or relay, if that is for this daemon to do. What another one learns of a relay holds for itself alone.
  mutating func save(_ reference: CatalogReference, isTold: Bool = true) {
    if slots.hasCatalog { open.save(reference, isTold: isTold) } else { open.heard.insert(reference) }
  }

  /// Takes in what the daemon that looks after the catalog has stored.
  mutating func catalogRead(_ stored: StoredCatalog) {
    // What is known here is newer.
    guard !slots.hasCatalog else { return }
    replaceIdentities(stored.identities)
    replaceCatalog(stored.catalog)
  }

  /// Begins to look after the catalog, because no one else does any more.
  mutating func takeOver(_ stored: StoredCatalog, _ counters: StoreCounters) {
    base.counters.operator = max(base.counters.operator, counters.operator)
    base.counters.server = max(base.counters.server, counters.server)
    base.counters.relay = max(base.counters.relay, counters.relay)
    base.counters.identity = max(base.counters.identity, counters.identity)
    replaceIdentities(stored.identities)
    replaceCatalog(stored.catalog)
    base.healths = stored.catalog.healths
    // What connections say of relays here is stored from now on, in a commit of its own: this decision must not wait for one.
    for (id, row) in stored.catalog.relays where catalog.relays[id]?.condition != row.condition {
      recovery.owe(.relay(id))
      alarms.set(.recovery, noLaterThan: now)
    }
    scheduleTests(at: now)
  }

  /// Looks after the catalog no more. What was not stored of it never will be.
  mutating func loseCatalog() {
    endTests()
    _ = recovery.takeObjects()
    _ = recovery.takeRoundTrips()
  }

  /// The keys of new ones were given to their networks when they were read.
  private mutating func replaceIdentities(_ stored: [IdentityRow]) {
    let known = identities
    if stored != known { open.identities = stored }
    for row in known where !stored.contains(where: { $0.id == row.id }) {
      open.effects.keys.append(.lock(row.id, row.network))
    }
  }

  /// Puts what is stored in the place of what is known. Of the relays that are watched here the connection says how they are.
  private mutating func replaceCatalog(_ stored: Catalog) {
    let before = catalog
    var next = stored
    for (id, row) in before.relays where watched.contains(id) && stored.relays[id]?.address == row.address {
      next.relays[id]?.condition.health = row.condition.health
      next.relays[id]?.condition.healthSince = row.condition.healthSince
      next.relays[id]?.condition.lastError = row.condition.lastError
      // Channels find this out, and each daemon for its own.
      let learned = row.capabilities.filter { $0 == PeerDescription.onePerAuthor }
      let described = (next.relays[id]?.capabilities ?? []).filter { $0 != PeerDescription.onePerAuthor }
      next.relays[id]?.capabilities = learned.isEmpty ? described : (described + learned).sorted()
    }
    guard next != before else { return }
    catalog = next
    for object in next.changes(from: before) { noteMove(object, before[object.reference]) }
  }
}
