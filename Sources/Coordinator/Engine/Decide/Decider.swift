internal import Channels
internal import RelayNetwork
internal import Storage

/// Decides: inputs come in, a `Batch` comes out, which says what to store and, in its `Effects`, what follows from that. It has no
/// clock, no journal, no tasks and nothing that writes, so it cannot act. All that the engine knows is here, as values.
///
/// Only the engine's task touches it.
final class Decider {
  typealias Input = Engine.Input

  /// A channel that is awake.
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
          edition: row.edition, namedRelays: row.namedRelays.map(Set.init), relays: pairings))
    }
  }

  let storage: Questions
  /// What networks are and can do, and what requests read. The decider reads it.
  let directory: RelayDirectory
  private(set) var rules: Rules
  /// Whether there are tests in the background at all.
  let hasTests: Bool

  var counters: StoreCounters
  var catalog: Catalog { didSet { isCatalogTold = false } }
  /// Whether the directory has this catalog.
  var isCatalogTold = false
  /// Numbers, catalog and healing as they were after the latest commit.
  var committed: (counters: StoreCounters, catalog: Catalog, healing: Healing)
  var live: [ChannelID: Live] = [:]
  var lanes = Lanes()
  var watched = WatchedRelays()
  var healing = Healing()
  var tests = TestBench()
  var alarms = Alarms()
  var quarantined: Set<ChannelID> = []
  var chores = Chores()
  var recovery = Recovery()
  /// What networks reported about themselves as a whole.
  var networkStates: [NetworkKind: NetworkState] = [:]
  /// Draws the order in which replacements are considered.
  var random: SplitMix64

  static let sweepMax = 256
  static let recoveryWait = Duration.seconds(1)

  /// - Parameter seed: the seed of random choices. The same seed and the same inputs give the same decisions.
  init(
    storage: Questions, directory: RelayDirectory, rules: Rules, hasTests: Bool, seed: UInt64, counters: StoreCounters,
    catalog: Catalog
  ) {
    self.storage = storage
    self.directory = directory
    self.rules = rules
    self.hasTests = hasTests
    self.counters = counters
    self.catalog = catalog
    random = SplitMix64(seed: seed)
    committed = (counters, catalog, healing)
  }

  var relays: [RelayID: RelayRow] { catalog.relays }

  func policy(of network: NetworkKind) -> RelayPolicy { rules.policy(of: network) }

  /// Applies new rules from now on. Timers that run keep their time.
  func adopt(_ rules: Rules, _ batch: Batch) {
    self.rules = rules
    scheduleTests(at: batch.now)
    startTests(&batch.effects, at: batch.now)
    scheduleUpkeep(at: batch.now)
  }

  /// Starts from what is stored.
  /// - Parameter relays: the relays that carry channels.
  /// - Returns: what follows from it.
  func begin(_ relays: Set<RelayID>, at now: Timestamp) -> Effects {
    watched = WatchedRelays(relays.intersection(catalog.relays.keys))
    scheduleTests(at: now)
    scheduleUpkeep(at: now)
    var effects = Effects()
    effects.isWatchChanged = true
    return effects
  }

  /// Decides on inputs, one after the other.
  func decide(_ inputs: [Input], _ batch: Batch) async {
    await wake(inputs.compactMap(\.channel), batch)
    for input in inputs { await handle(input, batch) }
  }

  /// Takes up channels that were unfinished when the daemon last stopped.
  /// - Parameter off: the time since then.
  func takeUp(_ channels: some Sequence<ChannelID>, after off: Duration, _ batch: Batch) async {
    await wake(channels, batch)
    for id in channels {
      if off != .zero { feed(.clockMoved(off), to: id, batch) }
      feed(.restarted, to: id, batch)
    }
  }

  // MARK: - Channels

  /// Reads the machines of channels that sleep, all of them with one question. What is damaged is left alone; what cannot be read is tried
  /// again once storage works.
  func wake(_ ids: some Sequence<ChannelID>, _ batch: Batch) async {
    let sleeping = Set(ids.filter { live[$0] == nil && !quarantined.contains($0) })
    guard !sleeping.isEmpty else { return }
    // This is done even if nothing follows: a channel that was settled is let go again.
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

  /// Feeds one input to one channel, which is awake, and notes what followed.
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
        channel.row.namedRelays = names
        batch.touch(id).isChanged = true
        batch.touch(id).isRewritten = true
      }
    }
    // A transition is an event by itself. What else clients see of a relay, such as its next attempt, must not change silently either.
    if !hasTransition, saved.contains(where: { before.view(of: $0) != channel.machine.view(of: $0) }) {
      batch.touch(id).isChanged = true
    }
    // Relays that joined come after the others.
    for pairing in channel.machine.relays.dropFirst(before.relays.count) { batch.carry(pairing.relay, 1) }
    live[id] = channel
    batch.actions += output.actions.map { (id, $0) }
    batch.seen.insert(id)
  }
}
