internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

extension OperatorCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List operators and count their relays and servers",
      discussion: """
        Example:
          batonctl operator list --enabled
        """, aliases: ["ls"])
    @OptionGroup var list: ListOptions
    @Flag var enablement: Enablement?
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try list.table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(list.table.show) { session in
        let condition = list.condition([enablement?.condition])
        let columns = try list.table.chosen(of: Self.columns)
        try await session.list(list, of: "operator", changedBy: ["operator", "relay", "server"]) { session in
          let operators = try await session.client.operators.all(filter: condition, sort: list.order)
          let (relays, servers) = try await Self.counts(of: operators, session)
          let none = condition == nil ? "No operators. Relays and servers without one are your own." : "No operators match."
          return Listing(objects: operators, columns: columns, none: none) {
            Row(one: $0, relays: relays[$0.id] ?? 0, servers: servers[$0.id] ?? 0, times: session.times)
          }
        }
      }
    }

    /// Returns the number of relays and servers of each operator.
    private static func counts(
      of operators: [Operator], _ session: Session
    ) async throws -> (relays: [Int64: Int], servers: [Int64: Int]) {
      guard session.isForPeople, !operators.isEmpty else { return ([:], [:]) }
      let owned: JSONValue = ["operatorId": ["$exists": true]]
      let relays = try await session.client.relays.all(filter: owned).compactMap(\.operatorId)
      let servers = try await session.client.servers.all(filter: owned).compactMap(\.operatorId)
      return (Dictionary(relays.map { ($0, 1) }, uniquingKeysWith: +), Dictionary(servers.map { ($0, 1) }, uniquingKeysWith: +))
    }

    struct Row {
      let one: Operator
      let relays: Int
      let servers: Int
      let times: Times
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("ID", rank: 0) { "\($0.one.id)" },
      TableColumn("NAME", rank: 0, least: 12) { $0.one.name },
      TableColumn("ENABLED", rank: 1) { $0.one.enabled ? "yes" : "no" },
      TableColumn("RELAYS", rank: 2) { "\($0.relays)" },
      TableColumn("SERVERS", rank: 3) { "\($0.servers)" },
      TableColumn("DOMAINS", rank: 4, least: 16) { $0.one.domains.joined(separator: ",") },
      TableColumn("FILE", rank: 5, least: 12) { Cell.file($0.one.undeclared, $0.one.declaredIn) },
      TableColumn("LEGAL", rank: 6, least: 16, isExtra: true) { $0.one.legalName ?? "" },
      TableColumn("MESSAGES", rank: 7, isExtra: true) { $0.one.smpRoles.words.joined(separator: ",") },
      TableColumn("FILES", rank: 8, isExtra: true) { $0.one.xftpRoles.words.filter { $0 != "names" }.joined(separator: ",") },
      TableColumn("ACCEPTED", rank: 9, isExtra: true) { $0.times.text($0.one.conditionsAcceptedAt) },
    ]
  }
}
