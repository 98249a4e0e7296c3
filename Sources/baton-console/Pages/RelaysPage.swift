internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Hummingbird
internal import StrictJSON

// All relays, and how well they perform.
extension Pages {
  func relays(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    var filter: [String: JSONValue] = [:]
    if let text = query.text("q") { filter["name"] = ["$q": .string(text)] }
    if let health = query.text("health") { filter["health"] = .string(health) }
    if let network = query.text("network") { filter["network"] = .string(network) }
    let asked = ListRequest(
      filter: filter.isEmpty ? nil : .object(filter), sort: [["field": "name"]], limit: Self.pageSize, cursor: query["cursor"])
    let reply = try await daemon.ask { try await $0.relays.list(asked) }
    let known = try await figures.relayFigures()
    let times = Times()
    let view: View = [
      "rows": .views(reply.relays.map { Self.row($0, known.value[$0.id], times) }), "isEmpty": .flag(reply.relays.isEmpty),
      "isFiltered": .flag(!filter.isEmpty), "q": .some(query["q"]),
      "healths": Self.choices(PeerCondition.Health.allCases.map(\.rawValue), chosen: query["health"]),
      "networks": Self.choices(NetworkKind.allCases.map(\.rawValue), chosen: query["network"]),
      "pager": pager(query, next: reply.nextCursor, address: "relays"),
    ]
    return renderer.page(
      "relays", title: "Relays", section: .relays, view, revision: revision ?? reply.revision, isOld: known.isOld, request,
      context)
  }

  static func row(_ relay: Relay, _ figures: RelayFigures?, _ times: Times) -> View {
    [
      "id": .number(relay.id), "name": .text(relay.name), "address": .text(relay.address), "network": .text(relay.network),
      "health": Mark.view(relay.health), "since": times.view(relay.healthSince), "error": .some(relay.lastError),
      "isDisabled": .flag(!relay.enabled), "channels": .text(grouped(relay.channels ?? 0)),
      "success": figures.flatMap(success), "isRare": .flag((figures.map { $0.reached &+ $0.missed } ?? 0) < 10),
      "p50": figures?.timeToActive.map { .text(Times.duration(milliseconds: $0.p50)) },
      "p90": figures?.timeToActive.map { .text(Times.duration(milliseconds: $0.p90)) },
      "connects": figures?.roundTrips.map { .text(Times.duration(milliseconds: $0.p50)) },
    ]
  }

  /// The percentage of channels that became active, and the total.
  static func success(_ figures: RelayFigures) -> View.Part? {
    figures.successRate.map { .text("\(whole(($0 * 100).rounded(.down))) % of \(grouped(figures.reached &+ figures.missed))") }
  }
}
