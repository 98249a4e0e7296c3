import Channels
import RelayNetwork
import Storage
import Store
import Synchronization
import TestSupport
import Testing

@testable import Coordinator

/// The end of a coordinator that may not go on: no one waits for an answer forever.
struct StoppingTests {
  @Test func coordinatorStopsOnceSomebodyElseOwnsTheStore() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let performed = bench.network.performed
    bench.storage.hold()
    let first = Task { try await bench.create("First", relays: relays) }
    while !bench.storage.isCommitWaiting { await Task.yield() }
    let second = Task { try await bench.create("Second", relays: relays) }
    while bench.coordinator.inputsWaiting < 1 { await Task.yield() }
    bench.storage.isFenced = true
    bench.storage.release()
    await #expect(throws: BatonError.storageUnavailable(reason: "another daemon owns what is stored")) {
      try await first.value
    }
    // It was decided, or waited to be.
    await #expect(throws: BatonError.self) { try await second.value }
    await #expect(throws: StoreError.self) { try await bench.stop() }
    #expect(bench.coordinator.isStopped && bench.network.performed == performed, "nothing is done any more")
    await #expect(throws: BatonError.busy) { try await bench.coordinator.heartbeat() }
    #expect(try bench.store.counters().channel == 0)
    bench.store.close()
  }

  /// For each answer whether it refuses.
  private final class Answers: Sendable {
    private let all = Mutex<[Bool]>([])
    func add(isRefusal: Bool, _: Void = ()) { all.withLock { $0.append(isRefusal) } }
    var refusals: [Bool] { all.withLock { $0 } }
  }

  /// - isNew: whether the first write fails, that of the identity `main`, or the first one after that.
  @Test(.timeLimit(.minutes(10)), arguments: [false, true])
  func requestsThatWaitAreAnsweredWhenTheStartFails(isNew: Bool) async throws {
    let earlier = isNew ? nil : try await Bench()
    try await earlier?.stop()
    let folder = try earlier?.folder ?? TemporaryFolder()
    let path = folder.path
    let store = try Store(directory: path + "/state")
    let storage = FaultyStorage(store)
    storage.isBroken = true
    let coordinator = Coordinator(
      storage: storage, posts: storage, networks: [FakeNetwork()], rules: Rules(policy: RelayPolicy()), clock: ManualClock(),
      secrets: try .atFile(path + "/key"), logger: RecordingLog().logger)
    let answers = Answers()
    for _ in 1...3 {
      Task {
        do { answers.add(isRefusal: false, try await coordinator.heartbeat()) } catch { answers.add(isRefusal: true) }
      }
      Task {
        do { answers.add(isRefusal: false, try await coordinator.postBarrier()) } catch { answers.add(isRefusal: true) }
      }
    }
    while coordinator.inputsWaiting < 3 || coordinator.postInbox.count < 3 { await Task.yield() }
    // Whoever runs the daemon tells statuses apart by this.
    let failure = await #expect(throws: StoreError.self) { try await coordinator.run {} }
    #expect(failure?.code == .inputOutput && failure?.description == "database or disk is full")
    for _ in 0..<10_000 where answers.refusals.count < 6 { await Task.yield() }
    #expect(answers.refusals == Array(repeating: true, count: 6))
    #expect(coordinator.isStopped)
    store.close()
    withExtendedLifetime(folder) {}
  }
}
