import Channels
import Logging
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import Coordinator

/// One run: the engine for posts on a real store, in a world that fails in every way that one seed can think of. As in `Simulation`, the
/// seed is all there is. Channels change as if their engine had written that.
final class PostSimulation: SeededRun {
  /// A post that someone ordered, perhaps more than once.
  struct Order {
    let number: Int
    let key: String?
    let channel: ChannelID
    /// The post that this one takes the place of.
    var replaces: PostID?
    /// When it is to be published, and for how many seconds after that it still may be.
    var at: (time: Timestamp, tolerance: Int)?
    /// Whether it is only stored.
    var isDraft = false
    var text: String { "order \(number)" }
  }

  let plan: PostPlan
  let world: PostWorld
  let store: Store
  let channels: FaultyStorage
  var random: SplitMix64
  /// nil: the daemon does not run.
  var engine: PostEngine?
  private(set) var hub = PostHub()
  var orders: [Order] = []
  var documents = 0
  var isStorageBroken = false
  /// Whether relays, network and storage may misbehave.
  var hasFaults = true
  /// What the engine was given since all that it decided was durable.
  private var undecided: [PostInput] = []
  private var stoppedAt: Timestamp?

  init(seed: UInt64, store: Store, isTraced: Bool) {
    var random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 2)
    plan = PostPlan(random: &random)
    world = PostWorld(plan: plan, isTraced: isTraced)
    self.random = random
    self.store = store
    channels = FaultyStorage(store)
  }

  func relay(_ number: Int) -> RelayID { RelayID(rawValue: Int64(number)) }

  var isRunning: Bool { engine != nil }
  var wakeAt: Timestamp? { engine?.wakeAt }
  var counts: PostWorld.Tally { world.read { $0.tally } }

  func run() async throws {
    world.note("\(plan)")
    try await channels.write(ChannelRows.catalog(relays: plan.relays, at: now))
    for number in 1...plan.channels {
      let count = Int.random(in: 1...plan.relays, using: &random)
      let relays = Array((1...plan.relays).map(relay).shuffled(using: &random).prefix(count)).sorted()
      try await channels.write(ChannelRows.channel(ChannelID(rawValue: Int64(number)), on: relays, at: now))
    }
    try await start()
    for _ in 0..<plan.steps { try await step() }
    try await settle()
    await channels.compareFigures()
    world.write { state in
      state.tally.seeds = 1
      state.tally.steps = plan.steps
    }
  }

  // MARK: - The daemon

  /// Starts the daemon. When storage cannot be read it gives up, as the real one does, and is started again later.
  func start() async throws {
    world.note("start")
    try world.read { $0.ledger }.compare(with: store)
    let begun = world.write { state in
      state.isAlive = true
      state.wordsLeft = nil
      state.inbox = []
      (state.comparisons, state.compositions) = ([], [])
      state.elsewhere.forget()
      (state.hasFailed, state.hasDoubt) = (false, false)
      return state.ledger.revision
    }
    let away = world.read { $0.elsewhere.away }
    decideFate()
    let directory = RelayDirectory(
      networks: [PostSimNetwork(world)], addressing: [], servers: nil, seed: plan.policy.jitterSeed)
    let catalog = try await Catalog(stored: channels, addressing: directory.addressing)
    directory.write { $0.catalog = catalog }
    hub = PostHub()
    do {
      let engine = try await PostEngine(
        storage: PostSimStorage(channels, world), channels: channels, slots: SlotSet.all.subtracting(away),
        directory: directory,
        rules: Rules(policy: RelayPolicy(), delivery: plan.policy, upkeep: UpkeepPolicy()), clock: world.clock,
        logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, hub: hub, isEager: false,
        compose: { [world] in world.begin($0) }, put: { [world] in world.post($0) })
      guard hub.revision == begun else { throw Violation("the daemon starts at revision \(hub.revision), it was at \(begun)") }
      self.engine = engine
      try await engine.resume(stoppedAt: stoppedAt)
    } catch let violation as Violation {
      throw violation
    } catch {
      if !world.read({ $0.hasFailed || !$0.isAlive }) { throw Violation("the daemon does not start: \(error)") }
      world.die()
    }
    try bury()
    try check()
  }

  /// Lets the daemon take the first inputs from its inbox.
  func process(_ count: Int) async throws {
    guard engine != nil else { return }
    let inputs = world.write { state in
      let inputs = Array(state.inbox.prefix(count))
      state.inbox.removeFirst(inputs.count)
      state.unanswered += inputs.count(where: Self.isRequest)
      return inputs
    }
    guard !inputs.isEmpty else { return }
    world.note("process \(inputs.map(Self.words).joined(separator: ", "))")
    undecided += inputs
    try await live { engine in
      await engine.process(inputs)
      // Sometimes more comes in before the commit is over.
      if !hasFaults || chance(650) { await engine.rest() }
    }
  }

  /// Lets what was decided become durable.
  func land() async throws {
    guard let engine, engine.flight != nil || engine.decider.isOpen else { return }
    try await live { await $0.rest() }
  }

  private func live(_ body: (PostEngine) async -> Void) async throws {
    guard let engine else { return }
    decideFate()
    world.write { ($0.hasFailed, $0.hasDoubt) = (false, false) }
    await body(engine)
    stoppedAt = now
    world.write { [undecided] state in if state.hasFailed || !state.isAlive { state.forget(undecided) } }
    if let violation = world.read({ $0.violation }) { throw violation }
    if engine.flight == nil, !engine.decider.isOpen {
      undecided = []
      if world.read({ $0.isAlive && $0.unanswered != 0 }) { throw Violation("requests are not answered, and nothing waits") }
    }
    try bury()
    try check()
  }

  /// What is left of a daemon that died.
  private func bury() throws {
    let isAlive = world.write { state in
      state.fate = .works
      (state.wordsLeft, state.readsLeft) = (nil, nil)
      return state.isAlive
    }
    if !isAlive { try kill() }
  }

  func kill() throws {
    world.note("the daemon is dead")
    engine = nil
    var random = random
    world.attempt { [undecided] state in
      state.isAlive = false
      state.unanswered = 0
      state.forget(undecided + state.inbox)
      state.inbox = []
      state.tally.crashes += 1
      try state.relays.loseContact(&random)
    }
    self.random = random
    undecided = []
    if let violation = world.read({ $0.violation }) { throw violation }
  }

  private func decideFate() {
    guard hasFaults else { return }
    decideReads()
    if isStorageBroken || chance(plan.storageFaults) {
      var fates = [PostWorld.CommitFate.fails]
      if plan.hasDoubtfulCommits { fates += [.isDurable, .isLost] }
      if plan.hasRefusals, !isStorageBroken { fates.append(.refuses) }
      let fate = fates.randomElement(using: &random) ?? .fails
      world.write { $0.fate = fate }
    } else {
      decideCrash()
    }
  }
}
