internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import Glibc

struct RelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Manages the relays that channels can be created on.",
    subcommands: [List.self, Add.self, Show.self, Test.self, Remove.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the relays.")
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let relays = try await session.client.relays()
        try session.show(relays) {
          guard !relays.isEmpty else { return "No relays. Add one with batonctl relay add ADDRESS." }
          return Terminal.table(
            ["ID", "NAME", "NETWORK", "ENABLED", "HEALTH", "ADDRESS"],
            relays.map {
              ["\($0.id)", $0.name, $0.network, $0.enabled ? "yes" : "no", $0.health, $0.address]
            })
        }
      }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a relay.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "Its address, for nostr a ws:// or wss:// URL.") var address: String
    @Option(help: "The name that people will use. Default: the host.") var name: String?
    @Option(help: "The relay protocol.") var network: String = "nostr"

    func run() async throws {
      try await global.connected { session in
        let relay = try await session.client.addRelay(AddRelay(address: address, name: name, network: network))
        try session.show(relay) { "Added relay \(relay.id) '\(relay.name)' at \(relay.address)." }
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows one relay.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The relay, by id or name.") var relay: String

    func run() async throws {
      try await global.connected { session in
        let relay = try await session.relay(relay)
        try session.show(relay) {
          var lines = [
            "\(session.terminal.dot(relay.health)) \(relay.name) (relay \(relay.id))",
            "address   \(relay.address)",
            "network   \(relay.network)",
            "enabled   \(relay.enabled ? "yes" : "no")\(relay.deleted ? ", removed" : "")",
            "health    \(relay.health)\(relay.healthSince.map { " since \($0)" } ?? "")",
            "channels  \(relay.channels ?? 0)",
          ]
          if let tested = relay.tested {
            lines.append("tested    \(tested ? "passed" : "failed") at \(relay.testedAt ?? "?")")
          }
          if let error = relay.lastError { lines.append("error     \(error)") }
          return lines.joined(separator: "\n")
        }
      }
    }
  }

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tests a relay step by step, as a publisher and a reader would use it.",
      discussion: "Exit status 1 when a step fails.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The relay, by id, name or address.") var relay: String?
    @Flag(help: "Test all relays.") var all = false

    func validate() throws {
      guard all != (relay != nil) else { throw ValidationError("Name one relay, or say --all.") }
    }

    func run() async throws {
      try await global.connected { session in
        var requests: [(String, TestRequest)] = []
        if all {
          requests = try await session.client.relays().map { ($0.name, TestRequest(id: $0.id)) }
        } else if let relay {
          if relay.contains("://") {
            requests = [(relay, TestRequest(address: relay))]
          } else {
            let known = try await session.relay(relay)
            requests = [(known.name, TestRequest(id: known.id))]
          }
        }
        var failed = 0
        for (name, request) in requests {
          session.say(name)
          for try await step in try await session.client.testRelay(request) {
            if !step.passed { failed += 1 }
            try session.show(step) {
              let mark = session.terminal.paint(step.passed ? "✓" : "✗", step.passed ? .green : .red)
              let time = String(format: "%7.1f ms", step.durationMilliseconds)
              return "  \(mark) \(step.name.padding(toLength: 9, withPad: " ", startingAt: 0)) \(time)  \(step.detail)"
            }
            flush()
          }
        }
        if failed > 0 { throw ExitCode(1) }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes a relay from the choice for new channels.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The relay, by id or name.") var relay: String
    @Flag(help: "Remove it although channels use it; they keep it.") var force = false

    func run() async throws {
      try await global.connected { session in
        let relay = try await session.client.removeRelay(id: try await session.relay(relay).id, force: force)
        try session.show(relay) { "Removed relay \(relay.id) '\(relay.name)'." }
      }
    }
  }
}

/// Lets readers of a pipe see a line at once.
func flush() { fflush(nil) }
