import Channels
import Logging
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import Coordinator

/// One run: an engine on a real store, in a world that fails in every way that one seed can think of. Nothing in it depends on the
/// real time, on the scheduling of tasks or on the order of hash tables: the seed is all there is.
final class Simulation: SeededRun {
  let plan: Plan
  let world: World
  let store: Store
  let storage: FaultyStorage
  var random: SplitMix64
  /// nil: the daemon does not run.
  var engine: Engine?
  /// Everything that was asked for.
  var requests = 0
  var orders: [Order] = []
  /// The order that a request is about.
  var answering: [Int: Int] = [:]
  var isStorageBroken = false
  /// Whether relays, network and storage may misbehave.
  var hasFaults = true
  private var lastPublished: Int64 = 0
  /// What the engine was given since all that it decided was durable.
  var undecided: [Engine.Input] = []
  /// What a client knows of channels that listed them once and has followed the events since.
  private(set) var followed: [ChannelID: [RelayID: ChannelRelayView]] = [:]

  init(seed: UInt64, store: Store, isTraced: Bool) {
    var random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    plan = Plan(random: &random)
    world = World(plan: plan, seed: random.next(), isTraced: isTraced)
    self.random = random
    self.store = store
    storage = FaultyStorage(store)
  }

  var isRunning: Bool { engine != nil }
  var wakeAt: Timestamp? { engine?.wakeAt }
  var counts: Tally { world.read { $0.tally } }

  func run() async throws {
    world.note("\(plan)")
    try await prepare()
    await start()
    try check()
    order()
    for _ in 0..<plan.steps { try await step() }
    try await settle()
    await storage.compareFigures()
    world.write { state in
      state.tally.seeds = 1
      state.tally.steps = plan.steps
      state.tally.names = state.ledger.renamings
    }
  }

  /// The relays that are known from the start, and the identity.
  private func prepare() async throws {
    var mutations: [StoreMutation] = [
      .insertIdentity(
        IdentityRow(
          id: IdentityID(rawValue: 1), name: Coordinator.mainIdentity, network: .nostr, publicName: "key", sealedKey: [],
          createdAt: now))
    ]
    for number in 1...plan.relays {
      let address = SimRelays.address(number)
      let id = RelayID(rawValue: Int64(number))
      mutations.append(
        .saveRelay(
          RelayRow(
            id: id, network: .nostr, address: address, host: "r\(number)", comparisonKey: address, name: "r\(number)",
            revision: Int64(number))))
      mutations.append(.appendChange(ChangeRow(revision: Int64(number), at: now, object: .relay(id))))
    }
    try await storage.write(mutations)
    world.becameDurable(mutations)
  }

  // MARK: - The daemon

  /// Starts the daemon. When storage cannot be read it gives up, as the real one does, and is started again later.
  func start() async {
    world.note("start")
    let begun = world.read { $0.ledger.revision }
    world.write { state in
      state.isAlive = true
      state.wordsLeft = nil
      state.inbox = []
      state.elsewhere.forget()
    }
    let away = world.read { $0.elsewhere.away }
    decideFate()
    let hub = ChangeHub()
    let directory = RelayDirectory(
      networks: [SimNetwork(world)], addressing: [], servers: nil, seed: plan.policy.jitterSeed)
    // As the coordinator does before the engine begins.
    let identities = (try? store.identities()) ?? []
    directory.write { $0.identities = identities }
    do {
      let engine = try await Engine(
        storage: SimStorage(storage, world), slots: SlotSet.all.subtracting(away), directory: directory,
        rules: Rules(policy: plan.policy, upkeep: plan.upkeep),
        clock: world.clock,
        logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, hub: hub, prober: nil,
        seed: random.next(), isEager: false, post: { [world] in world.repost($0) })
      let revision = engine.decider.base.counters.revision
      if revision != begun {
        world.holds { _ in throw Violation("the daemon starts at revision \(revision), it was at \(begun)") }
      }
      guard let subscription = hub.subscribe() else { throw Violation("no one may listen") }
      self.engine = engine
      try await engine.resume()
      hear(subscription, hub)
      list()
    } catch {
      if !world.read({ $0.areReadsBroken || $0.readsLeft == 0 || !$0.isAlive }) {
        world.holds { _ in throw Violation("the daemon does not start: \(error)") }
      }
      world.die()
    }
    bury()
  }

