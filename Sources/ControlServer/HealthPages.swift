internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Storage

/// Pages of the history of the health of relays and servers.
struct HealthPages: Sendable {
  private static let fields = ListFields(of: Interfaces.monitor, listedBy: "HealthChanges")

  private let context: ControlContext
  private let peers: Set<Probed>?
  private var pages: HistoryPages<HealthChange>

  /// - Throws: `invalidFilter`, or `InvalidParameter`.
  init(_ request: MonitorHealthChangesRequest, _ context: ControlContext) throws {
    self.context = context
    pages = try HistoryPages(
      filter: request.filter, limit: request.limit, cursor: request.cursor, fields: Self.fields, isDated: false, context)
    peers = Self.peers(pages.filter)
  }

  /// The relays or servers that the filter asks for, or `nil` for all.
  private static func peers(_ filter: Filter) -> Set<Probed>? {
    let relays = filter.ids(at: "relayId").map { Set($0.map { Probed.relay(RelayID(rawValue: $0)) }) }
    let servers = filter.ids(at: "serverId").map { Set($0.map { Probed.server(ServerID(rawValue: $0)) }) }
    // A line is about a relay or about a server, never about both.
    return relays != nil && servers != nil ? [] : relays ?? servers
  }

  /// The next page.
  mutating func next() async throws -> MonitorHealthChangesReply {
    let (context, peers) = (context, peers)
    let revision = try await context.store.counters().revision
    let relays = Dictionary(uniqueKeysWithValues: context.coordinator.relays.map { ($0.id, $0) })
    let servers = Dictionary(uniqueKeysWithValues: context.coordinator.servers.map { ($0.id, $0) })
    let (lines, cursor) = try await pages.next(at: revision) { before, limit in
      let part = try await context.store.health(of: peers, before: before, limit: limit)
      let lines = part.rows.map { row in
        switch row.peer {
        case .relay(let id):
          Self.line(row, relay: id, nil, relays[id]?.name ?? "relay \(id.rawValue)", relays[id]?.relayOperator)
        case .server(let id):
          Self.line(row, relay: nil, id, servers[id]?.hosts.first ?? "server \(id.rawValue)", servers[id]?.serverOperator)
        }
      }
      return (lines, part.next)
    }
    return MonitorHealthChangesReply(healthChanges: lines, nextCursor: cursor, revision: revision)
  }

  private static func line(
    _ row: HealthRow, relay: RelayID?, _ server: ServerID?, _ name: String, _ owner: OperatorID?
  ) -> HealthChange {
    HealthChange(
      revision: row.revision, relayId: relay?.rawValue, serverId: server?.rawValue, name: name, operatorId: owner?.rawValue,
      from: row.from.rawValue, to: row.to.rawValue, cause: row.cause?.rawValue, detail: row.detail, time: row.at.text)
  }
}
