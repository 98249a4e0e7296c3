internal import ArgumentParser
internal import Channels
internal import ControlAPI
internal import ControlServer
internal import Coordinator
internal import Dialing
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Nostr
internal import PostgreSQL
internal import PostgreSQLStore
internal import ProgramEnd
internal import RelayNetwork
internal import SimpleX
internal import Storage
internal import Store
internal import Systemd
internal import UnixSignals
internal import Varlink

struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the daemon in the foreground.",
    discussion: """
      SIGTERM and SIGINT end it after work that is under way was stored. A second one ends it at once. SIGHUP reads the configuration and
      the files that declare operators again.
      Exit status: 0 stopped, 64 usage, 65 the database is damaged or newer, 66 the database is gone or was set back, \
      70 a fault in batond itself, 74 the database cannot be written, \
      75 the socket or the state directory is in use or other daemons have taken over, \
      77 no permission or a key that does not open the stored secrets, 78 the configuration is wrong.
      """)

  @OptionGroup var common: CommonOptions

  @Flag(help: "If the database is gone, begin with nothing. Its remains are kept under another name.")
  var startEmpty = false

  @Flag(help: "If the database was set back to an older state, or replaced, continue with it.")
  var acceptOlder = false

  @Flag(help: "Accept damaged rows of the database. Use this only if there is no backup.")
  var acceptDamage = false

  func validate() throws {
    if startEmpty, acceptOlder { throw ValidationError("--start-empty and --accept-older exclude each other") }
  }

  /// Advice for a person who started the daemon without the necessary permission.
  private static func advice(_ error: any Error, _ status: Int32) -> String {
    let isOfFiles = status == ExitStatus.permission && (error as? StoreError)?.code != .wrongKey
    guard isOfFiles, geteuid() != 0, !Systemd.isManaged else { return "" }
    return "\nTo start the service: sudo systemctl start batond. To try Baton as this user, give it files of yours: "
      + "batond --state-dir ./state --listen unix:./baton.sock"
  }

  func run() async throws {
    // A client that disconnects must not end the daemon.
    signal(SIGPIPE, SIG_IGN)
    Descriptors.raiseLimit()
    do {
      let common = common
      let settings = try await common.settings()
      let ofFiles = [(startEmpty, "--start-empty"), (acceptOlder, "--accept-older"), (acceptDamage, "--accept-damage")]
      for (isGiven, option) in ofFiles where isGiven { try settings.requireFile(for: option) }
      let whenLost: Store.WhenLost = startEmpty ? .startEmpty : acceptOlder ? .acceptOlder : .refuse
      let service = Service(
        settings, whenLost, acceptsDamage: acceptDamage, read: { try await common.settings() })
      try await service.run()
    } catch let error as ValidationError {
      throw error
    } catch {
      let status = ExitStatus.of(error)
      if Systemd.isStandardErrorJournal {
        Logger(label: "batond") { _ in JournalLogHandler(identifier: "batond") }
          .event(.cannotRun, .error, "batond cannot run: \(error)", ["BATON_EXIT_STATUS": "\(status)"])
      } else {
        FileHandle.standardError.write(Data("batond: \(error)\(Self.advice(error, status))\n".utf8))
      }
      ServiceManager.failed(error, status: status)
      throw ExitCode(status)
    }
  }
}

/// Wires the parts of the daemon and runs them.
private struct Service {
  private let settings: Settings
  private let logger: Logger
  private let logLevel: LogLevelSwitch
  private let manager: ServiceManager
  private let clock = SystemClock()
  private let read: @Sendable () async throws -> Settings
  private let whenLost: Store.WhenLost
  private let acceptsDamage: Bool

