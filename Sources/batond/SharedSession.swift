internal import Channels
internal import Cluster
internal import ControlServer
internal import Coordinator
internal import Logging
internal import PostgreSQL
internal import PostgreSQLStore
internal import RelayNetwork
internal import Storage
internal import Synchronization

/// This daemon's part in a shared store: its session in the database, and the channels that belong to it.
///
/// A session is one run. When the session is over, the daemon's data may be out of date, so the daemon ends, and the service manager starts
/// it again.
final class SharedSession: Sendable {
  /// How far this machine's clock may differ from the database's, because daemons read times that others wrote.
  private static let clockMax: Int64 = 60_000

  private struct State {
    var coordinator: Coordinator?
    /// Called when the daemon begins to manage operators, servers and relays.
    var whenCatalogGained: (@Sendable () -> Void)?
    /// The slot that is pinned to the daemon, for its chat core.
    var core: Int?
    /// Whether the daemon has served.
    var wasReady = false
    /// Whether an earlier daemon has the same name.
    var isNameTaken = false
    /// The last reported trouble of the database, so that the same trouble is reported once.
    var trouble: String?
  }

  /// An event before there is a session.
  private enum Beginning {
    case news(SessionNews)
    case session(SharedSession)
  }

  let id: SessionMachine.ID
  private let name: String
  let store: SharedStore
  private let owned: Slots
  let desk: CallDesk
  /// Compares the files that declare operators with the other daemons' files.
  let declarations: SharedDeclarations
  private let keeper: SessionKeeper
  private let logger: Logger
  private let state = Mutex(State())
  private let over: AsyncStream<Void>
  private let ending: AsyncStream<Void>.Continuation
  private let work = Mutex<Task<Void, Never>?>(nil)

  /// The channels that belong to this daemon.
  var slots: SlotSet { owned.now }

  /// The slots of the channels in the daemon's chat core, even if they currently belong to another daemon.
  var coreSlots: SlotSet { SlotSet([], pinned: state.withLock { $0.core }.map { [$0] } ?? []) }

  /// Whether the daemon may act on relays at this moment.
  var mayAct: @Sendable () -> Bool {
    let (trust, id) = (keeper.trust, id)
    return { trust.session == id }
  }

  private init(_ id: SessionMachine.ID, _ name: String, _ address: PostgreSQLAddress, _ keeper: SessionKeeper, _ logger: Logger)
  {
    (self.id, self.name) = (id, name)
    self.keeper = keeper
    self.logger = logger
    let trust = keeper.trust
    let settings = SharedStore.Settings(address: address)
    store = SharedStore(settings, session: id, known: keeper.known) { trust.session }
    desk = CallDesk(settings, session: id) { trust.session }
    declarations = SharedDeclarations(desk, name: name, logger: logger)
    owned = Slots()
    (over, ending) = AsyncStream.makeStream()
  }

