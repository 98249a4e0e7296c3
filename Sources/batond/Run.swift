internal import ArgumentParser
internal import Channels
internal import ControlServer
internal import Coordinator
internal import Foundation
internal import Glibc
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Nostr
internal import SimpleX
internal import Store
internal import Systemd
internal import UnixSignals
internal import Varlink

struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the daemon in the foreground.",
    discussion: """
      SIGTERM and SIGINT end it after what is under way was stored; a second one ends it at once. SIGHUP loads the files that
      declare operators again.
      Exit status: 0 stopped; 64 usage; 65 the database is damaged or newer; 70 a fault of batond's own; 74 the database cannot be written;
      75 the socket or the state directory is in use; 77 no permission; 78 the configuration is wrong.
      """)

  @OptionGroup var common: CommonOptions

  func run() async throws {
    // A client that goes away must not end the daemon.
    signal(SIGPIPE, SIG_IGN)
    do {
      try await Service(try await common.settings()).run()
    } catch let error as ValidationError {
      throw error
    } catch {
      let status = ExitStatus.of(error)
      FileHandle.standardError.write(Data("batond: \(error)\n".utf8))
      Systemd.notify("STATUS=\(error)", "EXIT_STATUS=\(status)")
      throw ExitCode(status)
    }
  }
}

/// Wires the parts of the daemon and runs them.
private struct Service {
  private let settings: Settings
  private let logger: Logger
  private let logLevel: LogLevelSwitch
  private let clock = SystemClock()

  init(_ settings: Settings) {
    self.settings = settings
    let level = Logger.Level(rawValue: settings.logLevel) ?? .info
    let logLevel = LogLevelSwitch(level)
    let logger: Logger
    if Systemd.isStandardErrorJournal {
      logger = Logger(label: "batond") { _ in JournalLogHandler(identifier: "batond", level: logLevel) }
    } else {
      logger = Logger(label: "batond") { _ in StandardErrorLogHandler(prefixesPriority: Systemd.isManaged, level: logLevel) }
    }
    self.logLevel = logLevel
    self.logger = logger
  }

  func run() async throws {
    let startedAt = clock.now
    // Registered before READY: a stop that comes early must not kill.
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    let store = try Store(directory: settings.stateDirectory)
    defer { store.close() }
    let access = Access(changeGroup: settings.controlGroup, readGroup: settings.readGroup)
    let sockets = try sockets()
    let seed = try store.installationSeed { .random(in: 0 ... .max) }
    let group = MultiThreadedEventLoopGroup.singleton
    let nostr = try NostrNetwork(
      group: group, limits: settings.nostrLimits, trustRoots: settings.trustRoots, logger: logger,
      now: { Int64(time(nil)) })
    let coordinator = Coordinator(
      storage: store, networks: [nostr], addressing: [SimpleXAddressing()],
      servers: SimpleXServers(group: group, now: { Int64(time(nil)) }), policy: settings.policy(seed: seed),
      policies: settings.policies(seed: seed), schedule: settings.testSchedule(seed: seed), upkeep: settings.upkeep,
      clock: clock,
      secrets: try .atFile(settings.stateDirectory + "/identity.key"), logger: logger, hub: settings.hub,
      requestsMax: settings.requestsMax)

    let loader = DeclarationLoader(path: settings.operatorsDirectory, coordinator: coordinator)

    try await withThrowingTaskGroup(of: Void.self) { tasks in
      let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
      tasks.addTask {
        defer { readiness.finish() }
        try await coordinator.run { readiness.finish() }
      }
      for await _ in ready {}
      guard !coordinator.isStopped else { return try await tasks.next() ?? () }
      await load(loader)
      let server = try await ControlServer.start(
        coordinator: coordinator, store: store, access: access, sockets: sockets.listening, connections: sockets.connected,
        group: group, version: Batond.version, startedAt: startedAt, logger: logger, reload: { try await loader.load() },
        declarationsTrouble: { loader.trouble },
        logLevel: LogLevelControl(
          get: { [logLevel] in logLevel.priority },
          set: { [logLevel, configured = settings.logLevel] priority in
            logLevel.current = priority.map(LogLevelSwitch.level) ?? Logger.Level(rawValue: configured) ?? .info
          }),
        limits: settings.controlLimits)
      Systemd.notify("READY=1")
      let place = sockets.isHandedOver ? "the socket that was handed over" : settings.controlSocket
      let summary = (try? server.summary()) ?? ""
      logger.notice("batond \(Batond.version) is ready at \(place): \(summary)")
      Systemd.notify("STATUS=\(summary)")
      tasks.addTask { await keepStatus(server) }
      tasks.addTask { await feedWatchdog(coordinator) }
      tasks.addTask { await waitForSignals(signals, server, coordinator, loader) }
      if sockets.listening.isEmpty { tasks.addTask { await stopAfterConversation(server, coordinator) } }
      while let end = await tasks.nextResult() {
        if case .failure(let error) = end, !(error is CancellationError) { throw error }
        guard coordinator.isStopped else { continue }
        // Every answer is on its way by now.
        await server.stop()
        tasks.cancelAll()
      }
    }
    logger.notice("batond has stopped")
  }

