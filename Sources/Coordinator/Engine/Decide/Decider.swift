internal import Channels
internal import RelayNetwork
internal import Storage

/// Lists the reads that inputs need from storage (`reads`), and turns inputs and answers into one `Decision`: the changes to store, and
/// their effects. It is a value. It has no clock, journal, tasks or storage, so it cannot act. It has the whole state of the engine.
///
/// The state has layers. `base` is durable. `flight` is being committed. `open` was decided since, as if `flight` were durable already.
/// When a commit succeeds, its layer is merged into the base. When it fails, both layers are dropped. Observations (connections, tests, the
/// state of networks) and waiting work do not depend on commits, so they are outside the layers.
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

  /// The part of the durable state that is in memory.
  struct Base {
    /// The channels that are awake.
    var live = AwakeChannels()
    var catalog: Catalog { didSet { isCatalogTold = false } }
    /// The health of relays and servers as it was last stored.
    var healths: [Probed: KnownHealth]
    /// The newest revision and the highest ids.
    var counters: StoreCounters
    var healing = Healing()
    /// Whether requests have this catalog.
    var isCatalogTold = false
  }

  /// The state and abilities of networks, and the data that requests read. The decider only reads it.
  let directory: RelayDirectory
  /// The slots of the channels for which it acts. Channels in other slots belong to other daemons and are never awake here.
  var slots: SlotSet
  private(set) var rules: Rules
  /// Whether there are tests in the background at all.
  let hasTests: Bool

  var base: Base
  var flight: Decision?
  var open: Decision
  /// A commit that failed, but may be durable because only its answer was lost. Its requests were refused.
  var doubt: Decision?

  var lanes = Lanes()
  var watched = WatchedRelays()
  /// The latest trouble with relays and servers since the start.
  var troubles: [Probed: Cause] = [:]
  /// The faults that their latest test found beyond the connection.
  var faults: [Probed: Cause] = [:]
  var tests = TestBench()
  var alarms = Alarms()
  var quarantined: Set<ChannelID> = []
  var chores = Chores()
  /// The chores that are being stored.
  var choresUnderWay: [StoreMutation] = []
  var recovery = Recovery()
  /// Names of channels that are decided again after a conflict, and whether a later one was decided before.
  var replayedNames: [ChannelID: (name: ReportedName, isOvertaken: Bool)] = [:]
  /// How long the daemon was off, for channels whose waiting times do not allow for it yet.
  var absence = Absence()
  /// When the journal last reported unreadable messages of a relay.
  var unreadableSaidAt: [RelayID: Timestamp] = [:]
  /// The reports of networks about their state as a whole.
  var networkStates: [NetworkKind: NetworkState] = [:]
  /// Draws relays that join channels, and the numbers of commits.
  var random: SplitMix64
  /// The time of day of the latest inputs, for dates that people see. Timers use `now`, which no one can set.
  private(set) var timeOfDay: Timestamp
  /// The input that is being decided.
  private(set) var request = Input.timersDue

  static let sweepMax = 256
  static let recoveryWait = Duration.seconds(1)

  /// - Parameters:
  ///   - slots: the channels that it acts for at first.
  ///   - seed: the seed of random choices. The same seed and inputs give the same decisions.
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

  // MARK: - The state with all decisions

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

  /// How many more or fewer channels each relay carries than requests see.
  var loads: [RelayID: Int] { (flight?.loads ?? [:]).merging(open.loads, uniquingKeysWith: +) }

  var relays: [RelayID: RelayRow] { catalog.relays }

  /// The time of the inputs that are being decided.
  var now: Timestamp { open.now }

  /// The channels that wait for a relay, in order.
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

  /// Applies new rules. Running timers keep their time.
  mutating func adopt(_ rules: Rules) {
    self.rules = rules
    scheduleTests(at: now)
    startTests(at: now)
    scheduleUpkeep(at: now)
  }

  /// Starts from the stored state.
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
  ///   - inputs: as returned by `unfold`.
  ///   - facts: the answers to their reads from storage.
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

  /// Adds channels that were read. Damaged ones are quarantined. Unreadable ones are read again once storage works.
  private mutating func wake(_ facts: Facts) {
    for (id, stored) in facts.channels.found.sorted(by: { $0.key < $1.key })
    where self[id] == nil && !quarantined.contains(id) && slots.contains(id) {
      base.live[id] = Live(stored)
      if let span = absence.span(of: id) { feed(.clockMoved(span), to: id) }
      // This is done even without effects, so that a settled channel is let go again.
      open.seen.insert(id)
    }
    let damaged = facts.channels.unreadable.filter { !quarantined.contains($0.key) && slots.contains($0.key) }
    for (id, error) in damaged.sorted(by: { $0.key < $1.key }) { quarantine(id, error.description) }
    recovery.owe(facts.unanswered)
    if let trouble = facts.trouble { storageFailed(trouble) }
  }

  /// Skips a channel from now on.
  /// - Parameter what: the problem, such as "cannot be read".
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

  /// Feeds an input to an awake channel, and adds the consequences to the decision.
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
    // A transition is an event by itself. Other visible changes of a relay, such as its next attempt, need an event too.
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
