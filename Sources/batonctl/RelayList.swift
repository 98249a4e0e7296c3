internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

extension RelayCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List relays",
      discussion: """
        Example:
          batonctl relay list --health down
        """, aliases: ["ls"])

    @OptionGroup var list: ListOptions
    @Option(
      help: "Only relays on this network: nostr or simplex. May be repeated.", completion: .list(Words.networks),
      transform: Words.one(of: Words.networks))
    var network: [String] = []
    @OptionGroup var peers: PeerFilter
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try list.table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(list.table.show) { session in
        let condition = list.condition([Words.condition("network", network)] + (try await peers.conditions(session)))
        let columns = try list.table.chosen(of: Self.columns)
        try await session.list(list, of: "relay", changedBy: ["relay", "operator", "channelRelay"]) { session in
          let relays = try await session.client.relays.all(filter: condition, sort: list.order)
          let owners = try await session.operatorNames(relays.map(\.operatorId))
          let none = condition == nil ? "No relays. Add one with batonctl relay add ADDRESS." : "No relays match."
          return Listing(objects: relays, columns: columns, none: none) {
            Row(relay: $0, owners: owners, times: session.times)
          }
        }
      }
    }

    struct Row {
      let relay: Relay
      let owners: [Int64: String]
      let times: Times

      /// The health of the relay. Trouble of the whole network takes precedence.
      var health: String { relay.networkTrouble == nil ? relay.health : "unusable" }
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("ID", rank: 0) { "\($0.relay.id)" },
      TableColumn("NAME", rank: 0, least: 14) { $0.relay.name },
      TableColumn("NETWORK", rank: 6) { $0.relay.network },
      TableColumn("ENABLED", rank: 4) { $0.relay.enabled ? "yes" : "no" },
      TableColumn("HEALTH", rank: 1, color: { .of($0.health) }) { $0.health },
      TableColumn("LATENCY", rank: 2) { Cell.latency($0.relay.roundTripMilliseconds) },
      TableColumn("CHANNELS", rank: 3) { $0.relay.channels.map { "\($0)" } ?? "" },
      TableColumn("TESTED", rank: 5, color: { Cell.testColor($0.relay.tested) }) {
        Cell.test($0.relay.tested, $0.relay.testedAt, $0.times)
      },
      TableColumn("OPERATOR", rank: 7, least: 12) { Cell.owner($0.relay.operatorId, $0.owners) },
      TableColumn("ADDRESS", rank: 8, least: 24) { $0.relay.address },
      TableColumn("SINCE", rank: 9, isExtra: true) { $0.times.text($0.relay.healthSince) },
      TableColumn("CAPABILITIES", rank: 10, least: 16, isExtra: true) { $0.relay.capabilities.joined(separator: ",") },
      TableColumn("FILE", rank: 11, least: 12, isExtra: true) { Cell.file($0.relay.undeclared, $0.relay.declaredIn) },
      TableColumn("ERROR", rank: 12, least: 16, isExtra: true) { $0.relay.networkTrouble ?? $0.relay.lastError ?? "" },
    ]
  }
}