  /// Loads the files that declare operators. A wrong file has been logged and ends nothing: what was known before stays.
  private func load(_ loader: DeclarationLoader) async {
    do {
      _ = try await loader.load()
    } catch BatonError.invalidFiles {
    } catch {
      logger.error("the files that declare operators could not be loaded: \(error)")
    }
  }

  /// Where to serve: what was handed over, or else the configured socket.
  private func sockets() throws -> (listening: [CInt], connected: [CInt], isHandedOver: Bool) {
    let handedOver = Systemd.sockets(named: "varlink")
    if !handedOver.isEmpty { return (handedOver.listening, handedOver.connected, true) }
    let path = settings.controlSocket
    let directory = (path as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    // Anybody may connect; who may do what is decided per call from the peer's credentials.
    return ([try UnixListener.listen(path: path, mode: 0o666)], [], false)
  }

  /// Whoever started the daemon for one conversation has it to themselves; when they are done there is nobody to serve.
  private func stopAfterConversation(_ server: ControlServer, _ coordinator: Coordinator) async {
    await server.handedOverConnectionsEnded()
    guard !coordinator.isStopped else { return }
    logger.notice("stopping, because the connection that was handed over has ended")
    Systemd.notify("STOPPING=1", "STATUS=stopping")
    coordinator.stop()
  }

  /// Loads the files that declare operators again, and tells the service manager when that begins and ends, and what came of it.
  private func reload(_ loader: DeclarationLoader, _ server: ControlServer) async {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    Systemd.notify("RELOADING=1", "MONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    await load(loader)
    Systemd.notify("READY=1", "STATUS=\((try? server.summary()) ?? "")")
  }

  private func waitForSignals(
    _ signals: UnixSignalsSequence, _ server: ControlServer, _ coordinator: Coordinator, _ loader: DeclarationLoader
  ) async {
    var isStopping = false
    for await signal in signals {
      if signal == .sighup {
        logger.notice("SIGHUP: loading the files that declare operators again; other settings take effect at the next start")
        Task { await reload(loader, server) }
        continue
      }
      guard !isStopping else {
        logger.warning("stopped at once by a second signal")
        exit(0)
      }
      isStopping = true
      logger.notice("stopping on \(signal)")
      Systemd.notify("STOPPING=1", "STATUS=stopping")
      Task {
        await server.stopAccepting()
        coordinator.stop()
      }
    }
  }

  /// Tells systemd how things are, when they changed, at most every few seconds.
  private func keepStatus(_ server: ControlServer) async {
    guard Systemd.isManaged else { return }
    var told = ""
    var wait = Duration.seconds(5)
    while (try? await clock.sleep(until: clock.now + wait)) != nil {
      let started = clock.now
      // Also what is no committed change, like files that are wrong, belongs into it.
      guard let summary = try? server.summary(), summary != told else { continue }
      told = summary
      // Counting a large database takes its time; it must not take more than a twentieth of all.
      wait = max(.seconds(5), (clock.now - started) * 20)
      Systemd.notify("STATUS=\(summary)")
    }
  }

  /// A sign of life only after a round trip through the coordinator: when it hangs, systemd restarts the daemon.
  private func feedWatchdog(_ coordinator: Coordinator) async {
    guard let interval = Systemd.watchdogInterval else { return }
    while (try? await clock.sleep(until: clock.now + interval / 2)) != nil {
      guard (try? await coordinator.barrier()) != nil else { continue }
      Systemd.notify("WATCHDOG=1")
    }
  }
}
