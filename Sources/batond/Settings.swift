internal import Channels
internal import Cluster
internal import Configuration
internal import ControlAPI
internal import ControlServer
internal import Coordinator
internal import Dialing
internal import Filters
internal import Foundation
internal import Glibc
internal import Logging
internal import Nostr
internal import PostgreSQL
internal import RelayNetwork
internal import SimpleX
internal import Storage
internal import Varlink

/// An invalid configuration.
struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// The problems, each with its place.
  let problems: [FileFlaw]
  /// The problems, one per line.
  var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The configuration. Arguments take precedence over the environment, the environment over files, and files over defaults.
struct Settings: Sendable {
  private let values: [String: String]
  /// The files with a secret in the address of the database.
  private let filesWithSecret: [String]

  /// Reads all layers.
  /// - Parameters:
  ///   - arguments: the values on the command line, by option.
  ///   - environment: variables. For example, `BATON_LOG_LEVEL` sets `log.level`. The default directory for the state is systemd's
  ///     `STATE_DIRECTORY`.
  ///   - files: the files, which are read now.
  /// - Throws: `ConfigurationError` with all problems.
  init(arguments: [String: String], environment: [String: String], files: ConfigurationFiles) async throws {
    func layer(_ name: String, _ values: [(String, String)]) -> InMemoryProvider {
      InMemoryProvider(
        name: name,
        values: Dictionary(
          values.map { (AbsoluteConfigKey(ConfigKey($0)), ConfigValue(.string($1), isSecret: false)) },
          uniquingKeysWith: { first, _ in first }))
    }
    let own = environment.filter { $0.key.hasPrefix("BATON_") && !$0.value.isEmpty }
    var problems: [FileFlaw] = []
    var fromFiles: [any ConfigProvider] = []
    var withSecret: [String] = []
    var all: [ConfigurationFiles.File] = []
    do throws(FileFlaw) { all = try files.inOrder() } catch { problems.append(error) }
    for file in all {
      do throws(ConfigurationError) {
        let provider = try await Self.provider(file)
        fromFiles.append(provider)
        let address = ConfigReader(provider: provider).string(forKey: "store").flatMap { try? PostgreSQLAddress($0) }
        if address?.hasSecret == true { withSecret.append(file.path) }
      } catch {
        problems += error.problems
      }
    }
    let stateDirectory = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    let upper: [any ConfigProvider] = [
      layer("arguments", Array(arguments)),
      EnvironmentVariablesProvider(environmentVariables: own).prefixKeys(with: "baton"),
    ]
    let lower: [any ConfigProvider] = [
      layer("systemd", stateDirectory.map { [("state.directory", $0)] } ?? []),
      layer("defaults", Setting.all.map { ($0.key, $0.fallback) }),
    ]
    let reader = ConfigReader(providers: upper + fromFiles + lower)
    var values: [String: String] = [:]
    for setting in Setting.all {
      let value = try reader.requiredString(forKey: ConfigKey(setting.key))
      if !value.isEmpty || !setting.fallback.isEmpty, let problem = setting.kind.problem(value) {
        // The values in files have been checked already.
        let place = arguments[setting.key] == nil ? "environment" : "arguments"
        problems.append(
          FileFlaw(file: place, line: nil, column: nil, text: "\(setting.key) \(problem), it is '\(setting.kind.shown(value))'")
        )
      }
      values[setting.key] = value
    }
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    self.values = values
    filesWithSecret = withSecret
    let flaws = [flawOfFileFolder].compactMap { $0 }
    guard flaws.isEmpty else { throw ConfigurationError(problems: flaws) }
  }

  private static func provider(_ file: ConfigurationFiles.File) async throws(ConfigurationError) -> FileProvider<CheckedYAML> {
    let place = ConfigReader(
      provider: InMemoryProvider(values: [
        "filePath": ConfigValue(.string(file.path), isSecret: false),
        "allowMissing": ConfigValue(.bool(file.isOptional), isSecret: false),
      ]))
    do {
      return try await FileProvider<CheckedYAML>(config: place)
    } catch let error as FileProblems {
      throw ConfigurationError(
        problems: error.problems.map { FileFlaw(file: file.path, line: $0.line, column: $0.column, text: $0.text) })
    } catch {
      throw ConfigurationError(problems: [
        FileFlaw(file: file.path, line: nil, column: nil, text: "cannot read the configuration file: \(error)")
      ])
    }
  }

