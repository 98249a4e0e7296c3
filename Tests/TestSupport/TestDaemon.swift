public import Channels
public import Cluster
public import Coordinator
public import Logging
internal import PostgreSQL
public import PostgreSQLStore
internal import RelayNetwork
public import Storage
internal import Store
internal import Synchronization

/// A daemon as far as channels are concerned: a session, and a coordinator that acts for its share of the channels. When its session is
/// over it begins again, as a process would.
public final class TestDaemon: Sendable {
  private struct State {
    var store: SharedStore?
    var coordinator: Coordinator?
    var running: Task<Void, any Error>?
    var slots = SlotSet.none
    var session: SessionMachine.ID?
    var isStopping = false
    var troubles: [String] = []
  }

  public let name: String
  public let network: FakeNetwork
  private let logger: Logger
  private let keeper: SessionKeeper
  private let address: PostgreSQLAddress
  private let key: String
  private let messages: (any MessageStorage)?
  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - folder: where the key is that all daemons share.
  ///   - earlier: a daemon on the same relays.
  ///   - messages: where messages are kept; `nil` if no one reads them.
  ///   - logger: the log of its coordinator.
  public init(
    _ name: String, on cluster: PostgreSQLCluster, folder: TemporaryFolder, relaysOf earlier: TestDaemon? = nil,
    messages: (any MessageStorage)? = nil, logger: Logger = RecordingLog().logger
  ) throws {
    self.name = name
    self.logger = logger
    self.messages = messages
    address = try PostgreSQLAddress(cluster.address())
    key = folder.path + "/key"
    network = FakeNetwork()
    if let earlier { network.adopt(earlier.network) }
    var settings = SessionKeeper.Settings(address: address, name: name, version: "1")
    settings.session = .init(lifetime: .seconds(5), margin: .milliseconds(500), retry: .milliseconds(100))
    settings.balance = .init(calm: .milliseconds(500), grace: .milliseconds(300))
    (settings.poll, settings.timeout) = (.milliseconds(100), .milliseconds(2_500))
    keeper = SessionKeeper(settings)
    let work = Task { [self] in await keeper.run { await self.take($0) } }
    task.withLock { $0 = work }
  }

  public var coordinator: Coordinator? { state.withLock { $0.coordinator } }
  /// Why it could not begin, if it could not.
  public var troubles: [String] { state.withLock { $0.troubles } }
  public var slots: SlotSet { state.withLock { $0.slots } }
  public var store: SharedStore? { state.withLock { $0.store } }
  public var session: SessionMachine.ID? { state.withLock { $0.session } }

  private func take(_ news: SessionNews) async {
    switch news {
    case .began(let id):
      do { try await begin(id) } catch { state.withLock { $0.troubles.append("\(name) cannot begin: \(error)") } }
    case .gained(let numbers):
      let some = SlotSet(numbers)
      // In this order: who sees the slots asks for something after the coordinator was told.
      coordinator?.gain(some)
      state.withLock { $0.slots = $0.slots.union(some) }
    case .lost(let numbers):
      let some = SlotSet(numbers)
      if let coordinator { await lose(some, coordinator) }
      state.withLock { $0.slots = $0.slots.subtracting(some) }
    case .suspended: await coordinator?.suspend()
    case .resumed: coordinator?.resume()
    case .ended: await end()
    case .connected, .pinned, .noSlotLeft, .trouble, .nameIsTaken, .nameIsFree: break
    }
  }

  /// Tries for as long as it is not known what is durable.
  private func lose(_ some: SlotSet, _ coordinator: Coordinator) async {
    while !Task.isCancelled {
      do throws(BatonError) { return try await coordinator.lose(some) } catch {
        guard case .storageUnavailable = error else { return }
      }
      await Task.yield()
    }
  }

  private func begin(_ id: SessionMachine.ID) async throws {
    guard !state.withLock({ $0.isStopping }) else { return }
    let trust = keeper.trust
    let store = SharedStore(SharedStore.Settings(address: address), session: id) { trust.session }
    var policy = RelayPolicy()
    policy.backOffFirst = .milliseconds(100)
    let parts = messages.map { MessageParts(storage: $0, channels: store, posts: store, decisions: store) }
    let coordinator = Coordinator(
      storage: store, posts: store, messages: parts, shared: store, slots: .none, mayAct: { trust.session == id },
      networks: [network],
      rules: Rules(policy: policy, schedule: nil, upkeep: nil), clock: SystemClock(), secrets: try .atFile(key),
      logger: logger)
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
    let running = Task {
      defer { readiness.finish() }
      try await coordinator.run { readiness.finish() }
    }
    for await _ in ready {}
    state.withLock { state in
      (state.store, state.coordinator, state.running, state.session) = (store, coordinator, running, id)
    }
  }

  private func end() async {
    let (coordinator, running, store) = state.withLock { state in
      defer { (state.coordinator, state.running, state.store, state.slots, state.session) = (nil, nil, nil, .none, nil) }
      return (state.coordinator, state.running, state.store)
    }
    coordinator?.stop()
    try? await running?.value
    await store?.close()
  }

  /// Ends in order; others take its channels at once.
  public func stop() async {
    state.withLock { $0.isStopping = true }
    if let coordinator { await lose(slots, coordinator) }
    await end()
    keeper.stop(beginsAgain: false)
    await task.withLock { $0 }?.value
    await end()
  }
}
