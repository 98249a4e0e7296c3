import Channels
import RelayNetwork
import SimpleX
import Storage
import Store
import TestSupport

@testable import Coordinator

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
  /// Whether another one uses the store, too.
  private let isGuest: Bool

  /// - Parameters:
  ///   - host: another bench that runs at the same time on the same store.
  ///   - slots: the channels for which the coordinator acts at first.
  ///   - mayAct: whether it may do anything outside.
  ///   - schedule: the schedule of background tests; nil for none.
  ///   - posts: whether posts are published.
  ///   - messages: where messages are kept; `nil` if no one reads them.
  init(
    _ earlier: Bench? = nil, beside host: Bench? = nil, slots: SlotSet = .all,
    mayAct: @escaping @Sendable () -> Bool = { true },
    network: FakeNetwork = FakeNetwork(),
    schedule: TestSchedule? = nil, upkeep: UpkeepPolicy? = nil,
    posts: Bool = false, messages: (any MessageStorage)? = nil
  ) async throws {
    isGuest = host != nil
    folder = try (earlier ?? host)?.folder ?? TemporaryFolder()
    clock = (earlier ?? host)?.clock ?? ManualClock()
    self.network = network
    // The same relays as before.
    if let earlier { network.adopt(earlier.network) }
    let store = try host?.store ?? Store(directory: folder.path + "/state")
    self.store = store
    storage = host?.storage ?? FaultyStorage(store)
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    var delivery = DeliveryPolicy()
    delivery.backOffJitterPercent = 0
    let known = KnownChannelStore(store)
    let parts = messages.map { [storage] in MessageParts(storage: $0, channels: known, posts: storage, decisions: storage) }
    let coordinator = Coordinator(
      storage: storage, posts: posts ? storage : nil, messages: parts, slots: slots, mayAct: mayAct, networks: [network],
      addressing: [SimpleXAddressing()],
      servers: servers,
      rules: Rules(policy: policy, delivery: delivery, schedule: schedule, upkeep: upkeep), clock: clock,
      secrets: try .atFile(folder.path + "/key"), logger: log.logger, earlyMin: 1)
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

  /// Lets everything happen that needs no clock, including the consequences of each round of answers.
  func settle() async throws {
    for _ in 0..<6 {
      // Sleepers that the clock has woken run in other tasks, and so do background tests.
      while clock.isWaking || coordinator.testsUnderWay > network.silentTests { await Task.yield() }
      try await coordinator.barrier()
    }
  }

  /// The channel once `isDone`, moving the clock from timer to timer where it must be moved.
  func channel(_ id: ChannelID, until isDone: (ChannelSnapshot) -> Bool) async throws -> ChannelSnapshot {
    func snapshot() throws -> ChannelSnapshot {
      guard let stored = try store.channel(id) else { throw StoreError(.corrupt, "the channel is gone") }
      return coordinator.snapshot(stored)
    }
    try await move { isDone(try snapshot()) }
    return try snapshot()
  }

  /// Moves the clock from timer to timer until `isDone`.
  func move(atMost max: Int = 200, until isDone: () throws -> Bool) async throws {
    try await move(atMost: max, settling: settle, until: isDone)
  }

  /// Moves the clock from timer to timer until `isDone`.
  /// - Parameter settle: lets everything happen that needs no clock.
  func move(atMost max: Int, settling settle: () async throws -> Void, until isDone: () throws -> Bool) async throws {
    var (moves, looks) = (0, 0)
    while moves < max, looks < 100_000 {
      try await settle()
      if try isDone() { return }
      looks += 1
      guard let next = clock.nextWake else {
        // The waker may still be on its way to the clock.
        await Task.yield()
        continue
      }
      clock.advance(by: Swift.max(next - clock.now, .zero))
      moves += 1
    }
    throw StoreError(.inputOutput, "it does not get there")
  }

  func stop() async throws {
    coordinator.stop()
    try await task.value
    if isGuest { return }
    await storage.compareFigures()
    store.close()
  }
}