  /// The options with a different value in `other`.
  func differences(to other: Settings) -> [Setting] { Setting.all.filter { values[$0.key] != other.values[$0.key] } }

  // MARK: - Typed values. `init` has checked every text.

  private func text(_ key: String) -> String { values[key] ?? "" }
  private func duration(_ key: String) -> Duration { Setting.duration(text(key)) ?? .zero }

  var logLevel: Logger.Level { Logger.Level(rawValue: text("log.level")) ?? .info }
  var stateDirectory: String { text("state.directory") }
  /// The database that several daemons share, or `nil` if this daemon uses a file.
  var database: PostgreSQLAddress? { text("store").isEmpty ? nil : try? PostgreSQLAddress(text("store")) }
  /// Warnings about settings that work but are dangerous.
  var warnings: [Finding] {
    var found: [Finding] = []
    func warn(_ kind: String, _ words: String) {
      found.append(Finding(kind: kind, severity: "warning", serverIds: [], relayIds: [], message: words))
    }
    if let mode = database?.weakMode {
      warn(
        "databaseUnverified",
        "the address in 'store' has sslmode=\(mode), so another server may get the password and all stored data: "
          + "leave it out, or write sslmode=verify-full, and name the certificate of the authority as sslrootcert=FILE")
    }
    for path in filesWithSecret {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { continue }
      warn(
        "secretReadable",
        "every user of this machine can read \(path), which has a password in 'store': put the password into a separate file "
          + "and name it as passfile=FILE, or run chmod o-r")
    }
    return found
  }

  /// Refuses commands and options that work only on a store in a file.
  /// - Parameter what: the command or option.
  /// - Throws: `ConfigurationError` if the store is in PostgreSQL.
  func requireFile(for what: String) throws(ConfigurationError) {
    guard database != nil else { return }
    throw ConfigurationError(problems: [
      FileFlaw(
        file: "store", line: nil, column: nil,
        text: "the channels of this daemon are in PostgreSQL, and \(what) works only on a store in a file, so nothing changed")
    ])
  }

  /// The name of this daemon in its cluster.
  var clusterName: String { text("cluster.name").isEmpty ? ProcessInfo.processInfo.hostName : text("cluster.name") }
  var scrub: ScrubSchedule {
    ScrubSchedule(rows: Int(text("state.scrubRows")) ?? 2_000, interval: duration("state.scrubInterval"))
  }
  /// The keys of channels' custom data that have an index.
  var indexedKeys: [String] { Setting.list(text("state.indexedKeys")) }
  var controlSocket: String { text("control.socket") }
  var controlGroup: String { text("control.group") }
  var readGroup: String { text("control.readGroup") }
  /// The group that may publish, or an empty text.
  var publishGroup: String { text("control.publishGroup") }
  var trustRoots: String? { text("nostr.trustRoots").isEmpty ? nil : text("nostr.trustRoots") }

  /// Whether the daemon reads messages in channels.
  var followsMessages: Bool { text("messages.follow") == "true" }

  /// How many earlier messages are read.
  var messageWindow: MessageWindow {
    var window = MessageWindow()
    let days = Int(text("messages.days")) ?? 30
    window.days = days == 0 ? nil : days
    window.count = Int(text("messages.count")) ?? window.count
    return window
  }

  /// How many messages are kept.
  var messageLimits: MessageLimits {
    var limits = MessageLimits()
    limits.keepMax = Int(text("messages.keep")) ?? limits.keepMax
    return limits
  }

  /// The servers to which files of posts are uploaded, best first.
  var fileServers: [FileServer] { Setting.servers(text("nostr.blossom")) }

  var operatorsDirectory: String { text("operators.directory") }

  /// The rules of the coordinator.
  func rules(seed: UInt64) -> Rules {
    var delivery = DeliveryPolicy()
    delivery.jitterSeed = seed
    return Rules(
      policy: policy(seed: seed), policies: policies(seed: seed), delivery: delivery, schedule: testSchedule(seed: seed),
      upkeep: upkeep)
  }

