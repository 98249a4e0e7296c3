internal import BatonClient
internal import ControlAPI
internal import Hummingbird
internal import StrictJSON

// Servers and operators.
extension Pages {
  func servers(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    let asked = ListRequest(sort: [["field": "address"]], limit: Self.pageSize, cursor: query["cursor"])
    let reply = try await daemon.ask { try await $0.servers.list(asked) }
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
    async let all = daemon.ask { try await $0.operators.all(sort: [["field": "name"]]) }
    async let checked = daemon.ask { try await $0.operators.validate() }
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
}
