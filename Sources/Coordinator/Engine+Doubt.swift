internal import Channels
internal import Storage

// A commit that failed may have become durable all the same: the answer was lost, the write was not.
extension Engine {
  /// That commit: what holds if it is durable.
  struct Doubt {
    /// What was withheld. Its requests were refused.
    let effects: Effects
  }

  /// Goes on from what is durable, once that can be read. Until then nothing is committed, so that no revision or identifier is
  /// given out twice.
  func settleDoubt() async {
    guard let doubt else { return }
    var effects = Effects()
    do {
      let stored = try await storage.counters()
      // They change no revision; what is stored of them is what holds. Keys of new ones are there after the next start.
      effects.identities = try await storage.identities()
      let found = stored == committed.counters ? nil : try await Self.load(storage, directory)
      self.doubt = nil
      dirty = dirty.filter { $0.rawValue <= stored.channel }
      guard let found else { return carryOut(effects) }
      // What holds in any case was said when it failed.
      effects.journal = [Self.goingOn(from: stored.revision)] + doubt.effects.journal
      (effects.changes, effects.created) = (doubt.effects.changes, doubt.effects.created)
      effects.loads = doubt.effects.loads
      // Subscribers have not heard of it: they read it in the store.
      effects.publication = .missed(through: stored.revision)
      let before = catalog
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
      follow(moved, &effects, at: clock.now)
      scheduleTests(at: clock.now)
    } catch {
      storageFailed("\(error)", &effects, at: clock.now)
    }
    carryOut(effects)
  }

  private static func goingOn(from revision: Int64) -> JournalEntry {
    JournalEntry(level: .warning, message: "a commit that failed is durable; going on from revision \(revision)")
  }
}