  /// - Parameter read: reads the configuration again.
  init(
    _ settings: Settings, _ whenLost: Store.WhenLost, acceptsDamage: Bool, read: @escaping @Sendable () async throws -> Settings
  ) {
    self.acceptsDamage = acceptsDamage
    self.settings = settings
    self.whenLost = whenLost
    self.read = read
    let logLevel = LogLevelSwitch(settings.logLevel)
    // Clients can cause any number of refused creations and posts, and relays any number of posts that fail, arrive or are lost.
    let limited: [JournalEvent] = [
      .channelRefused, .postPublished, .postExpired, .deliveryFailed, .deliveryRecovered, .postsNotFound,
    ]
    let limit = RepetitionLimit(limited: Set(limited.map(\.rawValue)))
    let logger: Logger
    if Systemd.isStandardErrorJournal {
      logger = Logger(label: "batond") { _ in
        LimitedLogHandler(JournalLogHandler(identifier: "batond", level: logLevel), limit: limit)
      }
    } else {
      logger = Logger(label: "batond") { _ in
        LimitedLogHandler(StandardErrorLogHandler(prefixesPriority: Systemd.isManaged, level: logLevel), limit: limit)
      }
    }
    self.logLevel = logLevel
    self.logger = logger
    manager = ServiceManager(logger: logger)
  }

  func run() async throws {
    let startedAt = clock.now
    // The handlers are registered before READY, so that an early stop does not kill the daemon.
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    for warning in settings.warnings { logger.warning("\(warning.message)") }
    if let database = settings.database {
      try PrivateFile.makeFolder(settings.stateDirectory)
      try await Store.alone(in: settings.stateDirectory) { try await runShared(database, signals, startedAt) }
    } else {
      try await runAlone(signals, startedAt)
    }
    logger.notice("batond has stopped")
  }

  /// Runs with a store in a file.
  private func runAlone(_ signals: UnixSignalsSequence, _ startedAt: Timestamp) async throws {
    let store = try await manager.whileStarting { try await preparedStore() }
    defer { store.close() }
    let messages = await manager.whileStarting { await openMessages() }
    messages.show(in: store)
    defer { messages.close(with: store) }
    store.tellDamage { [logger] damage in
      logger.event(
        .damaged, .critical, "the database is damaged: \(damage). batonctl check lists all damage. Restore a backup",
        ["BATON_DAMAGE": "\(damage)"])
    }
    let backing = try Backing(store, secrets: try secrets(store), clock: clock, schedule: settings.scrub)
    try await serve(backing, messages, signals, startedAt)
  }

  /// Runs with a store that several daemons share.
  private func runShared(
    _ database: PostgreSQLAddress, _ signals: UnixSignalsSequence, _ startedAt: Timestamp
  ) async throws {
    let session = try await manager.whileStarting {
      try await SharedStart.whileNotStopped {
        try await SharedSession.begin(
          database, name: settings.clusterName, version: Batond.version, hasCore: settings.core != nil, logger: logger
        ) {
          ServiceManager.waiting($0)
        }
      }
    }
    guard let session else { return }
    SharedStart.warnOfOwnStore(in: settings.stateDirectory, logger)
    do {
      let messages = await manager.whileStarting { await openMessages() }
      defer { messages.close() }
      let backing = Backing(session, secrets: try await SharedStart.secrets(of: session.store, in: settings.stateDirectory))
      try await serve(backing, messages, signals, startedAt)
    } catch {
      // A daemon that could not start would fail again, and no daemon would have its channels until then.
      await session.end(beginsAgain: session.wasReady && !(error is ConfigurationError))
      throw error
    }
    await session.end(beginsAgain: true)
  }

