internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Hummingbird
internal import Sentences
internal import StrictJSON

// All channels, or the channels that meet conditions.
extension Pages {
  func channels(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    let revision = await hub.revision
    let asked = ListRequest(
      filter: try Self.condition(query), sort: Self.order(query["sort"]), limit: Self.pageSize, cursor: query["cursor"])
    let reply = try await daemon.ask { try await $0.channels.list(asked) }
    let relay = await name(ofRelay: query.number("relay"))
    let times = Times()
    var chips: [View] = []
    if let id = query.number("relay") {
      chips.append([
        "text": .text("on \(relay ?? "relay \(id)")"),
        "without": .text("channels\(query.with("relay", nil).with("cursor", nil).query)"),
      ])
    }
    if let id = query.number("operator") {
      let provider = id == 0 ? nil : await name(ofOperator: id) ?? "operator \(id)"
      let text = provider.map { "on relays of \($0)" } ?? "on relays without an operator"
      chips.append(["text": .text(text), "without": .text("channels\(query.with("operator", nil).with("cursor", nil).query)")])
    }
    let view: View = [
      "rows": .views(reply.channels.map { Self.row($0, times) }), "isEmpty": .flag(reply.channels.isEmpty),
      "isFiltered": .flag(asked.filter != nil), "q": .some(query["q"]), "relay": .some(query["relay"]),
      "operator": .some(query["operator"]), "chips": .views(chips),
      "phases": Self.choices(ChannelPhase.allCases.map(\.rawValue), chosen: query["phase"]),
      "networks": Self.choices(NetworkKind.allCases.map(\.rawValue), chosen: query["network"]),
      "statuses": Self.choices(RelayStatus.allCases.map(\.rawValue), chosen: query["status"]),
      "causes": Self.choices(Cause.allCases.map(\.rawValue), chosen: query["cause"]),
      "sorts": .views(
        Self.orders.map { order in
          ["word": .text(order.word), "title": .text(order.title), "isHere": .flag(order.word == (query["sort"] ?? "changed"))]
        }),
      "unreadable": reply.unreadable.map {
        .text("Baton cannot read \(counted($0.count, "channel")) because the database is damaged. Run batonctl check.")
      },
      "pager": pager(query, next: reply.nextCursor, address: "channels"),
    ]
    return renderer.page(
      "channels", title: "Channels", section: .channels, view, revision: revision ?? reply.revision, request, context)
  }

  private static let orders: [(word: String, title: String, sort: [JSONValue])] = [
    ("changed", "Latest change", [["field": "updatedAt", "direction": -1]]),
    ("name", "Name", [["field": "profile.displayName"]]),
    ("created", "Newest channel", [["field": "createdAt", "direction": -1]]),
    ("unread", "Most unread", [["field": "unread", "direction": -1]]),
  ]

  private static func order(_ word: String?) -> [JSONValue]? {
    (orders.first { $0.word == word } ?? orders[0]).sort
  }

  /// The conditions of the form, in the format that the daemon accepts.
  static func condition(_ query: Form) throws(PageRefusal) -> JSONValue? {
    var condition: [String: JSONValue] = [:]
    if let text = query.text("q") { condition["profile.displayName"] = ["$q": .string(text)] }
    if let phase = query.text("phase") { condition["phase"] = .string(phase) }
    if let network = query.text("network") { condition["network"] = .string(network) }
    var relay: [String: JSONValue] = [:]
    if let id = query.number("relay") { relay["relayId"] = .integer(id) }
    if let id = query.number("operator") { relay["operatorId"] = id == 0 ? ["$exists": false] : .integer(id) }
    if let cause = query.text("cause") { relay["cause"] = .string(cause) }
    if let status = query.text("status") { relay["status"] = .string(status) }
    if !relay.isEmpty {
      // Relays from which the channel was removed do not count.
      if relay["status"] == nil { relay["status"] = ["$ne": "removed"] }
      condition["relays"] = ["$elemMatch": .object(relay)]
    }
    return condition.isEmpty ? nil : .object(condition)
  }

  /// One channel in a list.
  static func row(_ channel: Channel, _ times: Times) -> View {
    let members = channel.members
    let active = members.count { $0.status == "active" }
    return [
      "id": .number(channel.id), "name": .text(channel.profile.displayName), "phase": Mark.view(channel.phase),
      "active": .number(active),
      "wanted": channel.owned ? .number(channel.wantedRelays) : nil,
      "summary": .text(channel.summary), "network": .text(channel.network), "isGroup": .flag(channel.kind == "group"),
      "unread": channel.unread > 0 ? .text(grouped(channel.unread)) : nil, "changed": times.view(channel.updatedAt),
    ]
  }

  /// The name of an operator, or `nil` if it is unavailable.
  func name(ofOperator id: Int64?) async -> String? {
    guard let id else { return nil }
    return try? await daemon.ask { try await $0.operators.get(id: id).operator.name }
  }

  /// The name of a relay, or `nil` if it is unavailable.
  func name(ofRelay id: Int64?) async -> String? {
    guard let id else { return nil }
    return try? await daemon.ask { try await $0.relays.get(id: id).name }
  }
}
