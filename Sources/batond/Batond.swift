internal import ArgumentParser
internal import ControlAPI
internal import Coordinator
internal import Foundation
internal import ProgramEnd
internal import Provisioning
internal import RelayNetwork
internal import Storage
internal import Store
internal import StrictJSON

/// Runs the daemon, or the command that is named, and ends the process.
/// - Parameter arguments: the arguments after the name of the program.
public func runBatond(_ arguments: [String]) async -> Never { await Batond.runToEnd(arguments) }

struct Batond: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "batond",
    abstract: "Runs Baton: creates channels on relays and keeps them there.",
    version: "batond \(version)",
    subcommands: [Run.self, CheckConfig.self, Restore.self, RotateKey.self, CopyStore.self],
    defaultSubcommand: Run.self)
}

/// Options that take precedence over the environment and the files.
struct CommonOptions: ParsableArguments {
  @Option(name: .long, help: "The configuration file. Default: \(ConfigurationFiles.defaultFile), if it exists.")
  var config: String?

  @Option(name: .customLong("state-dir"), help: "The directory with the database and the key file.")
  var stateDirectory: String?

  @Option(help: "Where to serve the control interfaces, as unix:PATH.")
  var listen: String?

  @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.")
  var logLevel: String?

  /// Reads the current configuration.
  func settings() async throws -> Settings {
    var arguments: [String: String] = [:]
    arguments["state.directory"] = stateDirectory.map(Self.absolute)
    arguments["log.level"] = logLevel
    if let listen {
      guard listen.hasPrefix("unix:"), listen.utf8.count > 5 else {
        throw ValidationError("--listen must be unix:PATH")
      }
      arguments["control.socket"] = Self.absolute(String(listen.dropFirst(5)))
    }
    return try await Settings(
      arguments: arguments, environment: try environment(), files: ConfigurationFiles(config.map(Self.absolute)))
  }

  /// Reads the configuration, for a command that works only on a store in a file. With another store it ends the program.
  func settings(onFileFor command: String) async throws -> Settings {
    let settings = try await settings()
    do { try settings.requireFile(for: command) } catch {
      FileHandle.standardError.write(Data("batond: \(error)\n".utf8))
      throw ExitCode(ExitStatus.of(error))
    }
    return settings
  }

  /// The environment. `SYSTEMD_VARLINK_LISTEN`, the variable with which systemd sets the listening address of Varlink services, counts as
  /// `BATON_CONTROL_SOCKET` if that variable is not set.
  private func environment() throws -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    guard listen == nil, let place = environment["SYSTEMD_VARLINK_LISTEN"], !place.isEmpty,
      environment["BATON_CONTROL_SOCKET", default: ""].isEmpty
    else { return environment }
    guard place != "-" else {
      throw ConfigurationError(problems: [
        FileFlaw(
          file: "environment", line: nil, column: nil,
          text: "SYSTEMD_VARLINK_LISTEN must be a path: the daemon does not serve on standard input")
      ])
    }
    environment["BATON_CONTROL_SOCKET"] = Self.absolute(place.hasPrefix("unix:") ? String(place.dropFirst(5)) : place)
    return environment
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }
}

struct Restore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replaces the database with a copy that batonctl backup made.",
    discussion: """
      Works only while the daemon is stopped. The previous database is kept next to the new one. The key must be the one in use when the \
      copy was made: the one in identity.key, or in --key FILE if systemd holds it. With another key nothing is restored. Run it as root, \
      and it continues as the owner of the state directory, or as the user of the daemon.
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "The file with the key for the copy. Default: identity.key in the state directory.") var key: String?
  @Argument(help: "The copy.") var file: String

  func run() async throws {
    let settings = try await common.settings(onFileFor: "batond restore")
    do {
      let directory = settings.stateDirectory
      let box = try key.map(SecretBox.atCredential)
      let copy = OpenedCopy(file)
      try StateOwner.become(of: directory)
      let (before, isKeyKnown) = try copy.readable(in: directory) { path throws(StoreError) in
        do {
          return try Store.restore(
            from: path, directory: directory, key: box, stamp: String(Int64(Date().timeIntervalSince1970)))
        } catch {
          throw error as? StoreError ?? StoreError(.inputOutput, "\(error)")
        }
      }
      print("Restored \(directory)/baton.db from \(file).")
      if let before { print("The previous database is now \(before).") }
      if !isKeyKnown { print("There is no \(directory)/identity.key: the daemon needs the key in use when the copy was made.") }
    } catch let error as StoreError {
      FileHandle.standardError.write(Data("batond: \(error)\n".utf8))
      throw ExitCode(ExitStatus.of(error))
    }
  }
}

struct CheckConfig: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Checks the configuration and the files that declare operators, and lists everything that is wrong with them.",
    discussion: """
      Exit status: 0 valid, 78 invalid. Touches neither the database nor the network. The files that declare operators are checked once the
      configuration itself is good.
      """)

  @OptionGroup var common: CommonOptions
  @Flag(help: "Print one JSON document.") var json = false

  func run() async throws {
    var problems: [FileFlaw] = []
    var warnings: [String] = []
    do {
      let settings = try await common.settings()
      warnings = settings.warnings.map(\.message)
      _ = try ConfigurationLoader.read(DeclarationFolder(path: settings.operatorsDirectory))
    } catch let error as ConfigurationError {
      // The files of operators cannot be checked until the configuration names their folder.
      problems = error.problems
    } catch BatonError.invalidFiles(let flaws) {
      problems = flaws
    }
    if json {
      let list = JSONValue.array(problems.map { .string($0.description) })
      print(
        JSONValue.object(["ok": .bool(problems.isEmpty), "problems": list, "warnings": .array(warnings.map { .string($0) })])
          .text)
    } else if problems.isEmpty {
      for warning in warnings { FileHandle.standardError.write(Data("warning: \(warning)\n".utf8)) }
      print("The configuration is valid.")
    } else {
      for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
    }
    if !problems.isEmpty { throw ExitCode(ExitStatus.configuration) }
  }
}