  /// Begins a session. It waits until the database works, and reports why.
  /// - Parameters:
  ///   - name: the name of this daemon, which must be unique.
  ///   - version: the version of the program.
  ///   - hasCore: whether it has a chat core, and needs a slot for the channels in it.
  ///   - tell: receives the reason for waiting.
  /// - Throws: `StoreError` if this machine's clock differs too much, or the task is cancelled.
  static func begin(
    _ address: PostgreSQLAddress, name: String, version: String, hasCore: Bool, logger: Logger, tell: @Sendable (String) -> Void
  ) async throws -> SharedSession {
    var settings = SessionKeeper.Settings(address: address, name: name, version: version)
    settings.hasCore = hasCore
    let keeper = SessionKeeper(settings)
    let (beginning, telling) = AsyncStream.makeStream(of: Beginning.self)
    let begun = Begun()
    let task = Task {
      await keeper.run { news in
        switch (begun.session, news) {
        case (nil, .began(let id)): begun.session = SharedSession(id, name, address, keeper, logger)
        // No one uses this session yet. Another one follows.
        case (.some, .ended) where !begun.isTold: (begun.session, begun.isNameFree) = (nil, false)
        case (.some, .nameIsTaken) where !begun.isTold: telling.yield(.news(news))
        case (.some, .noSlotLeft): telling.yield(.news(news))
        case (.some, .nameIsFree): begun.isNameFree = true
        case (let session?, _): await session.take(news)
        case (nil, _): telling.yield(.news(news))
        }
        // Nothing is served, and no session is reported, until the daemon may continue with it.
        guard let session = begun.session, begun.isNameFree, !begun.isTold, !hasCore || !session.coreSlots.isEmpty else {
          return
        }
        begun.isTold = true
        telling.yield(.session(session))
      }
      telling.finish()
    }
    var trouble: String?
    for await one in beginning {
      switch one {
      case .news(.connected(let server)):
        if let error = check(server, logger) {
          keeper.stop(beginsAgain: false)
          await task.value
          throw error
        }
        trouble = nil
      case .news(.noSlotLeft):
        keeper.stop(beginsAgain: false)
        await task.value
        let text =
          "\(SlotSet.pinnable.count) other daemons that share this database have a chat core, and there is no slot for one more"
        throw ConfigurationError(problems: [FileFlaw(file: "simplex", line: nil, column: nil, text: text)])
      case .news(.nameIsTaken):
        keeper.stop(beginsAgain: false)
        await task.value
        throw nameIsTaken(name)
      case .news(.trouble(let words)) where words != trouble:
        trouble = words
        logger.event(.databaseAway, .error, "cannot use the database yet, \(address): \(words)")
        tell("waiting for the database: \(words)")
      case .news: break
      case .session(let session):
        session.work.withLock { $0 = task }
        logger.event(
          .sessionBegan, .notice, "this daemon is '\(name)', session \(session.id) of \(address)",
          ["BATON_SESSION": "\(session.id)"])
        return session
      }
    }
    keeper.stop(beginsAgain: false)
    await task.value
    throw StoreError(.inputOutput, "the daemon was stopped before the database could be used, \(address)")
  }

  private static func nameIsTaken(_ name: String) -> ConfigurationError {
    let text =
      "another daemon that shares this database is called '\(name)' too, and started earlier: each needs its own name"
    return ConfigurationError(problems: [FileFlaw(file: "cluster.name", line: nil, column: nil, text: text)])
  }

  /// - Returns: the reason why the server is not usable.
  private static func check(_ server: PostgreSQLServer, _ logger: Logger) -> StoreError? {
    let database = SharedDatabase(clockAhead: server.clockAhead, hasSynchronousStandby: server.hasSynchronousStandby)
    let (ahead, words) = (database.clockAhead, database.clockWords)
    guard abs(ahead) <= clockMax else {
      return StoreError(.inputOutput, "\(words), and daemons that share it must agree on the time. Set the clocks right")
    }
    if abs(ahead) > SharedDatabase.clockWarning { logger.event(.clocksDiffer, .warning, "\(words). Set the clocks right") }
    if !database.hasSynchronousStandby { logger.event(.noStandby, .info, "\(SharedDatabase.standbyWords)") }
    return nil
  }

  // MARK: - Events of the keeper

  private func take(_ news: SessionNews) async {
    switch news {
    case .connected(let server):
      state.withLock { $0.trouble = nil }
      // The clock is checked at the start. Later differences are only logged.
      if let error = Self.check(server, logger) { logger.event(.clocksDiffer, .error, "\(error)") }
    // These arrive before anyone has this session.
    case .began, .noSlotLeft, .nameIsFree: break
    case .pinned(let slot): state.withLock { $0.core = slot }
    case .gained(let numbers):
      let some = SlotSet(numbers, pinned: coreSlots.numbers.intersection(numbers))
      let (coordinator, whenCatalogGained) = state.withLock { state in
        owned.add(some)
        // Within the lock, so that a later loss follows this gain.
        state.coordinator?.gain(some)
        return (state.coordinator, state.whenCatalogGained)
      }
      logger.event(.slotsMoved, .info, "this daemon has \(slots.numbers.count) of \(SlotSet.count) slots")
      if coordinator != nil, some.hasCatalog { whenCatalogGained?() }
    case .lost(let numbers):
      let some = SlotSet(numbers)
      let coordinator = state.withLock { state in
        owned.remove(some)
        return state.coordinator
      }
      if let coordinator { await lose(some, coordinator) }
      logger.event(.slotsMoved, .info, "this daemon has \(slots.numbers.count) of \(SlotSet.count) slots")
    case .suspended:
      logger.event(
        .sessionSuspended, .error,
        "the database did not renew this daemon's session in time. Until it does, the daemon publishes and stores nothing")
      await state.withLock { $0.coordinator }?.suspend()
    case .resumed:
      logger.event(.sessionResumed, .notice, "the database renewed this daemon's session, and all work continues")
      state.withLock { $0.coordinator }?.resume()
    case .ended:
      declarations.end()
      ending.finish()
    case .nameIsTaken:
      state.withLock { $0.isNameTaken = true }
      ending.finish()
    case .trouble(let words):
      let isNew = state.withLock { state in
        defer { state.trouble = words }
        return state.trouble != words
      }
      if isNew { logger.event(.databaseAway, .warning, "a query for this daemon's session failed: \(words)") }
    }
  }

