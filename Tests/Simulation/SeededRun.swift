import Channels
import Store
import TestSupport

/// How often what goes wrong. Of several seeds, each leaves some faults out.
protocol SeededPlan {
  /// In thousandths of the steps.
  var crashes: Int { get }
  var storageFaults: Int { get }
  var hasReadFaults: Bool { get }
  /// Inputs that one batch takes at most.
  var batchMax: Int { get }
}

/// One run of a simulation, of which the seed is all there is.
protocol SeededRun: AnyObject, SendableMetatype {
  associatedtype Counts: RunCounts
  associatedtype Outside: SeededWorld
  associatedtype Chances: SeededPlan

  /// - Parameter store: an empty one.
  init(seed: UInt64, store: Store, isTraced: Bool)
  /// Lives through the faults, then sees to it that everything ends well.
  func run() async throws
  var counts: Counts { get }

  var plan: Chances { get }
  var world: Outside { get }
  var random: SplitMix64 { get set }
  var isStorageBroken: Bool { get set }
  /// Whether the daemon runs.
  var isRunning: Bool { get }
  /// When the daemon wants to be woken; nil if it does not, or does not run.
  var wakeAt: Timestamp? { get }
  /// The alarm of the engine rings once its time has come.
  func wakeIfDue()
  /// Lets the daemon take the first inputs from its inbox.
  func process(_ count: Int) async throws
  /// Lets what was decided become durable.
  func land() async throws
}

extension SeededRun {
  var clock: SimClock { world.clock }
  var now: Timestamp { clock.now }
  /// What happened, for people; empty unless the run is traced.
  var lines: [String] { world.lines }
  private var isInboxEmpty: Bool { world.read { $0.inbox.isEmpty } }

  func chance(_ thousandths: Int) -> Bool { Int.random(in: 0..<1_000, using: &random) < thousandths }

  /// Lets time pass and the engine wake up in it; not always in time, as if the machine had been asleep.
  func pass(_ duration: Duration) async throws {
    let end = now + duration
    var rings = 4
    while rings > 0, let due = wakeAt, due <= end {
      clock.now = max(now, due)
      wakeIfDue()
      try await drain()
      rings -= 1
    }
    clock.now = max(now, end)
  }

  /// Processes until nothing waits.
  func drain() async throws {
    var rounds = 0
    while isRunning {
      rounds += 1
      guard rounds < 20_000 else { throw Violation("the engine does not come to rest") }
      if isInboxEmpty {
        try await land()
        if isInboxEmpty { return }
      } else {
        try await process(plan.batchMax)
      }
    }
  }

  /// Lets the daemon do what waits for it.
  /// - Returns: whether nothing did, and all that was decided is durable.
  func isAtRest() async throws -> Bool {
    wakeIfDue()
    guard isInboxEmpty else {
      try await drain()
      return false
    }
    try await land()
    return isInboxEmpty
  }

  // MARK: - Faults

  func breakOrMendStorage() {
    if isStorageBroken {
      if chance(400) { mendStorage() }
    } else if chance(plan.storageFaults * 3) {
      isStorageBroken = true
      let areReadsBroken = plan.hasReadFaults && chance(500)
      world.write { $0.areReadsBroken = areReadsBroken }
      world.note("storage breaks\(areReadsBroken ? ", for reading too" : "")")
    }
  }

  func mendStorage() {
    isStorageBroken = false
    world.write { $0.areReadsBroken = false }
    world.note("storage works")
  }

  /// Decides how many reads still succeed.
  func decideReads() {
    guard plan.hasReadFaults, chance(plan.storageFaults * 2) else { return }
    let reads = Int.random(in: 0..<6, using: &random)
    world.write { $0.readsLeft = reads }
  }

  /// Decides whether the daemon dies, and when.
  func decideCrash() {
    guard chance(plan.crashes) else { return }
    let kind = Int.random(in: 0..<4, using: &random)
    let words = Int.random(in: 0..<4, using: &random)
    world.write { state in
      switch kind {
      case 0: state.fate = .crashesBefore
      case 1: state.fate = .crashesAfter
      default: state.wordsLeft = words
      }
    }
  }
}
