internal import Channels
internal import Logging
internal import RelayNetwork
internal import Storage

/// The coordinator's task: takes batches of inputs, reads the channels that they name with one question, and lets the machines decide.
/// Deciding does nothing yet: it ends in a `Batch`. That is committed, and then its `Effects` are carried out, in the order that stands
/// there: store, publish, journal, perform, reply. Only one task ever touches the engine.
final class Engine {
  enum Input: Sendable {
    case report(NetworkReport)
    case timersDue
    case create(NewChannel, Reply<ChannelSnapshot>)
    case retry(ChannelID, RelayID?, Reply<ChannelSnapshot>)
    case verify(ChannelID, Reply<ChannelSnapshot>)
    case delete(ChannelID, Reply<ChannelSnapshot>)
    /// These relays, or so many that the daemon picks.
    case joinRelays(ChannelID, [RelayID], pick: Int, Reply<ChannelSnapshot>)
    case leaveRelay(ChannelID, RelayID, Reply<ChannelSnapshot>)
    case update(ChannelID, ChannelEdit, Reply<ChannelSnapshot>)
    /// A change of operators, servers and relays; forced: although it adds errors or channels lose something.
    case change(CatalogChange, force: Bool, Reply<CatalogObject?>)
    /// A test ended; with a reply when a person asked for it.
    /// - address: which was tested; what is said of another than the present one does not count.
    case tested(Probed, address: String, ProbeVerdict, Reply<Void>?)
    /// Tell the channels that have `relay` in `status`, from the first after `after` on.
    case sweep(RelayID, RelayStatus, ChannelRelayMachine.Event, after: ChannelID?)
    /// Ask a relay for the channels that are due to be read back, so many at most.
    case readBack(RelayID, atMost: Int)
    /// Go on with what is too old or too much of the history.
    case forgetHistory
    case addIdentity(IdentityRow, IdentityKey, Reply<IdentityRow>)
    case removeIdentity(IdentityID, Reply<IdentityRow>)
    case adopt(Rules, Reply<Void>)
    /// Answers once something was written, or could not be.
    case heartbeat(Reply<Void>)
    /// Answers once everything before it is done.
    case barrier(Reply<Void>)

    /// The channel that it names, and that must be awake for it.
    var channel: ChannelID? {
      switch self {
      case .report(let report): report.channel
      case .retry(let id, _, _), .verify(let id, _), .delete(let id, _), .joinRelays(let id, _, _, _),
        .leaveRelay(let id, _, _), .update(let id, _, _):
        id
      case .timersDue, .create, .change, .tested, .sweep, .readBack, .forgetHistory, .addIdentity, .removeIdentity, .adopt,
        .heartbeat, .barrier:
        nil
      }
    }
  }

  struct Live {
    var row: ChannelRow
    var machine: ChannelMachine

    init(row: ChannelRow, machine: ChannelMachine) {
      self.row = row
      self.machine = machine
    }

    init(_ stored: StoredChannel) {
      let row = stored.row
      let pairings = stored.relays.compactMap { relay in
        relay.record.machine(salt: ChannelMachine.salt(row.id, relay.relay), kind: row.kind, edition: row.edition)
          .map { ChannelMachine.Pairing(relay: relay.relay, machine: $0) }
      }
      self.init(
        row: row,
        machine: ChannelMachine(
          id: row.id, kind: row.kind, wantedRelays: row.wantedRelays, isDeletionRequested: row.deletedAt != nil,
          edition: row.edition, listed: row.listed.map(Set.init), relays: pairings))
    }
  }

  let storage: any CoordinatorStorage
  let directory: RelayDirectory
  private(set) var rules: Rules
  let clock: any CoordinatorClock
  let hub: ChangeHub
  /// Puts an input of the engine's own into the inbox.
  let post: @Sendable (Input) -> Void

  var counters: StoreCounters
  var catalog: Catalog { didSet { isCatalogTold = false } }
  /// Whether the directory has this catalog.
  var isCatalogTold = false
  /// Both as they were after the latest commit.
  var committed: (counters: StoreCounters, catalog: Catalog, healing: Healing)
  var live: [ChannelID: Live] = [:]
  var lanes = Lanes()
  var watched = WatchedRelays()
  let prober: Prober?
  var healing = Healing()
  var tests = TestBench()
  var alarms = Alarms()
  var quarantined: Set<ChannelID> = []
  var chores = Chores()
  var recovery = Recovery()
  var journal: Journal
  /// What networks said of themselves as a whole.
  var networkStates: [NetworkKind: NetworkState] = [:]
  /// Draws the order in which replacements are considered.
  var random: SplitMix64
  var waker: Task<Void, Never>?
  /// When `timersDue` will come in; nil: not asked for, or on its way.
  var wakeAt: Timestamp?

