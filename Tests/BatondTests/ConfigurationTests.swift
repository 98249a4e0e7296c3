import Channels
import Foundation
import Logging
import TestSupport
import Testing

@testable import Systemd
@testable import batond

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
    return try await Settings(arguments: arguments, environment: environment, file: file)
  }

  private func problems(_ yaml: String) async -> [String] {
    do {
      _ = try await settings(yaml)
      return []
    } catch let error as ConfigurationError {
      return error.problems.map { $0.replacingOccurrences(of: folder.path + "/", with: "") }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func argumentsComeBeforeEnvironmentBeforeFileBeforeDefaults() async throws {
    let yaml = "log:\n  level: warning\ncontrol:\n  socket: /from/file\nchannel:\n  attemptsMax: 3\n"
    let environment = ["BATON_LOG_LEVEL": "error", "BATON_CONTROL_SOCKET": "/from/environment", "BATON_STATE_DIRECTORY": ""]
    let all = try await settings(yaml, arguments: ["log.level": "debug"], environment: environment)
    #expect(all.logLevel == "debug" && all.controlSocket == "/from/environment")
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

  @Test func emptyFileIsFine() async {
    for yaml in ["", "# nothing\n", "log:\n", "log:\n  level:\n"] { #expect(await problems(yaml).isEmpty, "\(yaml)") }
  }

  @Test func problemsHaveFileLineAndColumn() async {
    #expect(await problems("log:\n  levle: debug\n") == ["batond.yaml:2:3: there is no option 'log.levle'"])
    #expect(
      await problems("log:\n  level: loud\nchannel:\n  backOffFirst: soon\n").map { $0.prefix(16) } == [
        "batond.yaml:2:10", "batond.yaml:4:17",
      ])
    #expect(await problems("log: [\n").first?.hasPrefix("batond.yaml:2:1") == true)
    #expect(await problems("- a\n") == ["batond.yaml:1:1: the file must hold sections"])
    #expect(await problems("log:\n  level: info\n  level: debug\n").first?.contains("twice") == true)
    #expect(await problems("log: debug\n").first?.contains("must be a section") == true)
    #expect(await problems("channel:\n  attemptsMax: 0\n").first?.contains("from 1 to 100") == true)
  }

  @Test func namedFileMustExistAndTheDefaultOneNeedNot() async throws {
    await #expect(throws: ConfigurationError.self) {
      try await Settings(arguments: [:], environment: [:], file: folder.path + "/none.yaml")
    }
    await #expect(throws: ConfigurationError.self) { try await settings(environment: ["BATON_LOG_LEVEL": "loud"]) }
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
    let options = text.matches(of: /\| `([a-z]+\.[a-zA-Z.]+)` \|/).map { String($0.1) }
    #expect(Set(options) == Set(Setting.all.map(\.key)))
  }

  @Test func timeSpansAreRead() {
    #expect(Setting.duration("30s") == .seconds(30) && Setting.duration("2min") == .seconds(120))
    #expect(Setting.duration("500ms") == .milliseconds(500) && Setting.duration("7") == .seconds(7))
    #expect(Setting.duration("1h") == .seconds(3600))
    for text in ["", "s", "-1s", "1.5s", "1 s", "1d", "99999999999999999999s"] { #expect(Setting.duration(text) == nil) }
  }
}

struct LogTests {
  @Test func peersCannotForgeLines() {
    #expect(StandardErrorLogHandler.line("a\n<0>panic\r\u{1B}[2J") == "a <0>panic  [2J")
  }

  @Test func onlyJournalFieldNamesBecomeFields() {
    for name in ["BATON_RELAY", "MESSAGE_ID", "A1"] { #expect(JournalLogHandler.isFieldName(name)) }
    for name in ["", "_UID", "1A", "lower", "A-B", "A=B", "A\nB", String(repeating: "A", count: 65)] {
      #expect(!JournalLogHandler.isFieldName(name))
    }
  }
}
