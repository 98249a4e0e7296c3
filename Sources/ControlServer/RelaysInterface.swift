internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import RelayNetwork
internal import Storage
internal import Varlink

/// `org.batond.Relays`.
struct RelaysInterface: RelaysService, ControlService {
  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  func list(_ request: ListRequest, _ stream: ReplyStream<RelaysListReply>?) async throws -> RelaysListReply {
    try await ListQuery.answer(
      request, stream, fields: Self.fields, context, refusal: RelaysRefusal.self,
      reply: { RelaysListReply(relays: $0, nextCursor: $1, revision: $2) },
      complete: { await Self.withChannels($0, context.store) }
    ) {
      let revision = coordinator.hub.revision
      return (revision, try await context.slowly { coordinator.relays.map { Relay($0, coordinator) } })
    }
  }

  func get(_ request: RelaysGetRequest) async throws -> RelayReply {
    let row = try Self.find(request, coordinator)
    let count = try await context.store.channelCount(of: row.id)
    let roundTrips = try await context.store.roundTrips(of: .relay(row.id))
    return RelayReply(relay: Relay(row, coordinator, channels: count, roundTrips: roundTrips))
  }

  func add(_ request: AddRelay) async throws -> RelayReply {
    let edit = RelayEdit(
      address: request.address, name: request.name, domains: request.domains,
      assignment: Assignment(request.operatorId), isEnabled: request.enabled)
    let row = try await coordinator.addRelay(
      network: try NetworkKind(requested: request.network) ?? .nostr, edit, force: request.force ?? false)
    return RelayReply(relay: Relay(row, coordinator))
  }

  func update(_ request: UpdateRelay) async throws -> RelayReply {
    let edit = RelayEdit(
      address: request.address, name: request.name, domains: request.domains,
      assignment: Assignment(request.operatorId), isEnabled: request.enabled)
    let row = try await coordinator.updateRelay(
      RelayID(rawValue: request.id), revision: request.revision, edit, force: request.force ?? false)
    return RelayReply(relay: Relay(row, coordinator))
  }

  func remove(_ request: RelaysRemoveRequest) async throws -> RelayReply {
    let row = try await coordinator.removeRelay(RelayID(rawValue: request.id), force: request.force ?? false)
    return RelayReply(relay: Relay(row, coordinator))
  }

  func test(_ request: TestRequest, _ stream: ReplyStream<TestReply>?) async throws -> TestReply {
    if let id = request.id { return try await TestReply(of: try coordinator.testRelay(RelayID(rawValue: id)), stream) }
    guard let address = request.address else { throw VarlinkError.invalidParameter("id") }
    let network = try NetworkKind(requested: request.network) ?? .nostr
    return try await TestReply(of: try coordinator.testRelay(address: address, network: network), stream)
  }

  func counts(_ request: ListRequest, _ stream: ReplyStream<RelaysCountsReply>?) async throws -> RelaysCountsReply {
    // All pages are about one moment.
    let found = try await context.figures()
    return try await ListQuery.answer(
      request, stream, fields: Self.countFields, ties: ["relayId", "status", "cause"], context, refusal: RelaysRefusal.self,
      reply: { RelaysCountsReply(counts: $0, nextCursor: $1, revision: $2, countedAt: found.at.text) }
    ) {
      (found.value.census.revision, found.value.counts(coordinator.relays))
    }
  }

  func figures(_ request: ListRequest, _ stream: ReplyStream<RelaysFiguresReply>?) async throws -> RelaysFiguresReply {
    let found = try await context.figures()
    return try await ListQuery.answer(
      request, stream, fields: Self.figureFields, ties: ["relayId"], context, refusal: RelaysRefusal.self,
      reply: {
        RelaysFiguresReply(
          figures: $0, nextCursor: $1, revision: $2, countedAt: found.at.text, since: found.value.outcomes.since?.text)
      }
    ) {
      (found.value.census.revision, found.value.ofRelays(coordinator.relays))
    }
  }

  private static let countFields = ListFields(of: Interfaces.relays, listedBy: "Counts")
  private static let figureFields = ListFields(of: Interfaces.relays, listedBy: "Figures")
  static let fields = ListFields(of: Interfaces.relays, without: ["roundTrips", "channels"])

  /// The relays, with how many channels each has. A list of relays does not fail because channels cannot be counted.
  private static func withChannels(_ relays: [Relay], _ store: any ControlStorage) async -> [Relay] {
    guard let counts = try? await store.channelCounts(of: relays.map { RelayID(rawValue: $0.id) }) else { return relays }
    return relays.map { relay in
      var relay = relay
      relay.channels = counts[RelayID(rawValue: relay.id)] ?? 0
      return relay
    }
  }

  private static func find(_ naming: RelaysGetRequest, _ coordinator: Coordinator) throws -> RelayRow {
    // A removed relay is still there under its id, but not under its name.
    let known = coordinator.relays.filter { naming.id != nil || !$0.isDeleted }
    guard let row = try naming.only(of: known, id: \.id.rawValue, name: \.name) else {
      throw RelaysRefusal.noSuchRelay(id: naming.id, name: naming.echoedName)
    }
    return row
  }
}

extension NetworkKind {
  /// The network that a request names, or `nil` if it names none.
  /// - Throws: `InvalidParameter` when there is no such network.
  init?(requested name: String?) throws(VarlinkError) {
    guard let name else { return nil }
    guard let kind = NetworkKind(rawValue: name) else { throw .invalidParameter("network") }
    self = kind
  }
}
