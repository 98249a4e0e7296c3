internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Hummingbird
internal import StrictJSON

// What happened to channels on relays, and to relays and servers.
extension Pages {
  func history(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    var filter: [String: JSONValue] = [:]
    for name in ["to", "cause"] { if let word = query.text(name) { filter[name] = .string(word) } }
    if let id = query.number("relay") { filter["relayId"] = .integer(id) }
    if let id = query.number("channel") { filter["channelId"] = .integer(id) }
    let condition: JSONValue? = filter.isEmpty ? nil : .object(filter)
    let reply = try await daemon.ask {
      try await $0.transitions(matching: condition, limit: Self.pageSize, cursor: query["cursor"])
    }
    let times = Times()
    let view: View = [
      "rows": .views(reply.transitions.map { Self.line($0, times) }), "isEmpty": .flag(reply.transitions.isEmpty),
      "isFiltered": .flag(condition != nil), "relay": .some(query["relay"]), "channel": .some(query["channel"]),
      "statuses": Self.choices(RelayStatus.allCases.map(\.rawValue), chosen: query["to"]),
      "causes": Self.choices(Cause.allCases.map(\.rawValue), chosen: query["cause"]),
      "pager": pager(query, next: reply.nextCursor, address: "history"),
    ]
    return renderer.page(
      "history", title: "History", section: .history, view, revision: revision ?? reply.revision, request, context)
  }

  func health(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    var filter: [String: JSONValue] = [:]
    if let word = query.text("to") { filter["to"] = .string(word) }
    if let id = query.number("relay") { filter["relayId"] = .integer(id) }
    let condition: JSONValue? = filter.isEmpty ? nil : .object(filter)
    let reply = try await daemon.ask {
      try await $0.healthChanges(matching: condition, limit: Self.pageSize, cursor: query["cursor"])
    }
    let times = Times()
    let view: View = [
      "rows": .views(reply.healthChanges.map { Self.line($0, times) }), "isEmpty": .flag(reply.healthChanges.isEmpty),
      "isFiltered": .flag(condition != nil), "relay": .some(query["relay"]),
      "healths": Self.choices(PeerCondition.Health.allCases.map(\.rawValue), chosen: query["to"]),
      "pager": pager(query, next: reply.nextCursor, address: "health"),
    ]
    return renderer.page(
      "health", title: "Health", section: .history, view, revision: revision ?? reply.revision, request, context)
  }
}
