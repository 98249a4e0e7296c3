internal import BatonClient
internal import ControlAPI
internal import Hummingbird
internal import StrictJSON

// One relay: its past health, its capabilities, and its channels.
extension Pages {
  private static let linesMax = 20
  private static let changesMax = 1000

  func relay(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    let revision = await hub.revision
    async let found = daemon.ask { try await $0.relays.get(id: id) }
    async let counted = figures.relayCounts()
    async let known = figures.relayFigures()
    async let health = daemon.ask {
      try await $0.monitor.healthChanges(filter: ["relayId": .integer(id)], limit: Self.changesMax)
    }
    async let history = daemon.ask { try await $0.monitor.transitions(filter: ["relayId": .integer(id)], limit: Self.linesMax) }
    let times = Times()
    let relay = try await found
    let provider = await name(ofOperator: relay.operatorId)
    let changes = try await health.healthChanges
    let (counts, performance) = (try await counted, try await known)
    let isOld = counts.isOld || performance.isOld
    var view = Self.row(relay, performance.value[id], times)
    let strip = HealthStrip(
      changes.reversed(), isCut: changes.count == Self.changesMax, now: relay.health, until: times.now, hours: 24)
    view = view.merging([
      "domains": .some(relay.domains.joined(separator: ", ")), "declaredIn": .some(relay.declaredIn),
      "operatorId": relay.operatorId.map { .number($0) }, "provider": .some(provider),
      "capabilities": .some(relay.capabilities.map(Mark.spoken).joined(separator: ", ")),
      "says": relay.profile.map { profile in
        .view([
          "name": .some(profile.name), "description": .some(profile.description), "software": .some(profile.software),
        ])
      },
      "testedAt": times.view(relay.testedAt), "isTested": .flag(relay.tested != nil),
      "tested": relay.tested.map { Mark.view($0 ? "passed" : "failed") },
      "networkTrouble": .some(relay.networkTrouble),
      "canEnable": .flag(!relay.enabled && !relay.deleted), "canDisable": .flag(relay.enabled && !relay.deleted),
      "isRemoved": .flag(relay.deleted),
      "hasCounts": .flag(counts.value.contains { $0.relayId == id }),
      "counts": .views(
        counts.value.filter { $0.relayId == id }.map { count in
          [
            "status": Mark.view(count.status), "cause": .some(count.cause.map(Mark.spoken)),
            "number": .text(grouped(count.channels)),
            "address": .text(
              "channels\(Form().with("relay", "\(id)").with("status", count.status).with("cause", count.cause).query)"),
          ]
        }),
      "strip": .view(strip.view), "trips": (relay.roundTrips.flatMap { Sparkline($0)?.view }).map { .view($0) },
      "changes": .views(changes.prefix(Self.linesMax).map { Self.line($0, times) }), "hasChanges": .flag(!changes.isEmpty),
      "transitions": .views(try await history.transitions.map { Self.line($0, times) }),
      "hasTransitions": .flag(try await !history.transitions.isEmpty),
    ])
    return renderer.page(
      "relay", title: relay.name, section: .relays, view, revision: revision, isOld: isOld,
      request, context)
  }

  /// Sets whether a relay may be picked for new channels.
  func enableRelay(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let form = try await form(request, context)
    let isEnabled = form["enabled"] == "yes"
    // The form contains the wanted state, not a toggle, because the relay may have changed since the page was made.
    _ = try await daemon.ask {
      let relay = try await $0.relays.get(id: id)
      return try await $0.relays.update(UpdateRelay(id: id, revision: relay.revision, enabled: isEnabled))
    }
    return redirect(request, to: "relays/\(id)")
  }
}
