internal import ArgumentParser
internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Foundation
internal import RelayNetwork
internal import StrictJSON

struct RelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Manage the relays that channels can be created on",
    subcommands: [
      List.self, Add.self, Show.self, Enable.self, Disable.self, Edit.self, Remove.self, Test.self, Counts.self, Figures.self,
      History.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a relay",
      discussion: """
        Example:
          batonctl relay add wss://relay.example.org --name relay-1
        """)
    @Argument(help: "Address of the relay: for nostr a ws:// or wss:// URL, for simplex https://HOST/r#KEY.") var address:
      String
    @Option(help: "Name of the relay. Default: the host.") var name: String?
    @Option(
      help: "Operator that runs it, by id or name. Default: the one with its domain.",
      completion: .names(of: .provider, or: ["auto"]))
    var `operator`: String?
    @Option(help: "nostr or simplex. Default: derived from the address.", completion: .networks) var network: String?
    @Option(help: "Domain that it belongs to, in addition to its host. May be repeated.") var domain: [String] = []
    @Flag(help: "Add the relay disabled.") var disabled = false
    @OptionGroup var global: GlobalOptions

    func validate() throws { try RelayCommand.checkScheme(address) }

    func run() async throws {
      try await global.connected { session in
        let network = network ?? NetworkKind.lookingLike(address).rawValue
        let relay = try await session.client.relays.add(
          AddRelay(
            address: address, name: name, network: network, enabled: !disabled, domains: domain.isEmpty ? nil : domain,
            operatorId: try await session.assignment(self.operator)))
        try session.show(relay) { "Added relay \(relay.id) '\(relay.name)' at \(relay.address)." }
      }
    }
  }

  /// Refuses a host in place of an address, and suggests the address.
  private static func checkScheme(_ address: String) throws {
    let host = address.prefix { $0 != ":" && $0 != "/" }
    // The text before an @ may be a password, which must not be repeated.
    guard !address.contains("://"), !address.contains("@"), host.contains(".") || host == "localhost",
      host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" })
    else { return }
    let isHere = host == "localhost" || host.hasPrefix("127.")
    throw ValidationError(
      "The address of a relay begins with wss:// or ws://. Did you mean '\(isHere ? "ws" : "wss")://\(address)'?")
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a relay",
      discussion: """
        Example:
          batonctl relay show relay-1
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Argument(help: "Relay, by id or name.", completion: .names(of: .relay)) var relay: String
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        let relay = try await session.relay(relay)
        let owners = try await session.operatorNames([relay.operatorId])
        try session.show(relay) {
          var lines = [
            "\(session.terminal.dot(relay.health)) \(relay.name) (relay \(relay.id))",
            "address   \(relay.address)",
            "network   \(relay.network)",
            "operator  \(Cell.ownerAndID(relay.operatorId, owners))",
            "enabled   \(relay.enabled ? "yes" : "no")\(relay.deleted ? ", removed" : "")",
            "health    \(relay.health)\(relay.healthSince.map { " \(session.times.lasting($0))" } ?? "")",
            "channels  \(relay.channels ?? 0)",
          ]
          if let tested = relay.tested {
            lines.append("tested    \(tested ? "passed" : "failed") \(session.times.moment(relay.testedAt ?? "?"))")
          }
          if let milliseconds = relay.roundTripMilliseconds { lines.append("connects  in \(milliseconds) ms") }
          if let trouble = relay.networkTrouble { lines.append("unusable  \(trouble)") }
          if let error = relay.lastError { lines.append("error     \(error)") }
          if let name = relay.profile?.name { lines.append("calls itself \(name)") }
          if !relay.capabilities.isEmpty { lines.append("can       \(relay.capabilities.joined(separator: ", "))") }
          lines += Session.originLines(preset: relay.preset, undeclared: relay.undeclared, file: relay.declaredIn)
          return lines.joined(separator: "\n")
        }
      }
    }
  }

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Test a relay step by step, as publisher and reader",
      discussion: """
        Exit status 1 when a step fails.

        Example:
          batonctl relay test --all
        """)
    @Argument(help: "Relay, by id or name, or the address of any relay.", completion: .names(of: .relay)) var relay: String?
    @Flag(help: "Test all relays.") var all = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
      guard all != (relay != nil) else { throw ValidationError("Name one relay, or use --all.") }
    }

    func run() async throws {
      try await global.connected { session in
        let client = session.client
        var requests: [(String, TestRequest)] = []
        if let relay {
          let isNamed = relay.hasPrefix("name:") || relay.hasPrefix("id:")
          if !isNamed, relay.contains("://") || relay.hasPrefix("simplex:") {
            requests = [
              (PasswordEcho.hiding(relay).shown, TestRequest(address: relay, network: NetworkKind.lookingLike(relay).rawValue))
            ]
          } else {
            let known = try await session.relay(relay)
            requests = [(known.name, TestRequest(id: known.id))]
          }
        } else {
          requests = try await client.relays.all().map { ($0.name, TestRequest(id: $0.id)) }
        }
        let passed = try await session.runTests(
          requests.map { title, request in (title, { try await client.relays.testAndFollow(request) }) })
        if !passed { throw ExitCode(1) }
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Allow picking a relay for new channels",
      discussion: """
        Example:
          batonctl relay enable relay-1
        """)
    @Argument(help: "Relay, by id or name.", completion: .names(of: .relay)) var relay: String
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await RelayCommand.set(global, relay, isEnabled: true) }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop picking a relay for new channels",
      discussion: """
        Channels that have it keep it.

        Example:
          batonctl relay disable relay-1
        """)
    @Argument(help: "Relay, by id or name.", completion: .names(of: .relay)) var relay: String
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await RelayCommand.set(global, relay, isEnabled: false) }
  }

  private static func set(_ global: GlobalOptions, _ name: String, isEnabled: Bool) async throws {
    try await global.connected { session in
      let changed = try await session.changing {
        try await session.relay(name)
      } _: {
        try await session.client.relays.update(UpdateRelay(id: $0.id, revision: $0.revision, enabled: isEnabled))
      }
      try session.show(changed) { "Relay \(changed.id) '\(changed.name)' is \(changed.enabled ? "enabled" : "disabled")." }
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a relay",
      discussion: """
        Example:
          batonctl relay edit relay-1 --name north
        """)
    @Argument(help: "Relay, by id or name.", completion: .names(of: .relay)) var relay: String
    @Option(help: "New name.") var name: String?
    @Option(help: "New address. It cannot change while channels use the relay.") var address: String?
    @Option(
      help: "Operator that runs it, by id or name, or auto to let the domain decide.",
      completion: .names(of: .provider, or: ["auto"]))
    var `operator`: String?
    @Option(help: "Domain that it belongs to. Replaces all current domains.") var domain: [String] = []
    @OptionGroup var global: GlobalOptions

    func validate() throws { if let address { try RelayCommand.checkScheme(address) } }

    func run() async throws {
      try await global.connected { session in
        let owner = try await session.assignment(self.operator)
        let changed = try await session.changing {
          try await session.relay(relay)
        } _: {
          try await session.client.relays.update(
            UpdateRelay(
              id: $0.id, revision: $0.revision, address: address, name: name, domains: domain.isEmpty ? nil : domain,
              operatorId: owner))
        }
        try session.show(changed) { "Changed relay \(changed.id) '\(changed.name)' at \(changed.address)." }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a relay, so that new channels cannot use it",
      discussion: """
        Example:
          batonctl relay remove relay-1
        """, aliases: ["rm"])
    @Argument(help: "Relay, by id or name.", completion: .names(of: .relay)) var relay: String
    @Flag(help: "Remove the relay even if channels use it. They keep it.") var force = false
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let found = try await session.relay(relay)
        if force {
          try session.confirm(
            "Remove relay \(found.id) '\(found.name)', even from the choice for channels that use it?", isDefault: false,
            yes: yes)
        }
        let relay = try await session.client.relays.remove(id: found.id, force: force)
        try session.show(relay) { "Removed relay \(relay.id) '\(relay.name)'." }
      }
    }
  }
}
