internal import ArgumentParser
internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Foundation
internal import StrictJSON

struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server", abstract: "Manage message servers (SMP) and file servers (XFTP)",
    subcommands: [List.self, Add.self, Show.self, Enable.self, Disable.self, Edit.self, Remove.self, Test.self, History.self])

  /// The source of a password. Never the command line, which everyone on the machine can read.
  struct PasswordOption: ParsableArguments {
    @Option(
      name: .customLong("password-file"),
      help: "File with the server's password on its first line, or - for standard input.", completion: .file())
    var file: String?

    func password() throws -> String? {
      guard let file else { return nil }
      let given: String?
      if file == "-" {
        given = readLine()
      } else {
        guard let data = FileManager.default.contents(atPath: file), let text = String(data: data, encoding: .utf8) else {
          throw Refusal(text: "cannot read \(file)")
        }
        given = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first.map(String.init)
      }
      // Leading and trailing blanks are part of a password.
      guard let line = given.map(HumanText.text), !line.isEmpty else { throw Refusal(text: "\(file) contains no password") }
      return line
    }

    static func check(_ address: String) throws {
      guard let start = address.range(of: "://")?.upperBound, let at = address[start...].lastIndex(of: "@"),
        address[start..<at].contains(":")
      else { return }
      throw ValidationError(
        "A password on the command line can be read by everyone on this machine: leave it out of the address and use --password-file."
      )
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a server",
      discussion: """
        Example:
          batonctl server add smp://FINGERPRINT@smp.example.org
        """)
    @OptionGroup var password: PasswordOption
    @Argument(help: "Address of the server: smp://FINGERPRINT@HOST or xftp://FINGERPRINT@HOST.") var address: String
    @Option(
      help: "Operator that runs it, by id or name. Default: the one with its domain.",
      completion: .names(of: .provider, or: ["auto"]))
    var `operator`: String?
    @Option(
      help: "Role that differs from the operator's: storage, proxy or names, with =on or =off. May be repeated.",
      completion: .list(RoleChange.all))
    var role: [RoleChange] = []
    @Flag(help: "Add the server disabled.") var disabled = false
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func validate() throws { try PasswordOption.check(address) }

    func run() async throws {
      try await global.connected { session in
        let server = try await session.client.servers.add(
          AddServer(
            address: address, password: try password.password(), operatorId: try await session.assignment(self.operator),
            enabled: !disabled, roles: RoleChange.overrides(role), force: force))
        try session.show(server) { "Added server \(server.id) at \(server.address)." }
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a server",
      discussion: """
        Example:
          batonctl server show smp.example.org
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Argument(help: "Server, by id, address or host.", completion: .names(of: .server)) var server: String
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        let server = try await session.server(server)
        let owners = try await session.operatorNames([server.operatorId])
        try session.show(server) {
          let on = server.roles.words
          var lines = [
            "\(session.terminal.dot(server.health)) \(server.hosts.first ?? "") (\(server.protocol) server \(server.id))",
            "address   \(server.address)\(server.hasPassword ? ", with a password" : "")",
            "operator  \(Cell.ownerAndID(server.operatorId, owners))",
            "enabled   \(server.enabled ? "yes" : "no")\(server.deleted ? ", removed" : "")",
            "roles     \(on.isEmpty ? "none" : on.joined(separator: ", "))",
            "health    \(server.health)\(server.healthSince.map { " \(session.times.lasting($0))" } ?? "")",
          ]
          if let milliseconds = server.roundTripMilliseconds { lines.append("connects  in \(milliseconds) ms") }
          if let tested = server.tested {
            lines.append("tested    \(tested ? "passed" : "failed") \(session.times.moment(server.testedAt ?? "?"))")
          }
          if let error = server.lastError { lines.append("error     \(error)") }
          lines += Session.originLines(preset: server.preset, undeclared: server.undeclared, file: server.declaredIn)
          return lines.joined(separator: "\n")
        }
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Allow the use of a server",
      discussion: """
        Example:
          batonctl server enable smp.example.org
        """)
    @Argument(help: "Server, by id, address or host.", completion: .names(of: .server)) var server: String
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await ServerCommand.set(global, server, isEnabled: true, force: force) }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prevent the use of a server",
      discussion: """
        Example:
          batonctl server disable smp.example.org
        """)
    @Argument(help: "Server, by id, address or host.", completion: .names(of: .server)) var server: String
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await ServerCommand.set(global, server, isEnabled: false, force: force) }
  }

  private static func set(_ global: GlobalOptions, _ name: String, isEnabled: Bool, force: Bool) async throws {
    try await global.connected { session in
      let changed = try await session.changing {
        try await session.server(name)
      } _: {
        try await session.client.servers.update(
          UpdateServer(id: $0.id, revision: $0.revision, enabled: isEnabled, force: force))
      }
      try session.show(changed) { "Server \(changed.id) is \(changed.enabled ? "enabled" : "disabled")." }
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a server",
      discussion: """
        Example:
          batonctl server edit smp.example.org --operator auto
        """)
    @OptionGroup var password: PasswordOption
    @Argument(help: "Server, by id, address or host.", completion: .names(of: .server)) var server: String
    @Option(help: "New address.") var address: String?
    @Flag(name: .customLong("no-password"), help: "Remove its password.") var noPassword = false
    @Option(
      help: "Operator that runs it, by id or name, or auto to let the domain decide.",
      completion: .names(of: .provider, or: ["auto"]))
    var `operator`: String?
    @Option(
      help: "Role: storage, proxy or names, with =on or =off. Replaces all current roles.",
      completion: .list(RoleChange.all))
    var role: [RoleChange] = []
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
      if let address { try PasswordOption.check(address) }
      guard !noPassword || password.file == nil else {
        throw ValidationError("--no-password and --password-file cannot be combined.")
      }
    }

    func run() async throws {
      try await global.connected { session in
        let password = noPassword ? "" : try password.password()
        let owner = try await session.assignment(self.operator)
        let changed = try await session.changing {
          try await session.server(server)
        } _: {
          try await session.client.servers.update(
            UpdateServer(
              id: $0.id, revision: $0.revision, address: address, password: password, operatorId: owner,
              roles: RoleChange.overrides(role), force: force))
        }
        try session.show(changed) { "Changed server \(changed.id) at \(changed.address)." }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a server",
      discussion: """
        Servers declared in a file reappear on the next reload.

        Example:
          batonctl server remove smp.example.org
        """,
      aliases: ["rm"])
    @Argument(help: "Server, by id, address or host.", completion: .names(of: .server)) var server: String
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let removed = try await session.client.servers.remove(id: try await session.server(server).id, force: force)
        try session.show(removed) { "Removed server \(removed.id) at \(removed.address)." }
      }
    }
  }

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Test step by step whether a server works",
      discussion: """
        Exit status 1 when a step fails.

        Example:
          batonctl server test --all
        """)
    @Argument(
      help: "Server, by id or host, or the address of any server.",
      completion: .names(of: .server))
    var server: String?
    @Flag(help: "Test all servers.") var all = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
      guard all != (server != nil) else { throw ValidationError("Name one server, or use --all.") }
      if let server { try PasswordOption.check(server) }
    }

    func run() async throws {
      try await global.connected { session in
        let client = session.client
        var requests: [(String, ServersTestRequest)] = []
        if let server {
          if !server.hasPrefix("name:"), server.contains("://") {
            requests = [(server.shown, ServersTestRequest(address: server))]
          } else {
            let known = try await session.server(server)
            requests = [(known.address, ServersTestRequest(id: known.id))]
          }
        } else {
          requests = try await client.servers.all().map { ($0.address, ServersTestRequest(id: $0.id)) }
        }
        let passed = try await session.runTests(
          requests.map { title, request in (title, { try await client.servers.testAndFollow(request) }) })
        if !passed { throw ExitCode(1) }
      }
    }
  }
}
