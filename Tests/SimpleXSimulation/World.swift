import Channels
import Coordinator
import RelayNetwork
import ScriptedCore
import StrictJSON
import Synchronization
import TestSupport

@testable import SimpleX

/// What surrounds the worker and the daemon: a core, the connections to it, and everyone who uses either. All chance comes from one seed.
final class World: Sendable {
  static let relays = (1...5).map { "https://smp\($0).simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY" }
  /// The core's clock and the daemon's begin at the same moment.
  static let start = Timestamp(milliseconds: 1_767_225_600_000)
  static let lanes = 0..<2
  /// A channel that is always there, on a relay that is always good, so that it is always clear which core and user are the right ones.
  static let anchor = ChannelID(rawValue: 1)

  /// A command whose answer was lost, and which the core carries out later.
  struct Late {
    let text: String
    let due: Timestamp
    /// The channel that the command is about; `nil` if it makes one.
    let channel: String?
  }

  struct PendingTest {
    let lane: Int
    let user: CoreUser.ID
    let address: CoreRelayAddress
  }

  struct State {
    var random: SplitMix64
    var model = CoreModel(relays: World.relays)
    /// Whether the connection for everything except tests is open.
    var isUp = false
    var lanesUp: Set<Int> = []
    var tests: [PendingTest] = []
    var late: [Late] = []
    /// What the worker did not take yet.
    var inputs: [SimpleXNetwork.Input] = []
    /// When the worker wants to be woken.
    var nudges: Set<Timestamp> = []
    /// Names that were given since the daemon started.
    var prepared: Set<String> = []
    /// What the worker said and the daemon did not hear yet.
    var reports: [NetworkReport] = []
    var listener: (@Sendable (NetworkReport) -> Void)?
    var coordinator: Coordinator?
    /// Whether anything may go wrong.
    var hasFaults = false
    var isStoreUnreadable = false
    /// Whether another user became the active one, or no longer is, since the worker's step began: once is bad enough.
    var hasUserChanged = false
    /// Channels that someone made in the core without Baton, as they were then.
    var strangers: [CoreModel.Seen] = []
    var orders = 0
    var renamed: Set<ChannelID> = []
    /// The first thing that must never happen and did.
    var violation: Violation?
    var tally = Tally()
    var lines: [String] = []
  }

  let plan: Plan
  let clock = ManualClock(now: World.start)
  let storage: FaultyStorage
  private let isTraced: Bool
  private let state: Mutex<State>

  init(plan: Plan, seed: UInt64, storage: FaultyStorage, isTraced: Bool) {
    self.plan = plan
    self.storage = storage
    self.isTraced = isTraced
    state = Mutex(State(random: SplitMix64(seed: seed)))
    write { $0.model.settlesAtOnce = false }
  }

  @discardableResult
  func write<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }
  func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

  func note(_ line: @autoclosure () -> String) {
    guard isTraced else { return }
    let words = "\((clock.now - Self.start).wholeMilliseconds) ms: \(line())"
    write { $0.lines.append(words) }
  }

  // MARK: - Chance

  func chance(_ percent: Int) -> Bool { draw(0...99) < percent }
  func draw(_ range: ClosedRange<Int>) -> Int { write { Int.random(in: range, using: &$0.random) } }
  func pick<Value: Sendable>(_ values: [Value]) -> Value? { write { values.randomElement(using: &$0.random) } }

  // MARK: - The daemon

  /// What the worker says reaches the daemon when it is handed over.
  func heard(_ report: NetworkReport) {
    note("report \(report)")
    write { state in
      switch report {
      case .named: state.tally.named += 1
      case .lost(let channel, let relay, let trouble):
        state.tally.lost += 1
        if channel == Self.anchor { state.violation = Violation("\(channel) is said to be lost on \(relay): \(trouble)") }
      case .outcome, .stray, .relayUp, .relayDown, .state, .delivery, .compared, .read, .served, .synced, .searched,
        .unreadable:
        break
      }
      state.reports.append(report)
    }
  }

  private func handOver() {
    guard let listener = read({ $0.listener }) else { return }
    let reports = write { state in
      defer { state.reports = [] }
      return state.reports
    }
    for report in reports { listener(report) }
  }

  /// Lets the daemon do all that follows from what it has heard and from the time. What its timers have woken takes its way through other
  /// tasks.
  func calm() async {
    handOver()
    guard let coordinator = read({ $0.coordinator }) else { return }
    for _ in 0..<2 {
      while clock.isWaking { await Task.yield() }
      for _ in 0..<5 { await Task.yield() }
      try? await coordinator.barrier()
    }
  }

  /// The daemon is gone, and so is what it had in memory.
  /// - Parameter isCrash: whether the network's last words were lost.
  func forgetDaemon(isCrash: Bool) {
    write { state in
      if isCrash { state.tally.crashes += 1 }
      (state.inputs, state.reports, state.nudges, state.prepared) = ([], [], [], [])
      (state.listener, state.coordinator) = (nil, nil)
      (state.isUp, state.lanesUp, state.tests) = (false, [], [])
      // No one knows any more that a relay may still be invited.
      state.late.removeAll { $0.channel != nil }
    }
  }

  // MARK: - The worker

  func takeInputs() -> [SimpleXNetwork.Input] {
    write { state in
      defer { state.inputs = [] }
      return state.inputs
    }
  }

  /// Whether no one has anything to do before time passes.
  var isQuiet: Bool { read { $0.inputs.isEmpty && $0.reports.isEmpty && $0.tests.isEmpty } }

  // MARK: - Time

  /// The next moment at which something is due.
  var nextDue: Timestamp? {
    let own = read { state in (state.nudges + state.late.map(\.due)).min() }
    return [own, clock.nextWake].compactMap { $0 }.min()
  }

  /// Lets time pass until `time`, for everyone.
  func pass(until time: Timestamp) {
    let time = max(time, clock.now)
    while let late = read({ state in state.late.filter { $0.due <= time }.min { $0.due < $1.due } }) {
      move(to: max(late.due, clock.now))
      carryOut(late)
    }
    move(to: time)
    write { state in
      guard state.nudges.contains(where: { $0 <= time }) else { return }
      state.nudges = state.nudges.filter { $0 > time }
      state.inputs.append(.nudged)
    }
  }

  private func move(to time: Timestamp) {
    let span = time - clock.now
    write { $0.model.advance(by: span) }
    clock.advance(by: span)
  }

  private func carryOut(_ late: Late) {
    note("late \(late.text.prefix(60))")
    write { state in
      state.late.removeAll { $0.text == late.text && $0.due == late.due }
      // Its channel may be gone, and the number another's.
      guard late.channel.map({ name in state.model.channelsSeen.contains { $0.name == name } }) ?? true else { return }
      state.tally.late += 1
      _ = state.model.execute(late.text)
      state.hear()
    }
  }
}
