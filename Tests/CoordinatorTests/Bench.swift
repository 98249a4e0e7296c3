import Channels
import Coordinator
import RelayNetwork
import SimpleX
import Store
import TestSupport

/// A coordinator on a real store, with a network inside the process and a clock that the test moves.
final class Bench: Sendable {
  let folder: TemporaryFolder
  let clock: ManualClock
  let network: FakeNetwork
  let servers = FakeServers()
  let log = RecordingLog()
  let store: Store
  let storage: FaultyStorage
  let coordinator: Coordinator
  private let task: Task<Void, any Error>

  /// - Parameter schedule: of tests in the background; nil: none.
  init(
    _ earlier: Bench? = nil, network: FakeNetwork = FakeNetwork(), schedule: TestSchedule? = nil, upkeep: UpkeepPolicy? = nil
  ) async throws {
    folder = try earlier?.folder ?? TemporaryFolder()
    clock = earlier?.clock ?? ManualClock()
    self.network = network
    // The same relays as before.
    if let earlier { network.adopt(earlier.network) }
    store = try Store(directory: folder.path + "/state")
    storage = FaultyStorage(store)
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    let coordinator = Coordinator(
      storage: storage, networks: [network], addressing: [SimpleXAddressing()], servers: servers,
      rules: Rules(policy: policy, schedule: schedule, upkeep: upkeep), clock: clock,
      secrets: try .atFile(folder.path + "/key"), logger: log.logger)
    self.coordinator = coordinator
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
    task = Task {
      defer { readiness.finish() }
      try await coordinator.run { readiness.finish() }
    }
    for await _ in ready {}
    while !network.isRunning { await Task.yield() }
  }

  func addRelays(_ count: Int) async throws -> [RelayID] {
    var ids: [RelayID] = []
    for number in 1...count {
      ids.append(
        try await coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r\(number)"), force: false).id)
    }
    return ids
  }

  func create(_ name: String = "News", relays: [RelayID]? = nil, key: String? = nil) async throws -> ChannelSnapshot {
    try await coordinator.create(
      ChannelRequest(profile: Profile(displayName: name), relays: relays, idempotencyKey: key))
  }

  /// Lets everything happen that needs no clock: what one round of answers leads to is there in the next.
  func settle() async throws {
    for _ in 0..<6 { try await coordinator.barrier() }
  }

  /// The channel once `isDone`, moving the clock from timer to timer where it must be moved.
  func channel(_ id: ChannelID, until isDone: (ChannelSnapshot) -> Bool) async throws -> ChannelSnapshot {
    for _ in 0..<200 {
      try await settle()
      guard let stored = try store.channel(id) else { throw StoreError(.corrupt, "the channel is gone") }
      let snapshot = coordinator.snapshot(stored)
      if isDone(snapshot) { return snapshot }
      // The waker may still be on its way to the clock.
      if let next = clock.nextWake { clock.advance(by: max(next - clock.now, .zero)) } else { await Task.yield() }
    }
    throw StoreError(.inputOutput, "the channel does not get there")
  }

  func stop() async throws {
    coordinator.stop()
    try await task.value
    store.close()
  }
}