  /// Stops acting for channels. It returns only when nothing is under way for them.
  private func lose(_ some: SlotSet, _ coordinator: Coordinator) async {
    while !coordinator.isStopped {
      do throws(BatonError) { return try await coordinator.lose(some) } catch {
        // It is unknown which changes are durable, or the coordinator is about to stop.
        guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return }
      }
    }
  }

  // MARK: - The coordinator

  /// Forwards calls about other daemons' channels to these daemons.
  /// - Parameter secrets: contains the key that all daemons share.
  func forwarder(_ secrets: SecretBox) -> CallForwarder {
    let owned = owned
    return CallForwarder(desk, secrets: secrets, name: name, session: id, slots: { owned.now }) { [logger] words in
      logger.error("\(words)")
    }
  }

  /// Keeps the coordinator informed about the channels for which it acts.
  /// - Parameter whenCatalogGained: called when the daemon begins to manage operators, servers and relays.
  func attach(_ coordinator: Coordinator, whenCatalogGained action: @escaping @Sendable () -> Void) {
    let slots = state.withLock { state in
      (state.coordinator, state.whenCatalogGained) = (coordinator, action)
      let slots = owned.now
      if !slots.isEmpty { coordinator.gain(slots) }
      return slots
    }
    if slots.hasCatalog { action() }
  }

  /// Records that the daemon serves.
  func noteReady() { state.withLock { $0.wasReady = true } }

  /// Whether the daemon has served.
  var wasReady: Bool { state.withLock { $0.wasReady } }

  /// Returns when the session is over. The daemon then has no channels.
  func ended() async throws {
    for await _ in over {}
    try Task.checkCancellation()
    guard !state.withLock({ $0.isNameTaken }) else {
      throw Self.nameIsTaken(name)
    }
    let words = "the session of this daemon in the database is over, and other daemons have its channels. It must start again"
    logger.event(.sessionOver, .error, "\(words)", ["BATON_SESSION": "\(id)"])
    throw StoreError(.inUse, words)
  }

  /// Ends the session, once the coordinator has stopped.
  /// - Parameter beginsAgain: whether its channels wait a few seconds for the daemon to start again. Otherwise other daemons get them
  ///   immediately.
  func end(beginsAgain: Bool) async {
    declarations.end()
    keeper.stop(beginsAgain: beginsAgain)
    await work.withLock { $0 }?.value
    await desk.close()
    await store.close()
  }
}

/// The slots of this daemon.
private final class Slots: Sendable {
  private let state = Mutex(SlotSet.none)

  var now: SlotSet { state.withLock { $0 } }
  func add(_ some: SlotSet) { state.withLock { $0 = $0.union(some) } }
  func remove(_ some: SlotSet) { state.withLock { $0 = $0.subtracting(some) } }
}

/// Holds the session once there is one.
private final class Begun: Sendable {
  private struct State {
    var session: SharedSession?
    var isNameFree = false
    var isTold = false
  }

  private let state = Mutex(State())

  var session: SharedSession? {
    get { state.withLock { $0.session } }
    set { state.withLock { $0.session = newValue } }
  }
  /// Whether no other daemon continues under the same name.
  var isNameFree: Bool {
    get { state.withLock { $0.isNameFree } }
    set { state.withLock { $0.isNameFree = newValue } }
  }
  /// Whether a daemon has the session.
  var isTold: Bool {
    get { state.withLock { $0.isTold } }
    set { state.withLock { $0.isTold = newValue } }
  }
}