  static let sweepMax = 256
  static let recoveryWait = Duration.seconds(1)

  /// - Parameter seed: of what is left to chance. The same seed and the same inputs give the same commits, actions and words, in the
  ///   same order.
  init(
    storage: any CoordinatorStorage, directory: RelayDirectory, rules: Rules, clock: any CoordinatorClock,
    logger: Logger, hub: ChangeHub, prober: Prober?, seed: UInt64, post: @escaping @Sendable (Input) -> Void
  ) async throws {
    self.storage = storage
    self.directory = directory
    self.rules = rules
    self.clock = clock
    journal = Journal(logger)
    self.hub = hub
    self.prober = prober
    self.post = post
    random = SplitMix64(seed: seed)
    counters = try await storage.counters()
    catalog = try await Self.load(storage, directory)
    committed = (counters, catalog, healing)
    hub.start(at: counters.revision)
  }

  deinit { waker?.cancel() }

  static func load(_ storage: any CoordinatorStorage, _ directory: RelayDirectory) async throws -> Catalog {
    var catalog = Catalog()
    for row in try await storage.operators() { catalog.operators[row.id] = row }
    for row in try await storage.servers() { catalog.servers[row.id] = row }
    for var row in try await storage.relays() {
      if row.comparisonKey.isEmpty {
        // Stored by a version that did not keep these.
        let address = try? directory.addressing[row.network]?.parse(address: row.address)
        (row.host, row.comparisonKey) = (address?.host ?? "", address?.comparisonKey ?? row.address)
      }
      catalog.relays[row.id] = row
    }
    return catalog
  }

  var relays: [RelayID: RelayRow] { catalog.relays }

  func policy(of network: NetworkKind) -> RelayPolicy { rules.policy(of: network) }

  /// Goes by other rules from now on. Timers that run keep their time.
  func adopt(_ rules: Rules, _ batch: Batch) {
    self.rules = rules
    scheduleTests(at: batch.now)
    startTests(&batch.effects, at: batch.now)
    scheduleUpkeep(at: batch.now)
  }

  /// Takes up the work that was unfinished when the daemon last stopped; it follows from the stored state alone.
  func resume() async throws {
    let loads = try await storage.channelCounts()
    directory.write { $0.loads.begin(with: loads) }
    watched = WatchedRelays(Set(loads.keys).intersection(relays.keys))
    var effects = Effects()
    effects.isWatchChanged = true
    carryOut(effects)
    scheduleTests(at: clock.now)
    scheduleUpkeep(at: clock.now)
    // Before any channel is read: what is in memory must be what is stored.
    try await storage.commit([.clampTimes(now: clock.now, latestCheck: clock.now + rules.verifyIntervalMax * 2)])
    let off = try await storage.lastSignOfLife().map { clock.now - $0 } ?? .zero
    let unfinished = try await storage.unfinishedChannels()
    for start in stride(from: 0, to: unfinished.count, by: Self.sweepMax) {
      let batch = Batch(now: clock.now)
      let some = unfinished[start..<min(start + Self.sweepMax, unfinished.count)]
      await wake(some, batch)
      for id in some {
        if off != .zero { feed(.clockMoved(off), to: id, batch) }
        feed(.restarted, to: id, batch)
      }
      await finish(batch)
    }
    journal.write([JournalEntry(level: .info, message: "took up \(unfinished.count) unfinished channels")])
    scheduleWake()
  }

  /// Handles what arrived while the last batch was being committed.
  func process(_ inputs: [Input]) async {
    await settleDoubt()
    let batch = Batch(now: clock.now)
    await wake(inputs.compactMap(\.channel), batch)
    for input in inputs {
      if case .timersDue = input { wakeAt = nil }
      await handle(input, batch)
    }
    await finish(batch)
    scheduleWake()
  }

