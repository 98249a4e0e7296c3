import Channels
import Coordinator
import Logging
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import SimpleX

/// One run: a daemon on a real store and the worker that drives a core, in a world in which answers are lost, connections break, relays
/// misbehave, others use the core, and the daemon ends at any moment.
///
/// Nothing in it takes real time. The worker takes one step after the other, and whatever else happens does so while it waits, by the
/// seed. The daemon's own tasks are waited for, so only the borders of its batches differ from run to run; no check depends on them.
final class WorkerSimulation {
  let plan: Plan
  let world: World
  let store: Store
  private let secrets: SecretBox
  private let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
  private var worker: CoreWorker?
  private var daemon: Task<Void, any Error>?
  /// The latest tests of relays that people asked for, and when that was.
  var tests: [AsyncStream<ProbeStep>] = []
  var testedAt: Timestamp?

  /// - Parameter folder: an empty one.
  init(seed: UInt64, folder: String, isTraced: Bool = false) throws {
    var random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    plan = Plan(random: &random)
    store = try Store(directory: folder + "/state")
    secrets = try .atFile(folder + "/key")
    world = World(plan: plan, seed: random.next(), storage: FaultyStorage(store), isTraced: isTraced)
  }

  /// Lives through the faults, then sees to it that everything ends well.
  func run() async throws {
    defer { store.close() }
    world.note("\(plan)")
    try await start()
    do {
      try await begin()
      world.write { $0.hasFaults = true }
      for _ in 0..<plan.steps {
        try await step()
        try check()
      }
      try await settle()
    } catch {
      try? await end(isCrash: false)
      throw error
    }
    try await end(isCrash: false)
    world.write { $0.tally.seeds = 1 }
  }

  func coordinator() throws -> Coordinator {
    guard let coordinator = world.read({ $0.coordinator }) else { throw Violation("the daemon does not run") }
    return coordinator
  }

  /// The relays that are known from the start, and the channel that is always there.
  private func begin() async throws {
    for address in World.relays {
      _ = try await coordinator().addRelay(network: .simplex, RelayEdit(address: address), force: true)
    }
    world.connect()
    await world.make("Anchor 0", on: [RelayID(rawValue: 1)], try coordinator())
    try await rest()
    try check()
    try checkGoals()
  }

  private func step() async throws {
    if world.chance(plan.restarts) { return try await restart() }
    if !world.read({ $0.isUp }), world.chance(40) { world.connect() }
    for _ in 0..<world.draw(0...8) { guard await turn() else { break } }
    world.write { $0.hasUserChanged = false }
    await world.happen()
    await world.calm()
  }

  // MARK: - The daemon

  private func start() async throws {
    let network = try WorkerNetwork(world, logger: logger)
    var policy = RelayPolicy()
    // The times of the daemon for this network.
    (policy.invitationTimeout, policy.verificationTimeout) = (.seconds(240), .seconds(120))
    policy.jitterSeed = plan.jitterSeed
    let coordinator = Coordinator(
      storage: world.storage, networks: [network], rules: Rules(policy: policy), clock: world.clock, secrets: secrets,
      logger: logger, seed: plan.jitterSeed)
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
    let daemon = Task {
      defer { readiness.finish() }
      try await coordinator.run { readiness.finish() }
    }
    self.daemon = daemon
    for await _ in ready {}
    while !world.read({ $0.listener != nil }) {
      guard !coordinator.isStopped else { return try await daemon.value }
      await Task.yield()
    }
    world.write { $0.coordinator = coordinator }
    worker = makeWorker()
  }

  private func makeWorker() -> CoreWorker {
    let (world, storage) = (world, KnownChannelStore(store))
    return CoreWorker(
      limits: SimpleXLimits(), logger: logger,
      around: .init(
        now: { world.clock.now },
        known: { name in
          await world.meanwhile()
          if world.read({ $0.isStoreUnreadable }) { throw StoreError(.inputOutput, "the disk does not answer") }
          return try await KnownChannels.onSimpleX(name, among: .all, in: storage)
        },
        served: { after, limit in
          await world.meanwhile()
          if world.read({ $0.isStoreUnreadable }) { throw StoreError(.inputOutput, "the disk does not answer") }
          return try await KnownChannels.servedOnSimpleX(after: after, limit: limit, among: .all, in: storage)
        },
        isNew: { name in world.read { $0.prepared.contains(name) } }, ask: { await world.ask($0) },
        test: { world.test($0, $1, $2) }, arrived: { world.takeInputs() }, report: { world.heard($0) },
        nudge: { wait in
          let time = world.clock.now + wait
          world.write { _ = $0.nudges.insert(time) }
        }))
  }

  /// One round of the worker, as its task makes them.
  /// - Returns: whether there was anything to do.
  func turn() async -> Bool {
    guard let worker else { return false }
    world.write { $0.hasUserChanged = false }
    let inputs = world.takeInputs()
    for input in inputs { worker.take(input) }
    let isBusy = await worker.step()
    if !world.read({ $0.hasFaults }) || world.chance(75) { await world.calm() }
    return isBusy || !inputs.isEmpty
  }

  private func end(isCrash: Bool) async throws {
    if !isCrash { await world.calm() }
    world.read { $0.coordinator }?.stop()
    worker?.end()
    worker = nil
    // What it still asks the worker for goes nowhere.
    defer { world.forgetDaemon(isCrash: isCrash) }
    try await daemon?.value
    daemon = nil
  }

  private func restart() async throws {
    let isCrash = world.chance(60)
    world.note(isCrash ? "the daemon crashes" : "the daemon restarts")
    try await end(isCrash: isCrash)
    world.storage.isBroken = false
    try await start()
    if world.chance(70) { world.connect() }
  }
}