  /// Returns the schedule of background tests of relays and servers, or `nil` if they are off.
  func testSchedule(seed: UInt64) -> TestSchedule? {
    guard text("tests.background") == "true" else { return nil }
    return TestSchedule(
      interval: duration("tests.interval"), afterFailure: duration("tests.afterFailure"),
      atOnceMax: Int(text("tests.atOnceMax")) ?? 4, fullInterval: duration("tests.fullInterval"), seed: seed)
  }

  /// The rules for the upkeep of settled channels.
  var upkeep: UpkeepPolicy {
    var upkeep = UpkeepPolicy()
    upkeep.interval = duration("channel.upkeepInterval")
    upkeep.verifiesPerRound = perRound(Int64(text("channel.verifiesPerMinute")) ?? 60, upkeep.interval)
    upkeep.replaceAfter = duration("heal.after")
    upkeep.replacementsPerChannel = Int(text("heal.perChannelPerHour")) ?? upkeep.replacementsPerChannel
    upkeep.replacementsPerHour = Int(text("heal.perHour")) ?? upkeep.replacementsPerHour
    upkeep.returnsPerRound = perRound(Int64(text("heal.returnsPerMinute")) ?? 600, upkeep.interval)
    upkeep.keepHistory = .seconds(86_400 * (Int64(text("history.keepDays")) ?? 365))
    upkeep.keepRows = Int(text("history.keepRows")) ?? upkeep.keepRows
    return upkeep
  }

  /// The number within one round that corresponds to this number per minute, at least one.
  private func perRound(_ perMinute: Int64, _ interval: Duration) -> Int {
    let (product, isTooLarge) = perMinute.multipliedReportingOverflow(by: interval.wholeMilliseconds)
    return isTooLarge ? .max : Int(max(1, product / 60_000))
  }

  /// Timers and limits of channel relays on each network.
  func policies(seed: UInt64) -> [NetworkKind: RelayPolicy] {
    Dictionary(uniqueKeysWithValues: NetworkKind.served.map { ($0, policy(seed: seed, on: $0)) })
  }

  /// Timers and limits of channel relays.
  /// - Parameter network: the network, or `nil` for the general values.
  func policy(seed: UInt64, on network: NetworkKind? = nil) -> RelayPolicy {
    func text(_ key: String) -> String {
      let own = network.map { self.text("\($0.rawValue).\(key)") } ?? ""
      return own.isEmpty ? self.text(key) : own
    }
    func duration(_ key: String) -> Duration { Setting.duration(text(key)) ?? .zero }
    var policy = RelayPolicy()
    policy.invitationTimeout = duration("channel.invitationTimeout")
    policy.verificationTimeout = duration("channel.verificationTimeout")
    policy.backOffFirst = duration("channel.backOffFirst")
    policy.backOffMax = duration("channel.backOffMax")
    policy.attemptsMax = Int(text("channel.attemptsMax")) ?? policy.attemptsMax
    policy.effortMax = duration("channel.effortMax")
    policy.inactiveGrace = duration("channel.inactiveGrace")
    policy.slowRetry = duration("channel.slowRetry")
    policy.verifyInterval = duration("channel.verifyInterval")
    policy.jitterSeed = seed
    // A core removes a relay from a channel, even if that relay does not reply.
    policy.readsReplaced = network?.isInCore != true
    // Only Nostr relays accept events that were sent long ago. After this time, the session that sent them and its connection have expired.
    if database != nil, network == .nostr { policy.lateArrival = SessionMachine.Policy().lifetime * 2 }
    return policy
  }

  /// The limits for clients.
  var controlLimits: VarlinkServer.Limits {
    var limits = VarlinkServer.Limits()
    limits.messageBytesMax = Int(text("control.messageBytesMax")) ?? limits.messageBytesMax
    limits.messageTimeout = duration("control.messageTimeout")
    limits.replyTimeout = duration("control.replyTimeout")
    limits.descriptorsReserved = Descriptors.reserved
    limits.connectionsMax = Int(text("control.connectionsMax")) ?? limits.connectionsMax
    limits.connectionsPerUserMax = Int(text("control.connectionsPerUser")) ?? limits.connectionsPerUserMax
    limits.connectionsReserved = Int(text("control.connectionsReserved")) ?? limits.connectionsReserved
    limits.connectionsPerStrangerMax = Int(text("control.connectionsPerStranger")) ?? limits.connectionsPerStrangerMax
    limits.strangersMax = Int(text("control.strangersMax")) ?? limits.strangersMax
    limits.strangerTimeout = duration("control.strangerTimeout")
    limits.strangerMessageBytesMax = Int(text("control.strangerMessageBytesMax")) ?? limits.strangerMessageBytesMax
    return limits
  }

