internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

extension ChannelTransition: HistoryLine {}

/// `batonctl history`.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Print the transitions of channels, oldest first",
    discussion: """
      The options history.keepDays and history.keepRows limit how far back the history goes. batonctl watch prints changes \
      as they happen.

      Examples:
        batonctl history "City News"
        batonctl history --relay relay-2 --since "2026-12-24 18:00"
      """)
  @OptionGroup var table: TableOptions
  @Argument(help: "Channels, by id or name. Default: all.", completion: .names(of: .channel)) var channels: [String] = []
  @Option(help: "Only this relay, by id or name. May be repeated.", completion: .names(of: .relay)) var relay: [String] = []
  @Option(
    help: "Only transitions with this cause. May be repeated.", completion: .list(Words.causes),
    transform: Words.one(of: Words.causes)) var cause: [String] = []
  @Option(
    help: "Only transitions to this status: new, invited, accepted, active, inactive, failed or removed. May be repeated.",
    completion: .list(Words.statuses), transform: Words.one(of: Words.statuses)) var status: [String] = []
  @Option(help: ArgumentHelp("Only transitions at this time or later.", valueName: "time"), transform: Moment.of) var since:
    Moment?
  @Option(help: "Condition in JSON, such as '{\"to\": \"failed\"}'.") var filter: String?
  @Option(help: "Maximum number of lines, the latest ones.") var limit: Int = 100
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    _ = try table.chosen(of: isOfOne ? HistoryRow.columns : Self.columns)
    guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    if let filter, (try? JSONParser.parse(filter))?.object == nil {
      throw ValidationError("--filter must be a JSON object such as '{\"to\": \"failed\"}'.")
    }
  }

  func run() async throws {
    try await global.connected(table.show) { session in
      let columns = try table.chosen(of: isOfOne ? HistoryRow.columns : Self.columns)
      let lines = try await lines(session)
      try session.show(lines) { session.table(columns, lines.map { HistoryRow(line: $0, times: session.times) }) }
    }
  }

  /// Whether each line is about the same channel.
  private var isOfOne: Bool { channels.count == 1 }

  private static let columns: [TableColumn<HistoryRow>] = HistoryRow.columns(with: [
    TableColumn("CHANNEL", rank: 0, least: 8) { row in
      (row.line as? ChannelTransition).map { $0.channelName ?? "channel \($0.channelId)" } ?? ""
    }
  ])

  /// The latest lines, oldest first.
  private func lines(_ session: Session) async throws -> [ChannelTransition] {
    let condition = try await condition(session)
    var lines: [ChannelTransition] = []
    var cursor: String?
    repeat {
      let page = try await session.client.monitor.transitions(
        filter: condition, limit: min(limit - lines.count, 1_000), cursor: cursor)
      lines += page.transitions
      cursor = page.nextCursor
    } while cursor != nil && lines.count < limit
    return lines.reversed()
  }

  private func condition(_ session: Session) async throws -> JSONValue? {
    var channels: [JSONValue] = []
    for name in self.channels { channels.append(.integer(try await session.channel(name).id)) }
    return Words.all([
      filter.flatMap { try? JSONParser.parse($0) }, channels.isEmpty ? nil : ["channelId": ["$in": .array(channels)]],
      try await session.relays(relay), Words.condition("cause", cause), Words.condition("to", status),
      since.map { ["time": ["$gte": .string($0.text)]] },
    ])
  }
}
