internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import StrictJSON

struct OperatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operator", abstract: "Manage the organisations that run servers and relays",
    subcommands: [List.self, Add.self, Show.self, Enable.self, Disable.self, Edit.self, Remove.self, OperatorExport.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an operator",
      discussion: """
        Servers and relays at or below its domains belong to it.

        Example:
          batonctl operator add Example --domain example.org
        """)
    @Argument(help: "Trade name of the operator.") var name: String
    @Option(help: "Domain of the operator, such as example.org. May be repeated.") var domain: [String] = []
    @Option(name: .customLong("legal-name"), help: "Name of the legal entity.") var legalName: String?
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let added = try await session.client.operators.add(
          AddOperator(name: name, legalName: legalName, domains: domain.isEmpty ? nil : domain, force: force))
        try session.show(added) { "Added operator \(added.id) '\(added.name)'." }
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show an operator with its servers and relays",
      discussion: """
        Example:
          batonctl operator show Example
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Argument(help: "Operator, by id or name.", completion: .names(of: .provider)) var name: String
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        let found = try await session.client.operators.get(id: try await session.provider(name).id)
        try session.show(found.operator) {
          let one = found.operator
          func words(_ roles: Roles, _ hasNames: Bool) -> String {
            let on = roles.words.filter { hasNames || $0 != "names" }
            return on.isEmpty ? "nothing" : on.joined(separator: ", ")
          }
          var lines = [
            "\(one.name) (operator \(one.id))\(one.legalName.map { ", \($0)" } ?? "")",
            "enabled   \(one.enabled ? "yes" : "no")\(one.deleted ? ", removed" : "")",
            "domains   \(one.domains.isEmpty ? "none" : one.domains.joined(separator: ", "))",
            "messages  \(words(one.smpRoles, true))",
            "files     \(words(one.xftpRoles, false))",
          ]
          if let accepted = one.conditionsAcceptedAt { lines.append("accepted  \(session.times.text(accepted))") }
          lines += Session.originLines(preset: one.preset, undeclared: one.undeclared, file: one.declaredIn)
          for server in found.servers {
            lines.append("\(session.terminal.dot(server.health)) server \(server.id) \(server.address)")
          }
          for relay in found.relays {
            lines.append("\(session.terminal.dot(relay.health)) relay \(relay.id) '\(relay.name)' \(relay.address)")
          }
          return lines.joined(separator: "\n")
        }
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Allow the use of an operator's servers and relays",
      discussion: """
        Example:
          batonctl operator enable Example
        """)
    @Argument(help: "Operator, by id or name.", completion: .names(of: .provider)) var name: String
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await OperatorCommand.set(global, name, isEnabled: true, force: force)
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prevent the use of an operator's servers and relays",
      discussion: """
        Channels keep the relays that they have.

        Example:
          batonctl operator disable Example
        """)
    @Argument(help: "Operator, by id or name.", completion: .names(of: .provider)) var name: String
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await OperatorCommand.set(global, name, isEnabled: false, force: force)
    }
  }

  private static func set(_ global: GlobalOptions, _ name: String, isEnabled: Bool, force: Bool) async throws {
    try await global.connected { session in
      let changed = try await session.changing {
        try await session.provider(name)
      } _: {
        try await session.client.operators.update(
          UpdateOperator(id: $0.id, revision: $0.revision, enabled: isEnabled, force: force))
      }
      try session.show(changed) { "Operator \(changed.id) '\(changed.name)' is \(changed.enabled ? "enabled" : "disabled")." }
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change an operator",
      discussion: """
        Example:
          batonctl operator edit Example --domain example.net
        """)
    @Argument(help: "Operator, by id or name.", completion: .names(of: .provider)) var `operator`: String
    @Option(help: "New trade name.") var name: String?
    @Option(name: .customLong("legal-name"), help: "Name of the legal entity, '' to remove it.") var legalName: String?
    @Option(help: "Domain of the operator. Replaces all current domains.") var domain: [String] = []
    @Option(
      name: .customLong("smp-role"),
      help: "Role of its message servers: storage, proxy or names, with =on or =off. May be repeated.",
      completion: .list(RoleChange.all))
    var smpRole: [RoleChange] = []
    @Option(
      name: .customLong("xftp-role"), help: "Role of its file servers: storage or proxy, with =on or =off. May be repeated.",
      completion: .list(RoleChange.all.filter { !$0.hasPrefix("names") }))
    var xftpRole: [RoleChange] = []
    @Flag(name: .customLong("accept-conditions"), help: "Record that its conditions of use are accepted now.") var accept =
      false
    @Flag(help: "Proceed despite validation errors.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let changed = try await session.changing {
          try await session.provider(self.operator)
        } _: {
          let now = accept ? RFC3339.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) : nil
          return try await session.client.operators.update(
            UpdateOperator(
              id: $0.id, revision: $0.revision, name: name, legalName: legalName, domains: domain.isEmpty ? nil : domain,
              smpRoles: RoleChange.overrides(smpRole), xftpRoles: RoleChange.overrides(xftpRole),
              conditionsAcceptedAt: now, force: force))
        }
        try session.show(changed) { "Changed operator \(changed.id) '\(changed.name)'." }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove an operator",
      discussion: """
        Operators declared in a file reappear on the next reload.

        Example:
          batonctl operator remove Example
        """,
      aliases: ["rm"])
    @Argument(help: "Operator, by id or name.", completion: .names(of: .provider)) var name: String
    @Flag(help: "Remove its servers and relays too. Channels keep the relays that they have.") var force = false
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let found = try await session.provider(name)
        if force {
          try session.confirm(
            "Remove operator \(found.id) '\(found.name)' with its servers and relays?", isDefault: false, yes: yes)
        }
        let removed = try await session.client.operators.remove(id: found.id, force: force)
        try session.show(removed) { "Removed operator \(removed.id) '\(removed.name)'." }
      }
    }
  }
}
