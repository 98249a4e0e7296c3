internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import ProgramEnd
internal import Sandbox

/// Runs relays on loopback until a signal ends the process, or ends it because that fails.
/// - Parameter arguments: the arguments after the name of the program.
public func runBatonSandbox(_ arguments: [String]) async -> Never { await BatonSandbox.runToEnd(arguments) }

struct BatonSandbox: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-sandbox",
    abstract: "Runs Nostr relays on loopback to try Baton with, and makes them misbehave.",
    discussion: """
      Prints one address per line on standard output when all relays are ready, then the address of the HTTP control on standard \
      error. POST /relays/N/FAULT there makes relay N misbehave, POST /relays/N/none heals it, GET /relays lists them.
      Faults: \(SandboxFault.allCases.map(\.rawValue).joined(separator: ", ")).
      The relays also offer groups (NIP-29) and search (NIP-50). foreign-group makes a relay describe its groups under a key other \
      than its own; group-taken makes it answer that a group to be created exists already and belongs to someone else.
      Not for production: it stores events from anyone.
      """,
    version: "baton-sandbox 0.1.0")

  @Option(help: "How many relays to run.") var relays = 3
  @Option(help: "The first relay's port, the others follow. Default: free ports.") var port: Int?
  @Option(name: .customLong("control-port"), help: "Port of the HTTP control. Default: a free one.") var controlPort = 0
  @Option(help: "Directory for one SQLite file per relay, with its events and its own key. Default: both are kept in memory.")
  var directory: String?
  @Flag(name: .customLong("no-groups"), help: "Do not offer groups (NIP-29).") var withoutGroups = false
  @Option(help: "RELAY=KIND: a fault to begin with. Relays count from 1. May be repeated.") var fault: [String] = []

  func validate() throws {
    guard (1...1000).contains(relays) else { throw ValidationError("--relays must be 1 to 1000.") }
    if let port, !(1...(65536 - relays)).contains(port) { throw ValidationError("--port leaves no room for all relays.") }
    _ = try faults()
  }

  private func faults() throws -> [Int: SandboxFault] {
    var faults: [Int: SandboxFault] = [:]
    for text in fault {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = Int(parts[0]), (1...relays).contains(number),
        let kind = SandboxFault(rawValue: String(parts[1]))
      else { throw ValidationError("'\(text)' is not RELAY=KIND with a known fault and a relay from 1 to \(relays).") }
      faults[number] = kind
    }
    return faults
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let faults = try faults()
    if let directory {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }
    var running: [SandboxRelay] = []
    do {
      for number in 1...relays {
        running.append(
          try await SandboxRelay.start(
            port: port.map { $0 + number - 1 } ?? 0, file: directory.map { "\($0)/relay\(number).db" },
            fault: faults[number] ?? .none, groups: !withoutGroups))
      }
      let control = try await SandboxControl.start(relays: running, port: controlPort)
      for relay in running { print(relay.url) }
      fflush(nil)
      FileHandle.standardError.write(Data("control \(control.url)\n".utf8))
    } catch {
      FileHandle.standardError.write(Data("baton-sandbox: cannot start: \(error)\n".utf8))
      throw ExitCode(75)
    }
    // This waits until a signal ends the process.
    for await _ in AsyncStream<Never>.makeStream().stream {}
  }
}
