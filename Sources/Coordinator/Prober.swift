internal import Channels
internal import RelayNetwork
internal import Storage
internal import Synchronization

/// The result of a test.
struct ProbeVerdict: Equatable, Sendable {
  /// The step that failed. `nil` if all passed.
  var failure: (step: String, trouble: Trouble)?
  /// The time from looking up the name to the open connection.
  var roundTrip: Duration?
  var isFull: Bool
  var description: PeerDescription?

  static let overdue = ProbeVerdict(
    failure: ("test", Trouble(.timeout, "the test did not end in time")), roundTrip: nil, isFull: false, description: nil)

  /// The verdict on a peer with an invalid address.
  static let unreadable = ProbeVerdict(
    failure: ("address", Trouble(.protocol, "the stored address is unreadable")), roundTrip: nil, isFull: false,
    description: nil)

  static func == (a: Self, b: Self) -> Bool {
    a.failure?.step == b.failure?.step && a.failure?.trouble == b.failure?.trouble && a.roundTrip == b.roundTrip
      && a.isFull == b.isFull && a.description == b.description
  }

  /// Combines the steps of a test.
  init(_ steps: [ProbeStep], isFull: Bool) {
    let reach = steps.filter { $0.failure == nil && Self.reachSteps.contains($0.name) }
    let failed = steps.first { $0.failure != nil }
    failure = failed.flatMap { step in step.failure.map { (step.name, $0) } }
    if steps.isEmpty { failure = ("test", Trouble(.cancelled, "the test did not run")) }
    roundTrip = reach.contains { $0.name == "connect" } ? reach.reduce(.zero) { $0 + $1.duration } : nil
    self.isFull = isFull
    description = steps.compactMap(\.selfDescription).last
  }

  private init(failure: (step: String, trouble: Trouble)?, roundTrip: Duration?, isFull: Bool, description: PeerDescription?) {
    self.failure = failure
    self.roundTrip = roundTrip
    self.isFull = isFull
    self.description = description
  }

  private static let reachSteps: Set<String> = ["resolve", "connect", "tls"]
}

/// Runs tests in the background, each in a separate task, and delivers their results.
final class Prober: Sendable {
  private let deliver: @Sendable (Probed, _ address: String, ProbeVerdict) -> Void
  private let tasks = Mutex<[Probed: Task<Void, Never>]>([:])

  init(deliver: @escaping @Sendable (Probed, _ address: String, ProbeVerdict) -> Void) {
    self.deliver = deliver
  }

  /// - Parameter steps: begins the test and streams it.
  func start(_ peer: Probed, at address: String, isFull: Bool, _ steps: @escaping @Sendable () -> AsyncStream<ProbeStep>) {
    tasks.withLock { tasks in
      tasks[peer]?.cancel()
      tasks[peer] = Task { [deliver] in
        var all: [ProbeStep] = []
        for await step in steps() { all.append(step) }
        if !Task.isCancelled { deliver(peer, address, ProbeVerdict(all, isFull: isFull)) }
      }
    }
  }

  /// The number of tests whose results the engine does not have yet.
  var count: Int { tasks.withLock { $0.count } }

  func cancel(_ peer: Probed) { tasks.withLock { $0.removeValue(forKey: peer) }?.cancel() }

  func ended(_ peer: Probed) { tasks.withLock { $0[peer] = nil } }

  func stop() {
    for task in tasks.withLock({ Array($0.values) }) { task.cancel() }
  }
}
