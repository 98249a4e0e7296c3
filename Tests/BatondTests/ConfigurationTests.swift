import Channels
import ControlAPI
import Coordinator
import Foundation
import Logging
import RelayNetwork
import SimpleX
import Synchronization
import TestSupport
import Testing

@testable import DaemonProgram
@testable import Systemd

struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings(
    _ yaml: String? = nil, arguments: [String: String] = [:], environment: [String: String] = [:]
  ) async throws -> Settings {
    var file: String?
    if let yaml {
      let path = folder.path + "/batond.yaml"
      try yaml.write(toFile: path, atomically: true, encoding: .utf8)
      file = path
    }
    return try await Settings(
      arguments: arguments, environment: environment, files: ConfigurationFiles(file, vendorFile: folder.path + "/vendor.yaml"))
  }

  private func problems(_ yaml: String) async -> [String] {
    do {
      _ = try await settings(yaml)
      return []
    } catch let error as ConfigurationError {
      return error.problems.map { $0.description.replacingOccurrences(of: folder.path + "/", with: "") }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func argumentsComeBeforeEnvironmentBeforeFileBeforeDefaults() async throws {
    let yaml = "log:\n  level: warning\ncontrol:\n  socket: /from/file\nchannel:\n  attemptsMax: 3\n"
    let environment = ["BATON_LOG_LEVEL": "error", "BATON_CONTROL_SOCKET": "/from/environment", "BATON_STATE_DIRECTORY": ""]
    let all = try await settings(yaml, arguments: ["log.level": "debug"], environment: environment)
    #expect(all.logLevel == .debug && all.controlSocket == "/from/environment")
    #expect(all.policy(seed: 0).attemptsMax == 3 && all.stateDirectory == "/var/lib/batond")
  }

  @Test func defaultsAreThoseOfTheCore() async throws {
    let policy = try await settings("").policy(seed: 0)
    #expect(policy == .init())
  }

  @Test func aNetworkMayHaveItsOwnTimers() async throws {
    let all = try await settings("channel:\n  attemptsMax: 3\nnostr:\n  channel:\n    attemptsMax: 5\n")
    #expect(all.policy(seed: 0).attemptsMax == 3)
    #expect(all.policies(seed: 0)[.nostr]?.attemptsMax == 5)
    #expect(try await settings("channel:\n  attemptsMax: 3\n").policies(seed: 0)[.nostr]?.attemptsMax == 3)
    #expect(await problems("nostr:\n  channel:\n    attemptsMax: 0\n").count == 1)
  }

  @Test func clientsThatWatchAreBoundedAsConfigured() async throws {
    let usual = try await settings("").hub
    #expect(usual.queueMax == ChangeHub.subscriberQueueMaxDefault && usual.bytesMax == ChangeHub.bytesMaxDefault)
    let own = try await settings("control:\n  subscribersMax: 7\n  subscriberQueue: 100\n  changesBytesMax: 300000\n").hub
    #expect(own.subscribersMax == 7 && own.queueMax == 100 && own.bytesMax == 300_000)
    #expect(await problems("control:\n  changesBytesMax: 1000\n").count == 1)
  }

  @Test func keysOfCustomDataAreAListOrSeparatedByCommas() async throws {
    #expect(try await settings("").indexedKeys == [])
    #expect(try await settings("state:\n  indexedKeys: []\n").indexedKeys == [])
    #expect(try await settings("state:\n  indexedKeys:\n").indexedKeys == [])
    #expect(
      try await settings("state:\n  indexedKeys: [team, customer.id, 7, Team]\n").indexedKeys == [
        "team", "customer.id", "7", "Team",
      ])
    #expect(try await settings("state:\n  indexedKeys: team, with space\n").indexedKeys == ["team", "with space"])
    let own = try await settings("state:\n  indexedKeys: [a]\n", environment: ["BATON_STATE_INDEXED_KEYS": "b, c.d"])
    #expect(own.indexedKeys == ["b", "c.d"])
    // They are read at the start.
    let changed = own.differences(to: try await settings(""))
    #expect(changed.map(\.key) == ["state.indexedKeys"] && changed.allSatisfy { !$0.appliesOnReload })
  }

  @Test func keysThatNoListCanNameAreRefused() async throws {
    let long = String(repeating: "k", count: 129)
    for (list, words) in [
      ("[a, a]", "must not have the key 'a' twice"), ("[a, '']", "must have no empty keys"),
      ("['']", "must have no empty keys"),
      ("[\(long)]", "at most 128 characters"), ("[a, b, c, d, e, f, g, h, i]", "at most 8 keys"),
      ("[caf\u{E9}]", "printable ASCII"),
      ("['a\"b']", "printable ASCII"), ("[a..b]", "printable ASCII"), ("['a,b']", "without commas"),
      ("[' a']", "without spaces"),
      ("[[a]]", "must be a list of texts"), ("[{a: b}]", "must be a list of texts"), ("[null]", "must be a list of texts"),
      ("{a: b}", "must be one value"), ("a,,b", "must have no empty keys"),
    ] {
      let found = await problems("state:\n  indexedKeys: \(list)\n")
      #expect(found.count == 1 && found[0].hasPrefix("batond.yaml:2:") && found[0].contains(words), "\(list): \(found)")
      #expect(found.allSatisfy { $0.contains("state.indexedKeys") })
    }
    await #expect(throws: ConfigurationError.self) { try await settings(environment: ["BATON_STATE_INDEXED_KEYS": "a,a"]) }
    #expect(await problems("log:\n  level: [info]\n") == ["batond.yaml:2:10: log.level must be one value"])
  }

  @Test func groupThatPublishesMustExist() async throws {
    #expect(try await settings("").publishGroup.isEmpty)
    for value in ["", " ''", " null"] {
      #expect(try await settings("control:\n  publishGroup:\(value)\n").publishGroup.isEmpty, "'\(value)'")
    }
    let own = try await settings("control:\n  publishGroup: root\n")
    #expect(own.publishGroup == "root")
    let variable = ["BATON_CONTROL_PUBLISH_GROUP": "root"]
    #expect(try await settings("", environment: variable).publishGroup == "root")
    let words = "control.publishGroup must be the name of a group that exists, it is"
    // The number of a group is no name.
    for name in ["no-such-group-of-baton", "0", "Root"] {
      #expect(await problems("control:\n  publishGroup: \(name)\n") == ["batond.yaml:2:17: \(words) '\(name)'"])
    }
    for value in ["[root]", "{root: true}"] {
      #expect(
        await problems("control:\n  publishGroup: \(value)\n")
          == ["batond.yaml:2:17: control.publishGroup must be one value"])
    }
    await #expect(throws: ConfigurationError.self) {
      try await settings(environment: ["BATON_CONTROL_PUBLISH_GROUP": "no-such-group-of-baton"])
    }
    // It is read at the start.
    let changed = own.differences(to: try await settings(""))
    #expect(changed.map(\.key) == ["control.publishGroup"] && changed.allSatisfy { !$0.appliesOnReload })
  }

  /// A SimpleX core drops a channel that no relay has published within half an hour: by twenty minutes relays
  /// that do not come must be given up, so that others take their place.
  @Test func relaysOfSimpleXAreReplacedBeforeTheCoreDropsTheChannel() async throws {
    let all = try await settings("")
    let policy = try #require(all.policies(seed: 0)[.simplex])
    #expect(policy.effortMax + all.upkeep.interval + policy.invitationTimeout <= .seconds(20 * 60))
    #expect(policy.verificationTimeout > all.simplexLimits.patience)
  }

  @Test func roundsThatNeverEndDoNotCrash() async throws {
    let all = try await settings("channel:\n  upkeepInterval: 1000000000h\n  verifiesPerMinute: 10000\n")
    #expect(all.upkeep.verifiesPerRound == .max && all.upkeep.returnsPerRound > 1_000_000)
    let usual = try await settings("channel:\n  upkeepInterval: 30s\n  verifiesPerMinute: 1000\n")
    #expect(usual.upkeep.verifiesPerRound == 500)
  }

  @Test func emptyFileIsFine() async {
    for yaml in ["", "# nothing\n", "log:\n", "log:\n  level:\n"] { #expect(await problems(yaml).isEmpty, "\(yaml)") }
  }

  @Test func problemsHaveFileLineAndColumn() async {
    #expect(await problems("log:\n  levle: debug\n") == ["batond.yaml:2:3: unknown option 'log.levle'"])
    #expect(
      await problems("log:\n  level: loud\nchannel:\n  backOffFirst: soon\n").map { $0.prefix(16) } == [
        "batond.yaml:2:10", "batond.yaml:4:17",
      ])
    #expect(await problems("log: [\n").first?.hasPrefix("batond.yaml:2:1") == true)
    #expect(await problems("- a\n") == ["batond.yaml:1:1: the file must consist of sections"])
    #expect(await problems("log:\n  level: info\n  level: debug\n").first?.contains("twice") == true)
    #expect(await problems("log: debug\n").first?.contains("must be a section") == true)
    #expect(await problems("channel:\n  attemptsMax: 0\n").first?.contains("from 1 to 100") == true)
  }

  @Test func namedFileMustExistAndTheDefaultOneNeedNot() async throws {
    await #expect(throws: ConfigurationError.self) {
      try await Settings(arguments: [:], environment: [:], files: ConfigurationFiles(folder.path + "/none.yaml"))
    }
    await #expect(throws: ConfigurationError.self) { try await settings(environment: ["BATON_LOG_LEVEL": "loud"]) }
  }

  /// FILE.d overrides FILE, which overrides the vendor's file; within a folder, later names override earlier ones.
  @Test func laterFilesOverrideEarlierOnes() async throws {
    func write(_ name: String, _ yaml: String) throws {
      let path = folder.path + "/" + name
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    }
    func attempts(_ count: Int) -> String { "channel:\n  attemptsMax: \(count)\n" }
    try write("vendor.yaml", attempts(1) + "heal:\n  perHour: 7\n")
    #expect(try await settings("").policy(seed: 0).attemptsMax == 1)
    try write("vendor.yaml.d/50.yaml", attempts(2))
    #expect(try await settings("").policy(seed: 0).attemptsMax == 2)
    #expect(try await settings(attempts(3)).policy(seed: 0).attemptsMax == 3)
    try write("batond.yaml.d/10.yaml", attempts(4))
    #expect(try await settings(attempts(3)).policy(seed: 0).attemptsMax == 4)
    try write("batond.yaml.d/20.yaml", attempts(5))
    try write("batond.yaml.d/30.yaml.bak", attempts(6))
    try write("batond.yaml.d/.40.yaml", attempts(7))
    let all = try await settings(attempts(3))
    #expect(all.policy(seed: 0).attemptsMax == 5 && all.upkeep.replacementsPerHour == 7)
    #expect(
      try await settings(attempts(3), environment: ["BATON_CHANNEL_ATTEMPTS_MAX": "9"]).policy(seed: 0).attemptsMax == 9)
    // All flaws are reported at once, wherever they are.
    try write("batond.yaml.d/10.yaml", "log:\n  levle: info\n")
    try write("batond.yaml.d/20.yaml", "- a\n")
    try write("vendor.yaml", attempts(0))
    do {
      _ = try await settings("channel: 1\n", arguments: ["log.level": "loud"], environment: ["BATON_HEAL_PER_HOUR": "x"])
      Issue.record("it was taken")
    } catch let error as ConfigurationError {
      let places = error.problems.map { "\(($0.file as NSString).lastPathComponent):\($0.line ?? 0)" }
      #expect(
        places == ["20.yaml:1", "10.yaml:2", "batond.yaml:1", "vendor.yaml:2", "arguments:0", "environment:0"], "\(error)")
    }
  }

  @Test func unreadableFolderIsNotTakenForAnEmptyOne() async throws {
    try "".write(toFile: folder.path + "/batond.yaml.d", atomically: true, encoding: .utf8)
    do {
      _ = try await settings("")
      Issue.record("it was taken")
    } catch let error as ConfigurationError {
      #expect(error.problems.count == 1 && error.description.hasSuffix("batond.yaml.d: cannot read the folder"))
    }
  }

  @Test func stateDirectoryComesFromSystemdUnlessItIsConfigured() async throws {
    let environment = ["STATE_DIRECTORY": "/srv/state:/srv/other"]
    #expect(try await settings("", environment: environment).stateDirectory == "/srv/state")
    #expect(try await settings("state:\n  directory: /own\n", environment: environment).stateDirectory == "/own")
  }

  @Test func databasesThatAnotherMayStandInForAreWarnedOf() async throws {
    for address in ["host=db.example sslmode=prefer", "postgresql://one,two/baton?sslmode=verify-ca"] {
      let found = try await settings("store: \(address)\n").warnings
      #expect(found.map(\.kind) == ["databaseUnverified"] && found[0].message.contains("verify-full"), "\(found)")
    }
    for address in ["host=db.example", "host=db.example sslmode=verify-full", "host=127.0.0.1 sslmode=disable", "''"] {
      #expect(try await settings("store: \(address)\n").warnings.isEmpty, "\(address)")
    }
  }

  @Test func filesWithAPasswordAreNotForEverybody() async throws {
    let path = folder.path + "/batond.yaml"
    func kinds(_ address: String, _ mode: Int) async throws -> [String] {
      _ = try await settings("store: \(address)\n")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let found = try await Settings(
        arguments: [:], environment: [:], files: ConfigurationFiles(path, vendorFile: folder.path + "/vendor.yaml")
      ).warnings
      #expect(found.allSatisfy { $0.message.contains(path) && !$0.message.contains("hocus") })
      return found.map(\.kind)
    }
    for address in [
      "postgresql://ann:hocus@db.example/baton", "host=db.example password=hocus", "host=/run/x sslpassword=hocus",
    ] {
      for mode in [0o644, 0o604] { #expect(try await kinds(address, mode) == ["secretReadable"], "\(address)") }
      for mode in [0o640, 0o600] { #expect(try await kinds(address, mode).isEmpty, "\(address)") }
    }
    #expect(try await kinds("postgresql://ann@db.example/baton?passfile=/x", 0o644).isEmpty)
  }

  @Test func reloadAppliesTimersAndNamesTheRest() async throws {
    let before = try await settings("channel:\n  attemptsMax: 3\n")
    let after = try await settings("channel:\n  attemptsMax: 4\nlog:\n  level: debug\ncontrol:\n  socket: /s\n")
    let changed = before.differences(to: after)
    #expect(changed.filter(\.appliesOnReload).map(\.key) == ["log.level", "channel.attemptsMax"])
    #expect(changed.filter { !$0.appliesOnReload }.map(\.key) == ["control.socket"])
  }

  @Test func everyOptionHasAValidDefaultAndASummary() {
    for setting in Setting.all {
      #expect(setting.fallback.isEmpty || setting.kind.problem(setting.fallback) == nil, "\(setting.key)")
      #expect(!setting.summary.isEmpty && !setting.summary.hasSuffix("."), "\(setting.key)")
    }
    #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
  }

  @Test func everyOptionIsInTheDocumentWithItsDefault() throws {
    let text = try String(contentsOfFile: Program.repository + "/docs/configuration.md", encoding: .utf8)
    for setting in Setting.all {
      let fallback = setting.fallback.isEmpty ? " " : " `\(setting.fallback)` "
      #expect(text.contains("| `\(setting.key)` |\(fallback)|"), "\(setting.key)")
    }
    for setting in Setting.all {
      let row = text.split(separator: "\n").first { $0.hasPrefix("| `\(setting.key)` |") } ?? ""
      #expect(row.hasSuffix(setting.appliesOnReload ? " reload |" : " start |"), "\(setting.key)")
    }
    let options = text.matches(of: /\| `(store|[a-z]+\.[a-zA-Z.]+)` \|/).map { String($0.1) }
    #expect(Set(options) == Set(Setting.all.map(\.key)))
  }

  @Test func timeSpansAreRead() {
    #expect(Setting.duration("30s") == .seconds(30) && Setting.duration("2min") == .seconds(120))
    #expect(Setting.duration("500ms") == .milliseconds(500) && Setting.duration("7") == .seconds(7))
    #expect(Setting.duration("1h") == .seconds(3600))
    for text in ["", "s", "-1s", "1.5s", "1 s", "1d", "99999999999999999999s"] { #expect(Setting.duration(text) == nil) }
  }
}

struct ServiceManagerTests {
  /// A start that takes long asks for more time, and no more once it is over.
  @Test func longStartsAskForMoreTime() async {
    let clock = ManualClock()
    let told = Mutex<[String]>.Box([])
    let manager = ServiceManager(logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }, clock: clock) { text in
      told.value.withLock { $0.append(text) }
    }
    await manager.whileStarting {
      for count in 1...3 {
        while clock.nextWake == nil { await Task.yield() }
        clock.advance(by: .seconds(10))
        while told.value.withLock({ $0.count }) < count { await Task.yield() }
      }
    }
    #expect(told.value.withLock { $0 } == Array(repeating: "EXTEND_TIMEOUT_USEC=30000000", count: 3))
  }

  /// A full disk is not a reason for a restart: storage that reports why it cannot write is alive.
  @Test(.timeLimit(.minutes(10))) func watchdogIsFedByWhoeverAnswers() async {
    let clock = ManualClock()
    let fed = Mutex<Int>.Box(0)
    let answer = Mutex<BatonError?>.Box(nil)
    let manager = ServiceManager(logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }, clock: clock) { text in
      if text == "WATCHDOG=1" { fed.value.withLock { $0 += 1 } }
    }
    let feeding = Task {
      await manager.feedWatchdog(every: .seconds(20)) { () throws(BatonError) in
        if let error = answer.value.withLock({ $0 }) { throw error }
      }
    }
    // The error of the check, and whether the watchdog is fed half an interval later.
    let steps: [(BatonError?, Bool)] = [
      (nil, true), (.storageUnavailable(reason: "the disk is full"), true), (.busy, false), (nil, true),
    ]
    for (error, isFed) in steps {
      // It sleeps, and the warning about missing progress was withdrawn.
      while clock.nextWake != clock.now + .seconds(10) { await Task.yield() }
      let before = fed.value.withLock { $0 }
      answer.value.withLock { $0 = error }
      clock.advance(by: .seconds(10))
      while clock.nextWake != clock.now + .seconds(10) { await Task.yield() }
      #expect(fed.value.withLock { $0 } - before == (isFed ? 1 : 0), "\(error.map { "\($0)" } ?? "all is well")")
    }
    feeding.cancel()
    await feeding.value
  }
}