  /// Serves until a signal arrives.
  private func serve(
    _ backing: Backing, _ messages: MessageDatabase, _ signals: UnixSignalsSequence, _ startedAt: Timestamp
  ) async throws {
    let access = Access(
      changeGroup: settings.controlGroup, readGroup: settings.readGroup, publishGroup: settings.publishGroup)
    let sockets = try sockets()
    let (seed, shared) = (backing.seed, backing.shared)
    let group = MultiThreadedEventLoopGroup.singleton
    let nostr = try NostrNetwork(
      group: group, limits: settings.nostrLimits, trustRoots: settings.trustRoots, fileServers: settings.fileServers,
      logger: logger, mayPublish: backing.mayAct, now: { Int64(time(nil)) })
    var networks: [any RelayNetwork] = [nostr]
    let coreSlots = shared?.coreSlots ?? .all
    let core = try ChatCore(settings, storage: backing.known, slots: coreSlots, group: group, logger: logger)
    if let core { networks.append(core.network) }
    let coordinator = Coordinator(
      storage: backing.storage, posts: backing.posts,
      messages: messages.parts(channels: backing.known, posts: backing.postChanges, decisions: backing.decisions),
      shared: shared?.store, slots: shared == nil ? .all : .none, mayAct: backing.mayAct,
      networks: networks, coreSlots: coreSlots, addressing: [SimpleXAddressing()],
      servers: SimpleXServers(group: group, now: { Int64(time(nil)) }), rules: settings.rules(seed: seed),
      clock: clock, secrets: backing.secrets, logger: logger, hub: settings.hub, requestsMax: settings.requestsMax)
    let loader = ConfigurationLoader(
      settings, read: read, coordinator: coordinator, seed: seed, logLevel: logLevel, logger: logger
    ) { content in
      shared?.declarations.tell(backing.secrets.digest(content, label: "declarations"))
    }

    try await withThrowingTaskGroup(of: Void.self) { tasks in
      if let core { tasks.addTask { await core.run() } }
      if let shared { tasks.addTask { try await shared.ended() } }
      let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
      tasks.addTask {
        defer { readiness.finish() }
        try await coordinator.run { readiness.finish() }
      }
      await manager.whileStarting { for await _ in ready {} }
      if coordinator.isStopped {
        // The coordinator's own task has the reason, but may not be the first to end.
        tasks.cancelAll()
        while let end = await tasks.nextResult() {
          if case .failure(let error) = end, !(error is CancellationError) { throw error }
        }
        return
      }
      // The daemon that manages operators, servers and relays also reads the files that declare them.
      shared?.attach(coordinator) { Task { await declare(loader, shared) } }
      await load { try await loader.begin() }
      if let core { tasks.addTask { await core.importPresets(into: coordinator) { loader.trouble == nil } } }
      let server = try await ControlServer.start(
        coordinator: coordinator, store: { backing.control($0, messages) }, messages: { messages.reading(on: $0) },
        access: access, sockets: sockets.listening,
        connections: sockets.connected,
        group: group, version: Batond.version, startedAt: startedAt, logger: logger, reload: { try await loader.load() },
        declarationsTrouble: { loader.trouble },
        logLevel: LogLevelControl(
          get: { [logLevel] in logLevel.priority },
          set: { [logLevel] priority in
            logLevel.current = priority.map(LogLevelSwitch.level) ?? loader.configuredLogLevel
          }),
        limits: settings.controlLimits, listLimits: settings.listLimits,
        credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"],
        forwarder: shared?.forwarder(backing.secrets),
        sharing: shared?.desk, configurationWarnings: { [settings] in settings.warnings })
      let summary = (try? await server.summary()) ?? ""
      manager.ready(summary)
      shared?.noteReady()
      let place = sockets.isHandedOver ? "the socket that was handed over" : settings.controlSocket
      logger.event(.ready, .notice, "batond \(Batond.version) is ready at \(place): \(summary)")
      tasks.addTask { await manager.keepStatus(server) }
      if let care = backing.care { tasks.addTask { await care() } }
      if shared != nil { tasks.addTask { await server.exchangeCalls() } }
      tasks.addTask { await manager.feedWatchdog { () throws(BatonError) in try await coordinator.heartbeat() } }
      tasks.addTask { await waitForSignals(signals, server, coordinator, loader) }
      if sockets.listening.isEmpty { tasks.addTask { await stopAfterConversation(server, coordinator) } }
      while let end = await tasks.nextResult() {
        if case .failure(let error) = end, !(error is CancellationError) { throw error }
        guard coordinator.isStopped else { continue }
        // All replies have been sent by now, except replies to other daemons.
        await server.stopExchange()
        await server.stop()
        tasks.cancelAll()
      }
    }
  }

