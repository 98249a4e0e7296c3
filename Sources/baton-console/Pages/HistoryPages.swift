internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Hummingbird
internal import StrictJSON

// The history of channels on relays, and of the health of relays and servers.
extension Pages {
  func history(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    var filter: [String: JSONValue] = [:]
    for name in ["to", "cause"] { if let word = query.text(name) { filter[name] = .string(word) } }
    if let id = try await relay(query) { filter["relayId"] = .integer(id) }
    if let id = try await channel(query) { filter["channelId"] = .integer(id) }
    if let begin = Self.begin(query) { filter["time"] = ["$gte": .string(begin)] }
    let condition: JSONValue? = filter.isEmpty ? nil : .object(filter)
    let reply = try await daemon.ask {
      try await $0.monitor.transitions(filter: condition, limit: Self.pageSize, cursor: query["cursor"])
    }
    let times = Times()
    let view: View = [
      "rows": .views(reply.transitions.map { Self.line($0, times) }), "isEmpty": .flag(reply.transitions.isEmpty),
      "isPart": .flag(reply.nextCursor != nil),
      "isFiltered": .flag(condition != nil), "relay": .some(query["relay"]), "channel": .some(query["channel"]),
      "statuses": Self.choices(RelayStatus.allCases.map(\.rawValue), chosen: query["to"]),
      "causes": Self.choices(Cause.allCases.map(\.rawValue), chosen: query["cause"]),
      "spans": Self.spans(query),
      "pager": pager(query, next: reply.nextCursor, address: "history"),
    ]
    return renderer.page(
      "history", title: "Channel history", section: .history, view, revision: revision ?? reply.revision, request, context)
  }

  func health(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    var filter: [String: JSONValue] = [:]
    if let word = query.text("to") { filter["to"] = .string(word) }
    if let id = try await relay(query) { filter["relayId"] = .integer(id) }
    if let begin = Self.begin(query) { filter["time"] = ["$gte": .string(begin)] }
    let condition: JSONValue? = filter.isEmpty ? nil : .object(filter)
    let reply = try await daemon.ask {
      try await $0.monitor.healthChanges(filter: condition, limit: Self.pageSize, cursor: query["cursor"])
    }
    let times = Times()
    let view: View = [
      "rows": .views(reply.healthChanges.map { Self.line($0, times) }), "isEmpty": .flag(reply.healthChanges.isEmpty),
      "isPart": .flag(reply.nextCursor != nil),
      "isFiltered": .flag(condition != nil), "relay": .some(query["relay"]),
      "healths": Self.choices(PeerCondition.Health.allCases.map(\.rawValue), chosen: query["to"]),
      "spans": Self.spans(query),
      "pager": pager(query, next: reply.nextCursor, address: "health"),
    ]
    return renderer.page(
      "health", title: "Health history", section: .history, view, revision: revision ?? reply.revision, request, context)
  }

  /// The named relay, or `nil` if the form has none.
  private func relay(_ query: Form) async throws -> Int64? {
    guard let name = query.text("relay") else { return nil }
    if let id = Int64(name) { return id }
    let relays = try await daemon.ask { try await $0.relays.all(filter: ["name": .string(name)]) }
    guard let relay = relays.first(where: { !$0.deleted }) ?? relays.first else {
      throw PageRefusal(
        status: .notFound, what: "Relay not found",
        help: "No relay is called “\(name.prefix(200))”. The page Relays lists all relays.")
    }
    return relay.id
  }

  /// The named channel, or `nil` if the form has none.
  private func channel(_ query: Form) async throws -> Int64? {
    guard let name = query.text("channel") else { return nil }
    if let id = Int64(name) { return id }
    // Very many channels may have the same name.
    let channels = try await daemon.ask { client in
      try await client.channels.list(
        ListRequest(filter: ["profile.displayName": .string(name)], limit: 2))
    }.channels
    guard let channel = channels.first else {
      throw PageRefusal(
        status: .notFound, what: "Channel not found",
        help: "No channel is called “\(name.prefix(200))”. On the page Channels you can search for a part of the name.")
    }
    guard channels.count == 1 else {
      throw PageRefusal(
        status: .conflict, what: "More than one channel has this name",
        help: "Search for “\(name.prefix(200))” on the page Channels, and open a channel to see its history.")
    }
    return channel.id
  }

  /// The periods that a list can cover, in hours.
  private static let hours: KeyValuePairs<Int64, String> = [
    1: "last hour", 24: "last 24 hours", 168: "last 7 days", 720: "last 30 days",
  ]

  private static func spans(_ query: Form) -> View.Part {
    .views(
      hours.map { ["word": .number($0.key), "title": .text($0.value), "isHere": .flag($0.key == query.number("hours"))] })
  }

  /// The time at which a list begins, or `nil` if it is complete.
  private static func begin(_ query: Form) -> String? {
    guard let hours = query.number("hours"), Self.hours.contains(where: { $0.key == hours }) else { return nil }
    return Times.stamp(SessionStore.now.wall - hours * 3_600_000)
  }
}
