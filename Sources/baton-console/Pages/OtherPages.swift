internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Hummingbird
internal import StrictJSON

// Servers, operators and histories.
extension Pages {
  func servers(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    let asked = ListRequest(sort: [["field": "address"]], limit: Self.pageSize, cursor: query["cursor"])
    let reply = try await daemon.ask { try await $0.get(ServersListReply.self, ServersMethod.list, asked) }
    let times = Times()
    let view: View = [
      "isEmpty": .flag(reply.servers.isEmpty), "pager": pager(query, next: reply.nextCursor, address: "servers"),
      "rows": .views(
        reply.servers.map { server in
          [
            "id": .number(server.id), "host": .text(server.hosts.first ?? server.address), "address": .text(server.address),
            "protocol": .text(server.protocol), "health": Mark.view(server.health), "since": times.view(server.healthSince),
            "error": .some(server.lastError), "isDisabled": .flag(!server.enabled),
            "operatorId": server.operatorId.map { .number($0) }, "roles": .some(Self.words(server.roles)),
            "connects": server.roundTripMilliseconds.map { .text(Times.duration(milliseconds: $0)) },
          ]
        }),
    ]
    return renderer.page(
      "servers", title: "Servers", section: .servers, view, revision: revision ?? reply.revision, request, context)
  }

  func operators(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let revision = await hub.revision
    async let all = daemon.ask { try await $0.operators(sort: [["field": "name"]]) }
    async let checked = daemon.ask { try await $0.validate() }
    let times = Times()
    let found = try await checked
    let findings = (found.errors + found.warnings).map(Self.view)
    let operators = try await all
    let view: View = [
      "isEmpty": .flag(operators.isEmpty), "findings": .views(findings), "hasFindings": .flag(!findings.isEmpty),
      "rows": .views(
        operators.map { provider in
          [
            "id": .number(provider.id), "name": .text(provider.name), "legalName": .some(provider.legalName),
            "domains": .some(provider.domains.joined(separator: ", ")), "isDisabled": .flag(!provider.enabled),
            "declaredIn": .some(provider.declaredIn), "smp": .some(Self.words(provider.smpRoles)),
            "xftp": .some(Self.words(provider.xftpRoles)), "accepted": times.view(provider.conditionsAcceptedAt),
          ]
        }),
    ]
    return renderer.page("operators", title: "Operators", section: .operators, view, revision: revision, request, context)
  }

  private static func words(_ roles: Roles) -> String {
    [roles.storage ? "storage" : nil, roles.proxy ? "proxy" : nil, roles.names ? "names" : nil].compactMap(\.self)
      .joined(separator: ", ")
  }

  // MARK: - What happened

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
      "healths": Self.choices(["up", "degraded", "down", "unknown"], chosen: query["to"]),
      "pager": pager(query, next: reply.nextCursor, address: "health"),
    ]
    return renderer.page(
      "health", title: "Health", section: .history, view, revision: revision ?? reply.revision, request, context)
  }
}
