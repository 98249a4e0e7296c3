internal import Channels
internal import Logging
internal import RelayNetwork
internal import Storage

/// The coordinator's task. A batch of inputs passes from top to bottom: what it names is read (`Questions`), the `Decider` decides,
/// the writes of the `Batch` are committed, and its `Effects` are carried out, in the order that is stated there: store, publish, journal,
/// perform, reply. Only one task ever touches the engine.
final class Engine {
  let decider: Decider
  let storage: any CoordinatorStorage
  let directory: RelayDirectory
  let clock: any CoordinatorClock
  let hub: ChangeHub
  let prober: Prober?
  /// Puts an input of the engine's own into the inbox.
  let post: @Sendable (Input) -> Void
  var journal: Journal
  var waker: Task<Void, Never>?
  /// When `timersDue` will come in; `nil` if it was not asked for, or is on its way.
  var wakeAt: Timestamp?

  /// - Parameter seed: the seed of random choices. The same seed and the same inputs give the same commits, actions and words, in the
  ///   same order.
  init(
    storage: any CoordinatorStorage, directory: RelayDirectory, rules: Rules, clock: any CoordinatorClock,
    logger: Logger, hub: ChangeHub, prober: Prober?, seed: UInt64, post: @escaping @Sendable (Input) -> Void
  ) async throws {
    self.storage = storage
    self.directory = directory
    self.clock = clock
    journal = Journal(logger)
    self.hub = hub
    self.prober = prober
    self.post = post
    decider = Decider(
      storage: Questions(storage), directory: directory, rules: rules, hasTests: prober != nil, seed: seed,
      counters: try await storage.counters(), catalog: try await Self.load(storage, directory))
    hub.start(at: decider.counters.revision)
  }

  deinit { waker?.cancel() }

  static func load(_ storage: any CoordinatorStorage, _ directory: RelayDirectory) async throws -> Catalog {
    var catalog = Catalog()
    for row in try await storage.operators() { catalog.operators[row.id] = row }
    for row in try await storage.servers() { catalog.servers[row.id] = row }
    for var row in try await storage.relays() {
      if row.comparisonKey.isEmpty {
        // The relay was stored by a version that did not keep these.
        let address = try? directory.addressing[row.network]?.parse(address: row.address)
        (row.host, row.comparisonKey) = (address?.host ?? "", address?.comparisonKey ?? row.address)
      }
      catalog.relays[row.id] = row
    }
    return catalog
  }

  /// Takes up the work that was unfinished when the daemon last stopped; it follows from the stored state alone.
  func resume() async throws {
    let loads = try await storage.channelCounts()
    directory.write { $0.loads.begin(with: loads) }
    carryOut(decider.begin(Set(loads.keys), at: clock.now))
    // This precedes reading any channel, because what is in memory must be what is stored.
    let latestVerifyDue = clock.now + decider.rules.verifyIntervalMax * 2
    try await storage.commit([.clampTimes(now: clock.now, latestVerifyDue: latestVerifyDue)])
    let off = try await storage.lastSignOfLife().map { clock.now - $0 } ?? .zero
    let unfinished = try await storage.unfinishedChannels()
    for start in stride(from: 0, to: unfinished.count, by: Decider.sweepMax) {
      let batch = Batch(now: clock.now)
      await decider.takeUp(unfinished[start..<min(start + Decider.sweepMax, unfinished.count)], after: off, batch)
      await finish(batch)
    }
    journal.write([JournalEntry(level: .info, message: "took up \(unfinished.count) unfinished channels")])
    scheduleWake()
  }

  /// Handles what arrived while the last batch was being committed.
  func process(_ inputs: [Input]) async {
    await settleDoubt()
    let batch = Batch(now: clock.now)
    if inputs.contains(where: \.isWaking) { wakeAt = nil }
    await decider.decide(inputs, batch)
    await finish(batch)
    scheduleWake()
  }

  /// Records when the daemon stops, so that what waits goes on where it was.
  func noteEnd() async {
    guard !decider.live.isEmpty, decider.recovery.doubt == nil else { return }
    do { try await storage.commit([.probe(clock.now)]) } catch {
      let words = "when the daemon stopped could not be stored: \(error); what waits goes on from the last write"
      journal.write([JournalEntry(level: .warning, message: words)])
    }
  }

  func stop() {
    waker?.cancel()
    journal.sumUp(at: nil)
  }
}
