internal import Channels
internal import RelayNetwork
internal import Storage

/// Decides: it says what inputs ask of storage (`reads`), and turns inputs and answers into one `Decision`, which says what to store and
/// what follows from that. It is a value. It has no clock, no journal, no tasks and no storage, so it cannot act; all that the engine
/// knows is here.
///
/// What is decided lies in layers. `base` is durable. `flight` is being committed. `open` has been decided since, as if `flight` were
/// durable already. When a commit succeeds, its layer is merged into the base; when it fails, both layers are dropped. What was learned
/// from outside (connections, tests, the state of networks) and what is waited for holds whatever becomes of commits, so that is
/// not in the layers.
struct Decider {
  typealias Input = Engine.Input

  /// A channel that is awake.
  struct Live: Equatable {
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

    /// The machine of one of its relays.
    func machine(of relay: RelayID) -> ChannelRelayMachine? { machine.relays.first { $0.relay == relay }?.machine }
  }

  /// What is durable, as far as it is in memory.
  struct Base {
    /// The channels that are awake.
    var live = AwakeChannels()
    var catalog: Catalog { didSet { isCatalogTold = false } }
    /// How relays and servers were when they were stored the last time.
    var healths: [Probed: KnownHealth]
    /// The newest revision and the highest ids.
    var counters: StoreCounters
    var healing = Healing()
    /// Whether requests know this catalog.
    var isCatalogTold = false
  }

  /// What networks are and can do, and what requests read. The decider only reads it.
  let directory: RelayDirectory
  /// The channels for which it acts are those in these slots. All others are someone else's: they are never awake here.
  var slots: SlotSet
  private(set) var rules: Rules
  /// Whether there are tests in the background at all.
  let hasTests: Bool

  var base: Base
  var flight: Decision?
  var open: Decision
  /// A commit that failed and may have become durable all the same: the answer was lost, the write was not. Its requests were refused.
  var doubt: Decision?

  var lanes = Lanes()
  var watched = WatchedRelays()
  /// The latest trouble with relays and servers since the start.
  var troubles: [Probed: Cause] = [:]
  /// What their latest test found beyond the connection.
  var faults: [Probed: Cause] = [:]
  var tests = TestBench()
  var alarms = Alarms()
  var quarantined: Set<ChannelID> = []
  var chores = Chores()
  /// The chores that are being stored.
  var choresUnderWay: [StoreMutation] = []
  var recovery = Recovery()
  /// Names of channels that are decided again after a conflict, and whether a later one was decided before them.
  var replayedNames: [ChannelID: (name: ReportedName, isOvertaken: Bool)] = [:]
  /// How long the daemon was off, for channels whose waiting times do not allow for it yet.
  var absence = Absence()
  /// When the journal last had that a relay sends what cannot be read.
  var unreadableSaidAt: [RelayID: Timestamp] = [:]
  /// What networks reported about themselves as a whole.
  var networkStates: [NetworkKind: NetworkState] = [:]
  /// Draws relays that join channels, and the numbers of commits.
  var random: SplitMix64
  /// The time of day of the latest inputs, which dates what people see of channels. Timers run on `now`, which no one can set.
  private(set) var timeOfDay: Timestamp
  /// The input that is being decided.
  private(set) var request = Input.timersDue

  static let sweepMax = 256
  static let recoveryWait = Duration.seconds(1)

  /// - Parameters:
  ///   - slots: which channels it acts for at first.
  ///   - seed: the seed of random choices. The same seed and the same inputs give the same decisions.
  init(
    directory: RelayDirectory, slots: SlotSet = .all, rules: Rules, hasTests: Bool, seed: UInt64, counters: StoreCounters,
    catalog: Catalog, now: Timestamp
  ) {
    self.directory = directory
    self.slots = slots
    self.rules = rules
    self.hasTests = hasTests
    base = Base(catalog: catalog, healths: catalog.healths, counters: counters)
    open = Decision(now: now)
    timeOfDay = now
    random = SplitMix64(seed: seed)
  }

  // MARK: - How things look with all that was decided

  /// A channel that is awake, from the topmost layer that has it. Changes go to the open layer.
  subscript(id: ChannelID) -> Live? {
    get { open.live[id] ?? flight?.live[id] ?? base.live[id] }
    _modify {
      var channel = open.live.removeValue(forKey: id) ?? flight?.live[id] ?? base.live[id]
      defer { open.live[id] = channel }
      yield &channel
    }
  }

  var catalog: Catalog {
    get { open.catalog ?? flight?.catalog ?? base.catalog }
    _modify {
      // It is taken out, so that it is changed in place.
      var catalog = open.catalog ?? flight?.catalog ?? base.catalog
      open.catalog = nil
      defer { open.catalog = catalog }
      yield &catalog
    }
  }

  var ids: StoreCounters {
    get { open.ids ?? flight?.ids ?? base.counters }
    set { open.ids = newValue }
  }

  var healing: Healing {
    get { open.healing ?? flight?.healing ?? base.healing }
    set { open.healing = newValue }
  }

  var identities: [IdentityRow] { open.identities ?? flight?.identities ?? directory.read { $0.identities } }

  /// How many more or fewer channels each relay carries than requests know.
  var loads: [RelayID: Int] { (flight?.loads ?? [:]).merging(open.loads, uniquingKeysWith: +) }

