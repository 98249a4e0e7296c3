internal import Channels
internal import Logging
internal import Storage

// A commit that failed may have become durable all the same: the answer was lost, the write was not.
extension Engine {
  /// That commit: what holds if it is durable.
  struct Doubt {
    /// Its requests were refused.
    let batch: Batch
    let changes: [Change]
  }

  /// Identities change no revision; what is stored of them is what holds. Keys of new ones are there after the next start.
  private func readIdentities() async throws {
    let identities = try await storage.identities()
    directory.write { $0.identities = identities }
  }

  /// Goes on from what is durable, once that can be read. Until then nothing is committed, so that no revision or identifier is
  /// given out twice.
  func settleDoubt() async {
    guard let doubt else { return }
    do {
      let stored = try await storage.counters()
      try await readIdentities()
      let found = stored == committed.counters ? nil : try await Self.load(storage, directory)
      self.doubt = nil
      dirty = dirty.filter { $0.rawValue <= stored.channel }
      guard let found else { return }
      logger.warning("a commit that failed is durable; going on from revision \(stored.revision)")
      // What holds in any case was said when it failed.
      for entry in doubt.batch.journal where !entry.isHeard { logger.write(entry) }
      log(doubt.changes, doubt.batch)
      let before = catalog
      (counters, catalog) = (stored, found)
      committed = (stored, found, healing)
      directory.carry(doubt.batch.loads)
      // What is heard of a relay or server is newer than what is stored of it.
      for (id, row) in before.relays where found.relays[id]?.address == row.address {
        catalog.relays[id]?.condition = row.condition
      }
      for (id, row) in before.servers where found.servers[id]?.address == row.address {
        catalog.servers[id]?.condition = row.condition
      }
      follow(Set(found.relays.values.filter { before.relays[$0.id].map(\.address) != $0.address }.map(\.id)))
      scheduleTests()
      publishDirectory()
      // Subscribers have not heard of it: they read it in the store.
      hub.skip(to: stored.revision)
    } catch {
      storageFailed("\(error)")
    }
  }
}
