internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

extension RelayCommand {
  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print when a relay went up and down, and why",
      discussion: """
        Baton keeps the latest 1000 changes. batonctl history --relay R prints the changes of channels on a relay.

        Example:
          batonctl relay history relay-2
        """)
    @OptionGroup var table: TableOptions
    @Argument(help: "Relay, by id or name.", completion: .names(of: .relay)) var relay: String
    @Option(help: "Maximum number of lines, the latest ones, 1 to 1000.") var limit: Int = 100
    @OptionGroup var global: GlobalOptions

    func validate() throws { try HealthRow.validate(table, limit) }

    func run() async throws {
      try await global.connected(table.show) { session in
        try await session.showHealth(["relayId": .integer(try await session.relay(relay).id)], limit, table)
      }
    }
  }
}

extension ServerCommand {
  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print when a server went up and down, and why",
      discussion: """
        Baton keeps the latest 1000 changes.

        Example:
          batonctl server history smp.example.org
        """)
    @OptionGroup var table: TableOptions
    @Argument(help: "Server, by id, address or host.", completion: .names(of: .server)) var server: String
    @Option(help: "Maximum number of lines, the latest ones, 1 to 1000.") var limit: Int = 100
    @OptionGroup var global: GlobalOptions

    func validate() throws { try HealthRow.validate(table, limit) }

    func run() async throws {
      try await global.connected(table.show) { session in
        try await session.showHealth(["serverId": .integer(try await session.server(server).id)], limit, table)
      }
    }
  }
}

/// One line of the history of the health of a relay or server.
private struct HealthRow {
  let line: HealthChange
  let times: Times

  static let columns: [TableColumn<HealthRow>] = [
    TableColumn("TIME", rank: 0) { $0.times.text($0.line.time) },
    TableColumn("FROM", rank: 2) { $0.line.from },
    TableColumn("TO", rank: 0, color: { .of($0.line.to) }) { $0.line.to },
    TableColumn("WHY", rank: 1, least: 8) { row in
      let words = [row.line.cause.map { "(\($0))" }, row.line.detail.isEmpty ? nil : row.line.detail]
      return words.compactMap { $0 }.joined(separator: " ")
    },
  ]
}

extension HealthRow {
  static func validate(_ table: TableOptions, _ limit: Int) throws {
    _ = try table.chosen(of: columns)
    guard (1...1_000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
  }
}

extension Session {
  fileprivate func showHealth(_ filter: JSONValue, _ limit: Int, _ table: TableOptions) async throws {
    let columns = try table.chosen(of: HealthRow.columns)
    let lines: [HealthChange] = try await client.monitor.healthChanges(filter: filter, limit: limit).healthChanges.reversed()
    try show(lines) { self.table(columns, lines.map { HealthRow(line: $0, times: times) }) }
  }
}