struct LogTests {
  private struct Recorder: LogHandler {
    let lines: Mutex<[String]>.Box
    var logLevel: Logger.Level = .trace
    var metadata: Logger.Metadata = [:]
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { lines.value.withLock { $0.append("\(event.message)") } }
  }

  /// Messages are counted by their place in the code, not by their text.
  @Test func repeatedComplaintsAreCounted() {
    let lines = Mutex<[String]>.Box([])
    let start = ContinuousClock.now
    let now = Mutex<ContinuousClock.Instant>.Box(start)
    let limit = RepetitionLimit(countMax: 3, span: .seconds(60), limited: ["x"]) { now.value.withLock { $0 } }
    let logger = Logger(label: "t") { _ in LimitedLogHandler(Recorder(lines: lines), limit: limit) }
    func said() -> [String] {
      lines.value.withLock { lines in
        let said = lines
        lines = []
        return said
      }
    }
    for number in 1...100 { logger.warning("refused \(number)") }
    logger.warning("something else")
    for number in 1...5 { logger.info("fine \(number)") }
    for number in 1...5 { logger.error("event \(number)", metadata: ["MESSAGE_ID": "y"]) }
    #expect(said().filter { $0.hasPrefix("refused") } == ["refused 1", "refused 2", "refused 3"])
    for number in 1...5 { logger.notice("limited \(number)", metadata: ["MESSAGE_ID": "x"]) }
    #expect(said().count == 3)
    now.value.withLock { $0 = start + .seconds(61) }
    logger.info("later")
    let later = said()
    #expect(later.contains("97 more messages like this one were left out: refused 100"))
    #expect(later.contains("2 more messages like this one were left out: limited 5") && later.last == "later")
    for number in 1...2 { logger.warning("refused \(number)") }
    #expect(said() == ["refused 1", "refused 2"])
  }

  @Test func peersCannotForgeLines() {
    #expect(StandardErrorLogHandler.line("a\n<0>panic\r\u{1B}[2J") == "a <0>panic  [2J")
    #expect(StandardErrorLogHandler.line("\u{9B}2J\u{2028}b\u{202E}c\u{7F}") == " 2J b c ")
    #expect(JournalLogHandler.text("a\nb\r\u{1B}[2J\u{9B}2J\u{2028}\u{2066}c é 👩‍💻") == "a\nb  [2J 2J  c é 👩‍💻")
  }

  @Test func onlyJournalFieldNamesBecomeFields() {
    for name in ["BATON_RELAY", "MESSAGE_ID", "A1"] { #expect(JournalLogHandler.isFieldName(name)) }
    for name in ["", "_UID", "1A", "lower", "A-B", "A=B", "A\nB", String(repeating: "A", count: 65)] {
      #expect(!JournalLogHandler.isFieldName(name))
    }
  }
}

extension Mutex where Value: Sendable {
  /// A place that closures share.
  fileprivate final class Box: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }
}