  /// The limits for requests of lists.
  var listLimits: ListLimits {
    var limits = ListLimits()
    limits.pageMax = Int(text("control.pageMax")) ?? limits.pageMax
    limits.filter.depthMax = Int(text("control.filterDepth")) ?? limits.filter.depthMax
    limits.filter.nodesMax = Int(text("control.filterSize")) ?? limits.filter.nodesMax
    return limits
  }

  var requestsMax: Int { Int(text("control.requestsMax")) ?? 10_000 }

  /// The limits of the log of changes for clients that watch.
  var hub: ChangeHub {
    ChangeHub(
      queueMax: Int(text("control.subscriberQueue")) ?? ChangeHub.subscriberQueueMaxDefault,
      bytesMax: Int(text("control.changesBytesMax")) ?? ChangeHub.bytesMaxDefault,
      subscribersMax: Int(text("control.subscribersMax")) ?? .max)
  }

  /// The address of the SimpleX chat core, if any.
  var core: CoreEndpoint? {
    Setting.endpoint(text("simplex.core")) ?? (coreProgram == nil ? nil : Setting.endpoint("127.0.0.1:5225"))
  }

  /// The program of the core, or `nil` if the daemon does not run one.
  var coreProgram: String? { text("simplex.program").isEmpty ? nil : text("simplex.program") }

  /// The name of the core's user, if the daemon runs it.
  var coreUser: String { text("simplex.user") }

  /// Whether operators, servers and relays that come with the core are imported.
  var takesPresets: Bool { text("simplex.presets") == "true" }

  /// The folder with the files that posts on SimpleX may have, or `nil` if they may have none.
  var simplexFiles: FileFolder? { try? FileFolder(path: text("simplex.files")) }

  /// The flaw of the folder for files of posts. Without this check, publishers could send the database and the key.
  private var flawOfFileFolder: FileFlaw? {
    guard let files = simplexFiles else { return nil }
    // Both paths may contain symbolic links, and the core follows them.
    let (folder, state) = (Self.parts(ofFolder: files.path), Self.parts(ofFolder: stateDirectory))
    guard folder.starts(with: state) || state.starts(with: folder) else {
      // Root checks the configuration for the user of the daemon, who owns this directory.
      var status = stat()
      let user = geteuid() == 0 && stat(stateDirectory, &status) == 0 ? status.st_uid : geteuid()
      return files.weakness(user: user).map {
        FileFlaw(file: "simplex.files", line: nil, column: nil, text: "is not a folder whose files may be published: \($0)")
      }
    }
    return FileFlaw(
      file: "simplex.files", line: nil, column: nil,
      text:
        "must not contain state.directory or be in it, because no one may publish its files: it is '\(files.path)', and "
        + "state.directory is '\(stateDirectory)'")
  }

  /// The parts of a path, without symbolic links as far as it exists.
  private static func parts(ofFolder path: String) -> [String] {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.pathComponents
  }

  var coreLimits: CoreLimits {
    var limits = CoreLimits()
    limits.networkTimeout = duration("simplex.commandTimeout")
    return limits
  }

  var simplexLimits: SimpleXLimits {
    var limits = SimpleXLimits()
    limits.testCounts = duration("simplex.testCounts")
    return limits
  }

  var nostrLimits: NostrLimits {
    var limits = NostrLimits()
    limits.dialTimeout = duration("nostr.dialTimeout")
    limits.publishTimeout = duration("nostr.publishTimeout")
    limits.readTimeout = duration("nostr.publishTimeout")
    limits.redialMaxWatched = duration("nostr.redialMax")
    // An event that is under way must not arrive after another daemon has the channel.
    if database != nil { limits.unacknowledgedMax = SessionMachine.Policy().lifetime / 2 }
    return limits
  }
}
