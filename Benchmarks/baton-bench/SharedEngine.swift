import Channels
import Cluster
import Coordinator
import Foundation
import Logging
import PostgreSQL
import PostgreSQLStore
import Storage
import Store
import Synchronization
import TestSupport

/// A coordinator on a database that others share, with a session of its own and a network inside the process.
final class SharedEngine: Sendable {
  private struct State {
    var coordinator: Coordinator?
    var store: SharedStore?
    var running: Task<Void, any Error>?
    var slots = SlotSet.none
  }

  private let name: String
  private let address: PostgreSQLAddress
  private let key: String
  private let keeper: SessionKeeper
  private let state = Mutex(State())
  private let keeping = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter key: the file with the key that all of them have.
  init(_ name: String, on cluster: PostgreSQLCluster, key: String) throws {
    self.name = name
    self.key = key
    address = try PostgreSQLAddress(cluster.address())
    var settings = SessionKeeper.Settings(address: address, name: name, version: "1")
    // So that shares are even soon.
    settings.balance = .init(calm: .milliseconds(500), grace: .seconds(1))
    settings.poll = .milliseconds(100)
    keeper = SessionKeeper(settings)
    let task = Task { [self] in
      await keeper.run { news in
        switch news {
        case .began(let id): await self.begin(id)
        case .gained(let numbers): self.state.withLock { $0.slots = $0.slots.union(SlotSet(numbers)) }
        case .lost(let numbers): self.state.withLock { $0.slots = $0.slots.subtracting(SlotSet(numbers)) }
        case .connected, .pinned, .noSlotLeft, .suspended, .resumed, .trouble, .nameIsTaken: return
        case .ended: fatalError("the session of \(self.name) is over; the machine is too busy to measure anything")
        }
        await self.pass(news)
      }
    }
    keeping.withLock { $0 = task }
  }

  private func begin(_ id: SessionMachine.ID) async {
    let trust = keeper.trust
    let store = SharedStore(SharedStore.Settings(address: address), session: id) { trust.session }
    guard let secrets = try? SecretBox.atFile(key) else { fatalError("there is no key") }
    let coordinator = Coordinator(
      storage: store, posts: nil, shared: store, slots: .none, mayAct: { trust.session == id }, networks: [FakeNetwork()],
      rules: Rules(policy: RelayPolicy(), schedule: nil, upkeep: nil), clock: SystemClock(), secrets: secrets,
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      hub: ChangeHub(queueMax: 1_000_000, bytesMax: 1 << 30))
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
    let running = Task {
      defer { readiness.finish() }
      try await coordinator.run { readiness.finish() }
    }
    for await _ in ready {}
    state.withLock { ($0.coordinator, $0.store, $0.running) = (coordinator, store, running) }
  }

  private func pass(_ news: SessionNews) async {
    guard let coordinator else { return }
    switch news {
    case .gained(let numbers): coordinator.gain(SlotSet(numbers))
    case .lost(let numbers): while (try? await coordinator.lose(SlotSet(numbers))) == nil { await Task.yield() }
    default: break
    }
  }

  var coordinator: Coordinator? { state.withLock { $0.coordinator } }
  var slotCount: Int { state.withLock { $0.slots.numbers.count } }

  /// Creates channels on these relays, by so many callers at once.
  func create(_ count: Int, on relays: [RelayID], callers: Int = 256) async throws {
    guard let coordinator else { throw CancellationError() }
    let name = name
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<callers {
        group.addTask {
          for number in stride(from: worker, to: count, by: callers) {
            _ = try await coordinator.create(
              ChannelRequest(profile: Profile(displayName: "Channel \(number) of \(name)"), relays: relays))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  func stop() async throws {
    let (coordinator, running, store) = state.withLock { ($0.coordinator, $0.running, $0.store) }
    coordinator?.stop()
    try await running?.value
    keeper.stop(beginsAgain: false)
    await keeping.withLock { $0 }?.value
    await store?.close()
  }
}
