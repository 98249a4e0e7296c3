internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

extension ServerCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List servers",
      discussion: """
        Example:
          batonctl server list --health down
        """, aliases: ["ls"])

    @OptionGroup var list: ListOptions
    @Option(
      help: "Only servers of this kind: smp or xftp. May be repeated.", completion: .list(Words.protocols),
      transform: Words.one(of: Words.protocols))
    var `protocol`: [String] = []
    @OptionGroup var peers: PeerFilter
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try list.table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(list.table.show) { session in
        let condition = list.condition([Words.condition("protocol", self.protocol)] + (try await peers.conditions(session)))
        let columns = try list.table.chosen(of: Self.columns)
        try await session.list(list, of: "server", changedBy: ["server", "operator"]) { session in
          let servers = try await session.client.servers.all(filter: condition, sort: list.order)
          let owners = try await session.operatorNames(servers.map(\.operatorId))
          let none = condition == nil ? "No servers. Add one with batonctl server add ADDRESS." : "No servers match."
          return Listing(objects: servers, columns: columns, none: none) {
            Row(server: $0, owners: owners, times: session.times)
          }
        }
      }
    }

    struct Row {
      let server: Server
      let owners: [Int64: String]
      let times: Times
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("ID", rank: 0) { "\($0.server.id)" },
      TableColumn("HOST", rank: 0, least: 14) { $0.server.hosts.first ?? "" },
      TableColumn("PROTOCOL", rank: 3) { $0.server.protocol },
      TableColumn("ENABLED", rank: 4) { $0.server.enabled ? "yes" : "no" },
      TableColumn("HEALTH", rank: 1, color: { .of($0.server.health) }) { $0.server.health },
      TableColumn("LATENCY", rank: 2) { Cell.latency($0.server.roundTripMilliseconds) },
      TableColumn("TESTED", rank: 5, color: { Cell.testColor($0.server.tested) }) {
        Cell.test($0.server.tested, $0.server.testedAt, $0.times)
      },
      TableColumn("OPERATOR", rank: 6, least: 12) { Cell.owner($0.server.operatorId, $0.owners) },
      TableColumn("ROLES", rank: 7, isExtra: true) { $0.server.roles.words.joined(separator: ",") },
      TableColumn("SINCE", rank: 8, isExtra: true) { $0.times.text($0.server.healthSince) },
      TableColumn("PASSWORD", rank: 9, isExtra: true) { $0.server.hasPassword ? "yes" : "no" },
      TableColumn("ADDRESS", rank: 10, least: 24, isExtra: true) { $0.server.address },
      TableColumn("FILE", rank: 11, least: 12, isExtra: true) { Cell.file($0.server.undeclared, $0.server.declaredIn) },
      TableColumn("ERROR", rank: 12, least: 16, isExtra: true) { $0.server.lastError ?? "" },
    ]
  }
}

extension Roles {
  /// The roles that are on.
  var words: [String] {
    [("storage", storage), ("proxy", proxy), ("names", names)].filter(\.1).map(\.0)
  }
}