  /// Opens the database and creates its indexes, which may take minutes, on a thread that may block. Otherwise, on a machine with one
  /// processor, the daemon could not ask systemd for more time.
  private func preparedStore() async throws -> Store {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            let store = try openStore()
            try store.keepKeyIndexes(settings.indexedKeys, tell: report)
            return store
          })
      }
    }
  }

  /// Opens the database of messages on a thread that may block.
  private func openMessages() async -> MessageDatabase {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: MessageDatabase(settings, logger: logger)) }
    }
  }

  private func openStore() throws -> Store {
    guard acceptsDamage else { return try Store(directory: settings.stateDirectory, whenLost: whenLost) }
    return try Store(directory: settings.stateDirectory, whenLost: whenLost) { row in
      logger.event(.damaged, .error, "\(row) is damaged but used anyway, because of --accept-damage")
    }
  }

  /// Reports changes of the index on a key of custom data.
  private func report(_ key: String, _ change: KeyIndexChange) {
    func report(_ level: Logger.Level, _ message: Logger.Message) {
      logger.event(.keyIndex, level, message, ["BATON_INDEXED_KEY": "\(key)"])
    }
    switch change {
    case .begun: report(.notice, "creating an index on '\(key)' of custom data, which takes some seconds with many channels")
    case .made: report(.notice, "the index on '\(key)' of custom data is ready")
    case .removed: report(.notice, "the index on '\(key)' of custom data was removed, because state.indexedKeys lacks it")
    case .failed(let reason):
      report(.error, "the index on '\(key)' of custom data could not be created, so lists by it take longer: \(reason)")
    }
  }

  /// The key for stored secrets: systemd's credential for the daemon, or else the key in the state directory.
  private func secrets(_ store: Store) throws -> SecretBox {
    if let box = try SecretBox.ofService() {
      try store.unlock(box)
      return box
    }
    return try KeyFile(settings.stateDirectory + "/identity.key").box(for: store)
  }

  /// Loads the configuration again. A wrong file is logged and does not end the daemon. Nothing is changed then.
  private func load(_ load: () async throws -> Void) async {
    do {
      try await load()
    } catch BatonError.invalidFiles {
    } catch {
      logger.error("the configuration could not be loaded: \(error)")
    }
  }

  /// Brings operators, servers and relays in line with the files of this daemon, which now manages them.
  private func declare(_ loader: ConfigurationLoader, _ session: SharedSession?) async {
    while session?.slots.hasCatalog == true {
      do { if try await loader.declareAgain() { return } } catch BatonError.invalidFiles { return } catch {
        // Storage has trouble, or the coordinator does not manage them yet, because it could not read the stored ones.
      }
      guard (try? await clock.sleep(until: clock.now + .seconds(1))) != nil else { return }
    }
  }

  /// The sockets to serve: the ones that were handed over, or else the configured one.
  private func sockets() throws -> (listening: [CInt], connected: [CInt], isHandedOver: Bool) {
    let handedOver = Systemd.sockets(named: "varlink")
    if !handedOver.isEmpty { return (handedOver.listening, handedOver.connected, true) }
    let path = settings.controlSocket
    let directory = (path as NSString).deletingLastPathComponent
    if !directory.isEmpty { try PrivateFile.makeFolder(directory, mode: 0o777) }
    // Anyone may connect. For each call, the peer's credentials decide whether it is allowed.
    return ([try UnixListener.listen(path: path, mode: 0o666)], [], false)
  }

  /// Ends the daemon when its connections have ended, if it was started for these connections only.
  private func stopAfterConversation(_ server: ControlServer, _ coordinator: Coordinator) async {
    await server.handedOverConnectionsEnded()
    guard !coordinator.isStopped else { return }
    manager.stopping("the connection that was handed over has ended")
    server.takeNoMoreCalls()
    coordinator.stop()
  }

  /// Reads the configuration again, and reports the beginning, the end and the outcome to the service manager.
  private func reload(_ loader: ConfigurationLoader, _ server: ControlServer) async {
    manager.reloading()
    await load { _ = try await loader.load() }
    manager.ready((try? await server.summary()) ?? "")
  }

  private func waitForSignals(
    _ signals: UnixSignalsSequence, _ server: ControlServer, _ coordinator: Coordinator, _ loader: ConfigurationLoader
  ) async {
    var isStopping = false
    for await signal in signals {
      if signal == .sighup {
        logger.notice("SIGHUP: reading the configuration again")
        Task { await reload(loader, server) }
        continue
      }
      guard !isStopping else {
        logger.warning("stopped immediately by a second signal")
        endProgram(0)
      }
      isStopping = true
      manager.stopping("\(signal)")
      Task {
        await server.stopAccepting()
        server.takeNoMoreCalls()
        coordinator.stop()
      }
    }
  }
}

extension SecretBox {
  /// The key that systemd holds for the daemon, or `nil` if it holds none.
  static func ofService() throws -> SecretBox? {
    guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] else { return nil }
    let path = folder + "/identity.key"
    return FileManager.default.fileExists(atPath: path) ? try atCredential(path) : nil
  }
}