  /// Lets the daemon take the first inputs from its inbox.
  func process(_ count: Int) async throws {
    guard engine != nil else { return }
    let inputs = world.write { state in
      let inputs = Array(state.inbox.prefix(count))
      state.inbox.removeFirst(inputs.count)
      return inputs
    }
    guard !inputs.isEmpty else { return }
    world.note("process \(inputs.map(Self.words).joined(separator: ", "))")
    // What is only decided is not known to the ledger.
    if undecided.isEmpty { notePairs(inputs) }
    undecided += inputs
    let asked = inputs.count(where: Self.isRequest)
    world.write { $0.unanswered += asked }
    try await live { engine in
      await engine.process(inputs)
      // Sometimes more is decided before the commit is over.
      if !hasFaults || chance(650) { await engine.rest() } else if chance(500) { await engine.land() }
    }
  }

  /// Lets what was decided become durable.
  func land() async throws {
    guard let engine, engine.flight != nil || !engine.decider.open.isEmpty else { return }
    try await live { await $0.rest() }
  }

  private func live(_ body: (Engine) async -> Void) async throws {
    guard let engine else { return }
    world.write { $0.answers = [] }
    decideFate()
    guard let subscription = engine.hub.subscribe() else { throw Violation("no one may listen") }
    await body(engine)
    hear(subscription, engine.hub)
    let isResting = engine.flight == nil && engine.decider.open.isEmpty
    try heedAnswers(isResting)
    if engine.decider.recovery.trouble != nil || !world.read({ $0.isAlive }) {
      world.write { [undecided] in $0.forget(undecided) }
    }
    if isResting || engine.decider.recovery.trouble != nil { undecided = [] }
    if isResting { world.write { $0.forgetNames() } }
    bury()
    try check()
  }

  /// What subscribers got.
  private func hear(_ subscription: ChangeSubscription, _ hub: ChangeHub) {
    let (changes, hasMissed) = subscription.drain()
    subscription.cancel()
    // As a client gets that reads in the store what it missed.
    defer { if hasMissed { list() } }
    for change in changes {
      switch change.object {
      case .channel(let snapshot):
        followed[snapshot.row.id] = Dictionary(uniqueKeysWithValues: snapshot.relays.map { ($0.id, $0.view) })
      case .channelRelay(let relay, let row): followed[row.channel, default: [:]][relay.id] = relay.view
      case .catalog: break
      }
      let last = lastPublished
      world.holds { ledger in
        guard change.revision > last else { throw Violation("revision \(change.revision) is published after \(last)") }
        try ledger.check(change)
      }
      lastPublished = change.revision
    }
    let told = hub.revision
    world.holds { ledger in
      guard told <= ledger.revision else { throw Violation("subscribers are at revision \(told), which is not durable") }
    }
  }

  /// What a client gets that lists the channels.
  private func list() {
    let channels = world.read { $0.ledger.channels }
    followed = channels.mapValues { channel in
      Dictionary(uniqueKeysWithValues: channel.relays.map { ($0.relay, ChannelRelayView($0.record)) })
    }
  }

  /// What is left of a daemon that died.
  private func bury() {
    world.write { state in
      state.fate = .works
      state.wordsLeft = nil
      state.readsLeft = nil
    }
    guard !world.read({ $0.isAlive }) else { return }
    kill()
  }

  func kill() {
    guard engine != nil else { return }
    world.note("the daemon is dead")
    engine = nil
    undecided = []
    world.write { state in
      state.isAlive = false
      state.unanswered = 0
      state.forget(state.inbox)
      state.inbox = []
      state.forgetNames()
      state.ledger.forgetSuperseded()
      state.relays.loseContact()
      state.tally.crashes += 1
    }
  }

  private func decideFate() {
    guard hasFaults else { return }
    decideReads()
    let isDoubtful = plan.hasDoubtfulCommits && chance(300)
    if isStorageBroken || chance(plan.storageFaults / 2) {
      world.write { $0.fate = isDoubtful ? .isDoubtful : .fails }
    } else {
      decideCrash()
    }
  }
}
