internal import Channels
internal import Storage

// A commit that failed may be durable anyway.
extension Engine {
  /// Continues from the durable state, once that can be read. Nothing is committed before, so that no revision or identifier is assigned
  /// twice.
  func settleDoubt() async {
    guard let doubt = decider.doubt else { return }
    do {
      let stored = try await storage.counters()
      let identities = try await storage.identities()
      let isDurable = try await storage.lastSignOfLife()?.commit == doubt.number
      let found =
        isDurable
        ? Decider.Found(
          catalog: try await Catalog(stored: storage, addressing: directory.addressing),
          channels: try await storage.channels(Set(doubt.order)).found.mapValues(\.row)) : nil
      let loads = isDurable ? try await storage.channelCounts(among: decider.slots) : nil
      let effects = decider.settleDoubt(stored, found, identities, at: clock.now)
      // Parts of it may be missing.
      if let loads { directory.write { $0.loads.begin(with: loads) } }
      carryOut(effects)
    } catch {
      decider.storageFailed("\(error)")
    }
  }
}
