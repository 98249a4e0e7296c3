internal import Channels
internal import Configuration
internal import Coordinator
internal import Foundation
internal import Nostr
internal import Varlink

/// A configuration that cannot be used.
struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// One problem a line, each with where it is.
  let problems: [String]
  var description: String { problems.joined(separator: "\n") }
}

/// The configuration: arguments over environment over file over defaults.
struct Settings: Sendable {
  private let values: [String: String]

  static let defaultFile = "/etc/batond/batond.yaml"

  /// Reads all layers.
  /// - Parameters:
  ///   - arguments: what the command line says, by option.
  ///   - environment: variables; `BATON_LOG_LEVEL` sets `log.level`.
  ///   - file: nil reads the default file if it is there.
  /// - Throws: `ConfigurationError` with all problems of the layer that has some.
  init(arguments: [String: String], environment: [String: String], file: String?) async throws {
    func layer(_ name: String, _ values: [(String, String)]) -> InMemoryProvider {
      InMemoryProvider(
        name: name,
        values: Dictionary(
          values.map { (AbsoluteConfigKey(ConfigKey($0)), ConfigValue(.string($1), isSecret: false)) },
          uniquingKeysWith: { first, _ in first }))
    }
    let own = environment.filter { $0.key.hasPrefix("BATON_") && !$0.value.isEmpty }
    let reader = ConfigReader(providers: [
      layer("arguments", Array(arguments)),
      EnvironmentVariablesProvider(environmentVariables: own).prefixKeys(with: "baton"),
      try await Self.file(file ?? Self.defaultFile, isOptional: file == nil),
      layer("defaults", Setting.all.map { ($0.key, $0.fallback) }),
    ])
    var values: [String: String] = [:]
    var problems: [String] = []
    for setting in Setting.all {
      let value = try reader.requiredString(forKey: ConfigKey(setting.key))
      if !value.isEmpty || !setting.fallback.isEmpty, let problem = setting.kind.problem(value) {
        problems.append("\(setting.key) \(problem), it is '\(value)'")
      }
      values[setting.key] = value
    }
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    self.values = values
  }

  private static func file(_ path: String, isOptional: Bool) async throws -> FileProvider<CheckedYAML> {
    let place = ConfigReader(
      provider: InMemoryProvider(values: [
        "filePath": ConfigValue(.string(path), isSecret: false),
        "allowMissing": ConfigValue(.bool(isOptional), isSecret: false),
      ]))
    do {
      return try await FileProvider<CheckedYAML>(config: place)
    } catch let error as FileProblems {
      throw ConfigurationError(problems: error.problems.map { "\(path):\($0)" })
    } catch {
      throw ConfigurationError(problems: ["\(path): the configuration file cannot be read: \(error)"])
    }
  }

  // MARK: - Typed values; `init` has checked every text.

  private func text(_ key: String) -> String { values[key] ?? "" }
  private func duration(_ key: String) -> Duration { Setting.duration(text(key)) ?? .zero }

  var logLevel: String { text("log.level") }
  var stateDirectory: String { text("state.directory") }
  var controlSocket: String { text("control.socket") }
  var controlGroup: String { text("control.group") }
  var readGroup: String { text("control.readGroup") }
  var trustRoots: String? { text("nostr.trustRoots").isEmpty ? nil : text("nostr.trustRoots") }

  var operatorsDirectory: String { text("operators.directory") }

  /// When relays and servers are tested in the background; nil: never.
  func testSchedule(seed: UInt64) -> TestSchedule? {
    guard text("tests.background") == "true" else { return nil }
    return TestSchedule(
      interval: duration("tests.interval"), afterFailure: duration("tests.afterFailure"),
      atOnceMax: Int(text("tests.atOnceMax")) ?? 4, fullInterval: duration("tests.fullInterval"), seed: seed)
  }

  /// How settled channels are looked after.
  var upkeep: UpkeepPolicy {
    var upkeep = UpkeepPolicy()
    upkeep.interval = duration("channel.upkeepInterval")
    let perMinute = Int64(text("channel.verifiesPerMinute")) ?? 60
    upkeep.checksPerRound = Int(max(1, perMinute * upkeep.interval.wholeMilliseconds / 60_000))
    upkeep.replaceAfter = duration("heal.after")
    upkeep.replacementsPerChannel = Int(text("heal.perChannelPerHour")) ?? upkeep.replacementsPerChannel
    upkeep.replacementsPerHour = Int(text("heal.perHour")) ?? upkeep.replacementsPerHour
    upkeep.keepHistory = .seconds(86_400 * (Int64(text("history.keepDays")) ?? 365))
    return upkeep
  }

  /// Timers and limits of channel relays on each network.
  func policies(seed: UInt64) -> [NetworkKind: RelayPolicy] {
    Dictionary(uniqueKeysWithValues: NetworkKind.served.map { ($0, policy(seed: seed, on: $0)) })
  }

  /// Timers and limits of channel relays.
  /// - Parameter network: nil: where nothing else is said.
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
    return policy
  }

  /// What clients may take.
  var controlLimits: VarlinkServer.Limits {
    var limits = VarlinkServer.Limits()
    limits.messageBytesMax = Int(text("control.messageBytesMax")) ?? limits.messageBytesMax
    limits.messageTimeout = duration("control.messageTimeout")
    limits.replyTimeout = duration("control.replyTimeout")
    limits.connectionsMax = Int(text("control.connectionsMax")) ?? limits.connectionsMax
    limits.connectionsPerUserMax = Int(text("control.connectionsPerUser")) ?? limits.connectionsPerUserMax
    limits.connectionsPerStrangerMax = Int(text("control.connectionsPerStranger")) ?? limits.connectionsPerStrangerMax
    return limits
  }

  var requestsMax: Int { Int(text("control.requestsMax")) ?? 10_000 }

  /// Where clients that watch get changes from.
  var hub: ChangeHub {
    ChangeHub(
      queueMax: Int(text("control.subscriberQueue")) ?? ChangeHub.subscriberQueueMaxDefault,
      subscribersMax: Int(text("control.subscribersMax")) ?? .max)
  }

  var nostrLimits: NostrLimits {
    var limits = NostrLimits()
    limits.dialTimeout = duration("nostr.dialTimeout")
    limits.publishTimeout = duration("nostr.publishTimeout")
    limits.readTimeout = duration("nostr.publishTimeout")
    limits.redialMaxWatched = duration("nostr.redialMax")
    return limits
  }
}
