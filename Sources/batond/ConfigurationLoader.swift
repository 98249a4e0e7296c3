internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Logging
internal import NIOPosix
internal import Nostr
internal import Provisioning
internal import RelayNetwork
internal import SimpleX
internal import StrictJSON
internal import Synchronization
internal import Systemd

/// Reads the configuration and the files that declare operators, at the start and on request. All of them are checked before
/// anything changes.
final class ConfigurationLoader: Sendable {
  private struct State {
    /// The latest load. Loads run one after the other, so that the configuration that was read last is in force.
    var latest: Task<ReloadReport, any Error>?
    var trouble: String?
    /// Whether this daemon manages operators, servers and relays, according to the latest load.
    var isInCharge = true
    /// The options in force that a reload applies.
    var settings: Settings
  }
  private let coordinator: Coordinator
  private let seed: UInt64
  private let logLevel: LogLevelSwitch
  private let logger: Logger
  private let read: @Sendable () async throws -> Settings
  /// Receives the names and texts of the files that declare operators.
  private let tell: @Sendable ([UInt8]) -> Void
  /// The options in force that need a restart.
  private let beginning: Settings
  private let state: Mutex<State>

  /// - Parameters:
  ///   - settings: the settings with which the daemon started.
  ///   - read: reads the settings again. Throws `ConfigurationError`.
  ///   - seed: the seed of the coordinator's rules.
  ///   - tell: receives the names and texts of the files that declare operators after every load.
  init(
    _ settings: Settings, read: @escaping @Sendable () async throws -> Settings, coordinator: Coordinator, seed: UInt64,
    logLevel: LogLevelSwitch, logger: Logger, tell: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.tell = tell
    beginning = settings
    state = Mutex(State(settings: settings))
    self.read = read
    self.coordinator = coordinator
    self.seed = seed
    self.logLevel = logLevel
    self.logger = logger
  }

  /// The errors in the files, or `nil` if the files are in force.
  var trouble: String? { state.withLock { $0.trouble } }

  /// The log level of the configuration, even if another one was set since.
  var configuredLogLevel: Logger.Level { state.withLock { $0.settings.logLevel } }

  /// Loads the files that declare operators at the start.
  func begin() async throws { _ = try await load { [beginning] in beginning } }

  /// Brings operators, servers and relays in line with the files again. Options are unchanged.
  /// - Returns: whether this daemon is responsible for that.
  func declareAgain() async throws -> Bool {
    _ = try await load(isAgain: true) { [self] in state.withLock { $0.settings } }
    return state.withLock { $0.isInCharge }
  }

  /// Reads everything again.
  /// - Throws: `BatonError`. `invalidFiles` names all errors. Nothing is changed then.
  func load() async throws -> ReloadReport { try await load(read) }

  /// - Parameter isAgain: whether possibly nothing has changed, so that the journal gets no second entry.
  private func load(
    isAgain: Bool = false, _ read: @escaping @Sendable () async throws -> Settings
  ) async throws -> ReloadReport {
    let task = state.withLock { state in
      let before = state.latest
      let task = Task {
        _ = await before?.result
        return try await self.loadNow(isAgain, read)
      }
      state.latest = task
      return task
    }
    return try await task.value
  }

  private func loadNow(_ isAgain: Bool, _ read: @Sendable () async throws -> Settings) async throws -> ReloadReport {
    do {
      return try await put(isAgain, read)
    } catch {
      var words = "they could not be loaded: \(error)"
      if case .invalidFiles(let flaws)? = error as? BatonError {
        words = flaws.map(\.description).joined(separator: "; ")
        coordinator.refuseDeclarations(flaws)
      }
      state.withLock { $0.trouble = words }
      throw error
    }
  }

  private func put(_ isAgain: Bool, _ read: @Sendable () async throws -> Settings) async throws -> ReloadReport {
    let before = state.withLock { $0.settings }
    var flaws: [FileFlaw] = []
    let settings = try await reread(read, &flaws) ?? before
    let folder = DeclarationFolder(path: settings.operatorsDirectory)
    let found = try declarations(folder, &flaws)
    if !folder.exists, coordinator.hasDeclared {
      // A misspelt path or a missing mount must not disable everything.
      flaws.append(
        FileFlaw(
          file: folder.path, line: nil, column: nil,
          text: "the folder does not exist, but objects are declared in it. To withdraw them, create it and leave it empty"))
    }
    guard flaws.isEmpty, let (files, declarations, content) = found else { throw BatonError.invalidFiles(flaws) }
    // If several daemons share a store, the one that manages operators, servers and relays reads them from its own files.
    var isInCharge = true
    do throws(BatonError) { try await coordinator.declare(declarations) } catch {
      guard case .elsewhere = error else { throw error }
      isInCharge = false
      if !isAgain {
        logger.notice(
          "the files that declare operators have no errors. Another daemon manages operators, and reads its own files")
      }
    }
    state.withLock { $0.isInCharge = isInCharge }
    tell(content)
    let options = try await apply(settings, before)
    let needRestart = beginning.differences(to: settings).filter { !$0.appliesOnReload }.map(\.key)
    if !options.isEmpty { logger.event(.configurationLoaded, .notice, "changed options: \(options.joined(separator: ", "))") }
    if !needRestart.isEmpty, !isAgain {
      logger.event(
        .configurationLoaded, .warning, "these options take effect at the next start: \(needRestart.joined(separator: ", "))")
    }
    let counts = declarations.counts
    return ReloadReport(
      files: files, operators: counts.operators, servers: counts.servers, relays: counts.relays, options: options,
      needRestart: needRestart)
  }

  /// - Returns: `nil` if there are errors, which are added to the flaws.
  private func reread(_ read: () async throws -> Settings, _ flaws: inout [FileFlaw]) async throws -> Settings? {
    do {
      return try await read()
    } catch let error as ConfigurationError {
      flaws += error.problems
      return nil
    }
  }

  private func declarations(
    _ folder: DeclarationFolder, _ flaws: inout [FileFlaw]
  ) throws(BatonError) -> (files: Int, declarations: Declarations, content: [UInt8])? {
    do {
      return try Self.read(folder)
    } catch {
      guard case .invalidFiles(let more) = error else { throw error }
      flaws += more
      return nil
    }
  }

  /// - Returns: the changed options.
  private func apply(_ settings: Settings, _ before: Settings) async throws -> [String] {
    let changed = before.differences(to: settings).filter(\.appliesOnReload).map(\.key)
    if !changed.isEmpty { try await coordinator.adopt(settings.rules(seed: seed)) }
    // A level that was set by request remains until the configured one changes.
    if changed.contains("log.level") { logLevel.current = settings.logLevel }
    state.withLock { state in
      state.settings = settings
      state.trouble = nil
    }
    return changed
  }

  /// Reads the files without a daemon.
  static func read(
    _ folder: DeclarationFolder
  ) throws(BatonError) -> (files: Int, declarations: Declarations, content: [UInt8]) {
    let reader = DeclarationReader(
      addressing: [NostrAddressing(), SimpleXAddressing()],
      servers: SimpleXServers(group: MultiThreadedEventLoopGroup.singleton, now: { 0 }),
      time: { RFC3339.milliseconds($0).map(Timestamp.init(milliseconds:)) })
    do {
      return try folder.load(reader)
    } catch {
      throw .invalidFiles(error.flaws)
    }
  }
}