  /// Notes when the daemon stops, so that what waits goes on where it was.
  func noteEnd() async {
    guard !live.isEmpty, recovery.doubt == nil else { return }
    do { try await storage.commit([.probe(clock.now)]) } catch {
      let words = "when the daemon stopped could not be stored: \(error); what waits goes on from the last write"
      journal.write([JournalEntry(level: .warning, message: words)])
    }
  }

  func stop() {
    waker?.cancel()
    journal.sumUp(at: nil)
  }

  // MARK: - Channels

  /// Reads the machines of channels that sleep, all of them with one question. What is damaged is left alone; what cannot be read is tried
  /// again once storage works.
  func wake(_ ids: some Sequence<ChannelID>, _ batch: Batch) async {
    let sleeping = Set(ids.filter { live[$0] == nil && !quarantined.contains($0) })
    guard !sleeping.isEmpty else { return }
    // Also when nothing comes of it: a channel that was settled is let go again.
    batch.seen.formUnion(sleeping)
    do {
      let channels = try await storage.channels(sleeping)
      for (id, stored) in channels.found { live[id] = Live(stored) }
      for (id, error) in channels.unreadable.sorted(by: { $0.key < $1.key }) { quarantine(id, error.description, batch) }
    } catch {
      recovery.owe(sleeping)
      storageFailed("\(error)", batch)
    }
  }

  private func quarantine(_ id: ChannelID, _ reason: String, _ batch: Batch) {
    quarantined.insert(id)
    let advice = "its rows are kept, batonctl check says what is wrong; restore a backup"
    batch.effects.journal.append(
      JournalEntry(
        event: .quarantined, level: .error,
        message: "channel \(id.rawValue) cannot be read and is left alone: \(reason); \(advice)",
        fields: ["BATON_CHANNEL": "\(id.rawValue)"], isHeard: true))
    chores.add(.quarantine(id, reason: reason, at: batch.now))
  }

  /// Feeds one input to one channel, which is awake, and notes what came of it.
  func feed(_ input: ChannelMachine.Input, to id: ChannelID, _ batch: Batch) {
    guard var channel = live[id] else { return }
    let before = channel.machine
    let output = channel.machine.handle(input, now: batch.now, policy: policy(of: channel.row.network))
    var saved: [RelayID] = []
    var hasTransition = false
    for mutation in output.mutations {
      switch mutation {
      case .saveRelay(let relay):
        batch.touch(id).saves.insert(relay)
        saved.append(relay)
      case .recordTransition(let relay, let transition):
        batch.touch(id).transitions.append((relay, transition))
        hasTransition = true
        if (transition.from == .removed) != (transition.to == .removed) {
          batch.carry(relay, transition.to == .removed ? -1 : 1)
        }
      case .markDeleted(let at):
        channel.row.deletedAt = at
        batch.touch(id).isChanged = true
      case .saveWanted(let count):
        channel.row.wantedRelays = count
        batch.touch(id).isChanged = true
      case .saveEdition(let number, let names):
        channel.row.edition = number
        channel.row.listed = names
        batch.touch(id).isChanged = true
        batch.touch(id).isRevised = true
      }
    }
    // A transition is an event by itself. What else clients see of a relay, such as its next attempt, must not change in silence either.
    if !hasTransition, saved.contains(where: { before.view(of: $0) != channel.machine.view(of: $0) }) {
      batch.touch(id).isChanged = true
    }
    // Who joined stands behind the others.
    for pairing in channel.machine.relays.dropFirst(before.relays.count) { batch.carry(pairing.relay, 1) }
    live[id] = channel
    batch.actions += output.actions.map { (id, $0) }
    batch.seen.insert(id)
  }
}

extension NetworkReport {
  /// The channel that it is about.
  fileprivate var channel: ChannelID? {
    switch self {
    case .outcome(let id, _, _, _), .named(let id, _, _), .stray(let id, _, _), .lost(let id, _, _): id
    case .relayUp, .relayDown, .state: nil
    }
  }
}

/// A channel that is ready to be stored.
struct NewChannel: Sendable {
  let request: ChannelRequest
  let profile: Profile
  let network: NetworkKind
  let relays: [RelayID]
  /// Whether the daemon chose the relays.
  let isPicked: Bool
  let content: ChannelContent
}

/// Where the answer to a request goes, exactly once.
struct Reply<Value: Sendable>: Sendable {
  let send: @Sendable (Result<Value, BatonError>) -> Void
}