  var relays: [RelayID: RelayRow] { catalog.relays }

  /// The time of the inputs that are being decided.
  var now: Timestamp { open.now }

  /// The channels that wait for a relay, in their order.
  func waiting(for relay: RelayID) -> [ChannelID] {
    // Few channels are not durable yet.
    var ids = base.live.waiting(for: relay)
    if let flight { ids.formUnion(flight.live.keys) }
    return ids.union(open.live.keys).filter { self[$0]?.waits(for: relay) == true }.sorted()
  }

  /// Whether a channel is awake.
  var isAwake: Bool { !base.live.channels.isEmpty || flight?.live.isEmpty == false || !open.live.isEmpty }

  func policy(of network: NetworkKind) -> RelayPolicy { rules.policy(of: network) }

  // MARK: - Deciding

  /// Applies new rules from now on. Timers that run keep their time.
  mutating func adopt(_ rules: Rules) {
    self.rules = rules
    scheduleTests(at: now)
    startTests(at: now)
    scheduleUpkeep(at: now)
  }

  /// Starts from what is stored.
  /// - Parameter relays: the relays that carry channels.
  mutating func begin(_ relays: Set<RelayID>, at now: Timestamp) {
    open.now = now
    watched = WatchedRelays(relays.intersection(catalog.relays.keys))
    scheduleTests(at: now)
    scheduleUpkeep(at: now)
    open.effects.isWatchChanged = true
  }

  /// Decides on inputs, one after the other.
  /// - Parameters:
  ///   - inputs: as `unfold` returns them.
  ///   - facts: the answers to what they ask of storage.
  mutating func decide(_ inputs: [Input], _ facts: Facts, at now: Timestamp) {
    open.now = now
    timeOfDay = facts.timeOfDay ?? now
    open.inputs += inputs
    wake(facts)
    for input in inputs {
      request = input
      handle(input, facts)
    }
  }

  // MARK: - Channels

  /// Takes in channels that were read. What is damaged is left alone; what could not be read is tried again once storage works.
  private mutating func wake(_ facts: Facts) {
    for (id, stored) in facts.channels.found.sorted(by: { $0.key < $1.key })
    where self[id] == nil && !quarantined.contains(id) && slots.contains(id) {
      base.live[id] = Live(stored)
      if let span = absence.span(of: id) { feed(.clockMoved(span), to: id) }
      // This is done even if nothing follows: a channel that was settled is let go again.
      open.seen.insert(id)
    }
    let damaged = facts.channels.unreadable.filter { !quarantined.contains($0.key) && slots.contains($0.key) }
    for (id, error) in damaged.sorted(by: { $0.key < $1.key }) { quarantine(id, error.description) }
    recovery.owe(facts.unanswered)
    if let trouble = facts.trouble { storageFailed(trouble) }
  }

  /// Leaves a channel alone from now on.
  /// - Parameter what: what cannot be done with it.
  mutating func quarantine(_ id: ChannelID, _ reason: String, what: String = "cannot be read") {
    quarantined.insert(id)
    let advice = "Its rows are kept. Run batonctl check, and restore a backup"
    open.effects.journal.append(
      JournalEntry(
        event: .quarantined, level: .error,
        message: "channel \(id.rawValue) \(what) and is skipped: \(reason). \(advice)",
        fields: ["BATON_CHANNEL": "\(id.rawValue)"], isHeard: true))
    chores.add(.quarantine(id, reason: reason, at: now))
  }

  /// Feeds one input to one channel, which is awake, and notes what followed.
  mutating func feed(_ input: ChannelMachine.Input, to id: ChannelID) {
    guard var channel = open.live.removeValue(forKey: id) ?? flight?.live[id] ?? base.live[id] else { return }
    let before = channel.machine
    let output = channel.machine.handle(input, now: now, policy: policy(of: channel.row.network))
    var saved: [RelayID] = []
    var hasTransition = false
    for mutation in output.mutations {
      switch mutation {
      case .saveRelay(let relay):
        open[id].saves.insert(relay)
        saved.append(relay)
      case .recordTransition(let relay, let transition):
        open[id].transitions.append(Decision.RelayTransition(relay: relay, transition: transition))
        hasTransition = true
        if (transition.from == .removed) != (transition.to == .removed) {
          open[id].loads[relay, default: 0] += transition.to == .removed ? -1 : 1
        }
      case .markDeleted:
        channel.row.deletedAt = timeOfDay
        open[id].isChanged = true
      case .saveWanted(let count):
        channel.row.wantedRelays = count
        open[id].isChanged = true
      case .saveEdition(let number, let names):
        channel.row.edition = number
        channel.row.namedRelays = names
        open[id].isChanged = true
        open[id].isRewritten = true
      }
    }
    // A transition is an event by itself. What else clients see of a relay, such as its next attempt, must not change silently either.
    if !hasTransition, saved.contains(where: { before.view(of: $0) != channel.machine.view(of: $0) }) {
      open[id].isChanged = true
    }
    // Relays that joined come after the others.
    for pairing in channel.machine.relays.dropFirst(before.relays.count) {
      open[id].loads[pairing.relay, default: 0] += 1
    }
    open.live[id] = channel
    open.actions += output.actions.map { Decision.ChannelAction(channel: id, action: $0) }
    open.seen.insert(id)
  }
}
