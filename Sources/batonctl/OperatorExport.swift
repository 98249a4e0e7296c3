internal import ArgumentParser
internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Foundation
internal import Provisioning
internal import RelayNetwork
internal import StrictJSON

/// Prints operators, servers and relays in the format of the files in `operators.d`.
struct OperatorExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print operators as a file for operators.d",
    discussion: """
      Without a name it prints all operators, and your own servers and relays. Server passwords are left out.

      Example:
        batonctl operator export Example
      """)
  @Argument(help: "Operator, by id or name.", completion: .names(of: .provider)) var name: String?
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      var declarations = Declarations()
      if let name {
        let id = try await session.provider(name).id
        declarations.operators = [try await Self.declare(id, session.raw)]
      } else {
        for one in try await session.raw.operators.all() {
          declarations.operators.append(try await Self.declare(one.id, session.raw))
        }
        let unowned: JSONValue = ["operatorId": ["$exists": false]]
        declarations.servers = try await session.raw.servers.all(filter: unowned).map(Self.declare)
        declarations.relays = try await session.raw.relays.all(filter: unowned).map(Self.declare)
      }
      let text = DeclarationWriter.text(declarations) { RFC3339.text(milliseconds: $0.milliseconds) }
      try session.show(JSONValue.object(["yaml": .string(text)])) {
        text.isEmpty ? "# nothing to declare" : String(text.dropLast())
      }
    }
  }

  private static func declare(_ id: Int64, _ client: BatonClient) async throws -> Declarations.Operator {
    let found = try await client.operators.get(id: id)
    let one = found.operator
    return Declarations.Operator(
      file: "", name: one.name, legalName: one.legalName, domains: one.domains, isEnabled: one.enabled,
      smpRoles: ServerRoles(storage: one.smpRoles.storage, proxy: one.smpRoles.proxy, names: one.smpRoles.names),
      xftpRoles: ServerRoles(storage: one.xftpRoles.storage, proxy: one.xftpRoles.proxy, names: false),
      conditionsAcceptedAt: one.conditionsAcceptedAt.flatMap(RFC3339.milliseconds).map(Timestamp.init(milliseconds:)),
      servers: found.servers.map(declare), relays: found.relays.map(declare))
  }

  private static func declare(_ server: Server) -> Declarations.Server {
    let roles = server.roleOverrides
    return Declarations.Server(
      file: "",
      address: ServerAddress(
        transport: ServerProtocol(rawValue: server.protocol) ?? .smp, fingerprint: server.fingerprint, hosts: server.hosts,
        port: server.port.map { Int($0) }, password: nil, text: server.address),
      isEnabled: server.enabled, roles: .init(storage: roles.storage, proxy: roles.proxy, names: roles.names))
  }

  private static func declare(_ relay: Relay) -> Declarations.Relay {
    Declarations.Relay(
      file: "", network: NetworkKind(rawValue: relay.network) ?? .nostr,
      address: RelayAddress(text: relay.address, displayHost: ""), name: relay.name, domains: relay.domains,
      isEnabled: relay.enabled)
  }
}
