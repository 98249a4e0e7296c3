internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

extension ChannelCommand {
  struct Counts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Count channels by network and phase",
      discussion: """
        With many channels the figures may be some minutes old. batonctl relay counts counts channels by relay, status \
        and cause.

        Example:
          batonctl channel counts
        """)
    @OptionGroup var table: TableOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(table.show) { session in
        let columns = try table.chosen(of: Self.columns)
        let counts = try await session.client.channels.counts().counts
        try session.show(counts) { counts.isEmpty ? "No channels." : session.table(columns, counts) }
      }
    }

    private static let columns: [TableColumn<ChannelCount>] = [
      TableColumn("NETWORK", rank: 2) { $0.network },
      TableColumn("PHASE", rank: 0, color: { .of($0.phase) }) { $0.phase },
      TableColumn("CHANNELS", rank: 1) { "\($0.channels)" },
    ]
  }
}

extension RelayCommand {
  struct Counts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Count channels by relay, status and cause",
      discussion: """
        WHY is empty if nothing went wrong, and while a whole network is unavailable. With many channels the figures may \
        be some minutes old. batonctl channel list --relay R --status S --cause W lists the channels.

        Example:
          batonctl relay counts --relay relay-2
        """)
    @OptionGroup var table: TableOptions
    @Option(help: "Only this relay, by id or name. May be repeated.", completion: .names(of: .relay)) var relay: [String] = []
    @Option(
      help: "Only relays of this operator, by id or name, or own for relays without an operator.",
      completion: .names(of: .provider, or: ["own"]))
    var `operator`: String?
    @Option(
      help: "Only this status: new, invited, accepted, active, inactive or failed. May be repeated.",
      completion: .list(Words.statuses), transform: Words.one(of: Words.statuses))
    var status: [String] = []
    @Option(
      help: "Only this cause, such as timeout. May be repeated.", completion: .list(Words.causes),
      transform: Words.one(of: Words.causes))
    var cause: [String] = []
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(table.show) { session in
        let columns = try table.chosen(of: Self.columns)
        let filter = Words.all([
          try await session.relays(relay), try await session.ownership(self.operator), Words.condition("status", status),
          Words.condition("cause", cause),
        ])
        let counts = try await session.client.relays.allCounts(filter: filter)
        try session.show(counts) { counts.isEmpty ? "No channels match." : session.table(columns, counts) }
      }
    }

    private static let columns: [TableColumn<ChannelsAtRelay>] = [
      TableColumn("RELAY", rank: 0, least: 8) { $0.relayName },
      TableColumn("NETWORK", rank: 3) { $0.network },
      TableColumn("STATUS", rank: 0, color: { .of($0.status) }) { $0.status },
      TableColumn("WHY", rank: 2) { $0.cause ?? "" },
      TableColumn("CHANNELS", rank: 1) { "\($0.channels)" },
    ]
  }

  struct Figures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the performance of relays",
      discussion: """
        SUCCESS: the share of recent attempts that made a channel active, and the number of attempts. P50 and P90: half, \
        and nine in ten, of the channels were found by a reader within this time after they were handed to the relay. \
        CONNECTS: the median connection time in recent tests. batonctl relay counts shows why channels are not active.

        Example:
          batonctl relay figures --network nostr
        """)
    @OptionGroup var table: TableOptions
    @Option(
      help: "Only relays on this network: nostr or simplex. May be repeated.", completion: .list(Words.networks),
      transform: Words.one(of: Words.networks))
    var network: [String] = []
    @Option(
      help: "Only relays of this operator, by id or name, or own for relays without an operator.",
      completion: .names(of: .provider, or: ["own"]))
    var `operator`: String?
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(table.show) { session in
        let columns = try table.chosen(of: Self.columns)
        let filter = Words.all([Words.condition("network", network), try await session.ownership(self.operator)])
        let figures = try await session.client.relays.allFigures(filter: filter)
        try session.show(figures) { figures.isEmpty ? "No relays match." : session.table(columns, figures) }
      }
    }

    private static let columns: [TableColumn<RelayFigures>] = [
      TableColumn("RELAY", rank: 0, least: 8) { $0.relayName },
      TableColumn("NETWORK", rank: 9) { $0.network },
      TableColumn("HEALTH", rank: 1, color: { .of($0.health) }) { $0.health },
      TableColumn("CHANNELS", rank: 2) { "\($0.channels)" },
      TableColumn("ACTIVE", rank: 3) { "\($0.active)" },
      TableColumn("UNDERWAY", rank: 7) { "\($0.underWay)" },
      TableColumn("INACTIVE", rank: 6) { "\($0.inactive)" },
      TableColumn("FAILED", rank: 5) { "\($0.failed)" },
      TableColumn("SUCCESS", rank: 4) { row in
        row.successRate.map { "\(Int(($0 * 100).rounded(.down))) % of \(row.reached + row.missed)" } ?? ""
      },
      TableColumn("P50", rank: 8) { Cell.latency($0.timeToActive?.p50) },
      TableColumn("P90", rank: 8) { Cell.latency($0.timeToActive?.p90) },
      TableColumn("CONNECTS", rank: 10) { Cell.latency($0.roundTrips?.p50) },
    ]
  }
}

extension Words {
  /// The condition that all of these hold, or `nil` without conditions.
  static func all(_ conditions: [JSONValue?]) -> JSONValue? {
    let conditions = conditions.compactMap { $0 }
    return conditions.count > 1 ? ["$and": .array(conditions)] : conditions.first
  }
}

extension Session {
  /// The condition that an object concerns one of these relays, given by id or name, or `nil` without relays.
  func relays(_ names: [String]) async throws -> JSONValue? {
    guard !names.isEmpty else { return nil }
    var ids: [JSONValue] = []
    for name in names { ids.append(.integer(try await relay(name).id)) }
    return ["relayId": ["$in": .array(ids)]]
  }
}
