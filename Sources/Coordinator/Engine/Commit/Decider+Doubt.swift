internal import Channels
internal import Storage

// A commit may or may not be durable after a failure.
extension Decider {
  /// The stored state of the objects that a commit in doubt was to write.
  struct Found {
    var catalog: Catalog
    /// Its channels, except those that are unreadable.
    var channels: [ChannelID: ChannelRow]
  }

  /// Continues once the stored state is known.
  /// - Parameters:
  ///   - stored: the numbers as they are stored.
  ///   - found: the stored objects. `nil` if the commit in doubt is not durable.
  ///   - identities: the identities as they are stored. Keys of new ones are available after the next start.
  mutating func settleDoubt(
    _ stored: StoreCounters, _ found: Found?, _ identities: [IdentityRow], at now: Timestamp
  ) -> Effects {
    guard var doubtful = doubt else { return Effects() }
    doubt = nil
    // Its channels are forgotten below, even if they were read since it failed.
    if found != nil { recovery.owe(doubtful.order) }
    recovery.settle(latest: stored.channel)
    guard let found else {
      // Its measurements are not stored.
      recovery.owe(earlier: doubtful.roundTrips)
      var effects = Effects()
      effects.identities = identities
      return effects
    }
    let before = base
    // The effects of the parts that were stored. Its channels are read again.
    let order = doubtful.order
    let last = takeOutUnstored(of: &doubtful, found, identities)
    var effects = merge(doubtful, CommitReceipt(base: last, revision: stored.revision), at: now)
    absence.settled(doubtful.seen)
    base.live = before.live
    for id in order {
      base.live[id] = nil
      alarms.set(.channel(id), at: nil)
    }
    base.catalog = found.catalog
    base.counters = stored
    // The observed condition of a relay or server is newer than the stored one.
    for (id, row) in before.catalog.relays where found.catalog.relays[id]?.address == row.address {
      base.catalog.relays[id]?.learn(from: row)
    }
    for (id, row) in before.catalog.servers where found.catalog.servers[id]?.address == row.address {
      base.catalog.servers[id]?.learn(from: row)
    }
    let words = "a commit that failed is durable. Continuing from revision \(stored.revision)"
    effects.journal = [JournalEntry(level: .warning, message: words)] + effects.journal.filter { !$0.isHeard }
    effects.identities = identities
    // It was not published to subscribers, who read it in the store. Effects that do not depend on the commit were carried out when it
    // failed.
    effects.publication = .missed(through: stored.revision)
    (effects.keys, effects.tests, effects.inputs, effects.loads) = ([], [], [], [:])
    scheduleTests(at: now)
    return effects
  }

  /// Removes the parts that were not stored with a durable commit. The lost answer would have listed the rejected parts. A stored object
  /// equals the intended one apart from its revision.
  /// - Returns: the newest revision before the commit, as far as the stored objects show it.
  private func takeOutUnstored(of doubtful: inout Decision, _ found: Found, _ identities: [IdentityRow]) -> Int64 {
    var last: Int64?
    for part in doubtful.parts {
      switch part {
      case .channel(let id):
        guard doubtful.changes(id), let row = doubtful.live[id]?.row else { continue }
        var stored = found.channels[id]
        let revision = stored?.revision ?? 0
        stored?.revision = row.revision
        if stored == row { last = PendingRevision.base(revision, of: row.revision) } else { _ = doubtful.drop(id) }
      case .catalog:
        let told = doubtful.objects.filter { $0.place > 0 }
        let isStored = told.allSatisfy { touch in
          (found.catalog[touch.reference]?.revision ?? 0) > (base.catalog[touch.reference]?.revision ?? 0)
        }
        guard isStored, doubtful.identityWrites.allSatisfy({ Self.isStored($0, identities) }) else {
          _ = doubtful.dropCatalog()
          continue
        }
        if let touch = told.first, let object = found.catalog[touch.reference] {
          last = PendingRevision.base(object.revision, of: PendingRevision.at(touch.place))
        }
      case .roundTrips, .signOfLife: continue
      }
    }
    return last ?? base.counters.revision
  }

  /// Whether the stored identities reflect a write.
  private static func isStored(_ write: StoreMutation, _ identities: [IdentityRow]) -> Bool {
    switch write {
    case .insertIdentity(let row): identities.contains { $0.id == row.id }
    case .removeIdentity(let id): !identities.contains { $0.id == id }
    default: true
    }
  }
}
