internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Storage
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  private struct ByID: Decodable {
    let id: Int64
    var channel: ChannelID { ChannelID(rawValue: id) }
  }

  /// `org.batond.Channels`.
  static func channels(_ context: ControlContext) -> ControlInterface {
    let coordinator = context.coordinator
    let store = context.store
    let name = Interfaces.channels.name
    return ControlInterface(
      definition: Interfaces.channels, context: context,
      methods: [
        "Create": { call, stream in try await create(call, stream, context) },
        "Get": { call, _ in
          let naming = try call.decode(Naming.self)
          return ["channel": try Channel(try await find(naming.id, naming.name, context)).json]
        },
        "List": { call, stream in
          try await ListQuery.answer(
            call, stream, fields: channelFields, isSortable: ChannelField.canSort, context, interface: name
          ) { try await channelPage($0, context) }
        },
        "Link": { call, _ in
          let id = try call.decode(ByID.self).id
          let snapshot = try await find(id, nil, context)
          guard let link = snapshot.link else { throw VarlinkError("\(name).NoLink", ["id": .integer(id)]) }
          let active = snapshot.relays.filter { $0.record.status == .active }.count
          return [
            "link": .string(link), "usable": .bool(snapshot.isLinkUsable), "activeRelays": .integer(Int64(active)),
            "wantedRelays": .integer(Int64(snapshot.row.wantedRelays)),
          ]
        },
        "RetryRelay": { call, _ in
          struct Request: Decodable { let id: Int64, relayId: Int64? }
          let request = try call.decode(Request.self)
          let snapshot = try await coordinator.retry(
            ChannelID(rawValue: request.id), relay: request.relayId.map(RelayID.init(rawValue:)))
          return ["channel": try Channel(snapshot).json]
        },
        "AddRelays": { call, _ in
          struct Request: Decodable { let id: Int64, relayIds: [Int64]?, pick: Int? }
          let request = try call.decode(Request.self)
          let (named, pick) = (request.relayIds ?? [], request.pick ?? 0)
          guard named.isEmpty != (pick == 0) else { throw VarlinkError.invalidParameter("relayIds") }
          guard pick >= 0 else { throw VarlinkError.invalidParameter("pick") }
          guard pick <= ChannelRequest.relaysMax else {
            throw BatonError.tooManyRelays(wanted: pick, max: ChannelRequest.relaysMax)
          }
          let snapshot = try await coordinator.addRelays(
            named.map(RelayID.init(rawValue:)), pick: pick, to: ChannelID(rawValue: request.id))
          return ["channel": try Channel(snapshot).json]
        },
        "Update": { call, _ in
          let request = try call.decode(UpdateChannel.self)
          let edit = ChannelEdit(
            displayName: request.displayName, fullName: request.fullName, description: request.description,
            image: request.image, preferences: request.preferences, heal: request.heal, custom: request.custom,
            revision: request.revision)
          return ["channel": try Channel(try await coordinator.update(ChannelID(rawValue: request.id), edit)).json]
        },
        "RemoveRelay": { call, _ in
          struct Request: Decodable { let id: Int64, relayId: Int64 }
          let request = try call.decode(Request.self)
          let snapshot = try await coordinator.removeRelay(
            RelayID(rawValue: request.relayId), from: ChannelID(rawValue: request.id))
          return ["channel": try Channel(snapshot).json]
        },
        "Verify": { call, _ in
          ["channel": try Channel(try await coordinator.verify(try call.decode(ByID.self).channel)).json]
        },
        "Delete": { call, _ in
          ["channel": try Channel(try await coordinator.delete(try call.decode(ByID.self).channel)).json]
        },
        "Transitions": { call, _ in
          struct Request: Decodable { let id: Int64, limit: Int? }
          let request = try call.decode(Request.self)
          let limit = request.limit ?? ListQuery.limitDefault
          guard (1...ListQuery.limitMax).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
          let snapshot = try await find(request.id, nil, context)
          let names = Dictionary(snapshot.relays.map { ($0.id, $0.name) }) { first, _ in first }
          let rows = try await store.transitions(of: ChannelID(rawValue: request.id), limit: limit)
          return [
            "transitions": try rows.map { row in
              Transition(row, relayName: names[row.relay] ?? "relay \(row.relay.rawValue)")
            }.json
          ]
        },
      ])
  }

  /// The summary is for people.
  static let channelFields = ListFields(of: Interfaces.channels, without: ["summary"])

  private static func create(
    _ call: VarlinkCall, _ stream: VarlinkStream, _ context: ControlContext
  ) async throws -> [String: JSONValue] {
    let coordinator = context.coordinator
    let request = try call.decode(CreateChannel.self)
    let profile = request.profile
    let kind = request.kind.map(ChannelKind.init(rawValue:)) ?? .channel
    guard let kind else { throw VarlinkError.invalidParameter("kind") }
    // Relays are named or picked.
    if let pick = request.pick, pick < 1 || request.relayIds?.isEmpty == false { throw VarlinkError.invalidParameter("pick") }
    let key = request.key.map(ChannelKey.init(rawValue:))
    if case .some(.none) = key { throw VarlinkError.invalidParameter("key") }
    let wanted = ChannelRequest(
      kind: kind,
      profile: Channels.Profile(
        displayName: profile.displayName, fullName: profile.fullName, description: profile.description,
        image: profile.image),
      preferences: profile.preferences, network: try network(request.network), identity: request.identity, key: key ?? nil,
      relays: request.relayIds?.map(RelayID.init(rawValue:)), pick: request.pick, heal: request.heal ?? true,
      custom: request.custom, idempotencyKey: request.idempotencyKey)
    guard call.mode == .more else { return ["channel": try Channel(try await coordinator.create(wanted)).json] }

    // Subscribed before the request, so that no change falls in between.
    guard let subscription = coordinator.hub.subscribe(ChangeSelection(kinds: [.channel])) else { throw BatonError.busy }
    defer { subscription.cancel() }
    let first = try await coordinator.create(wanted)
    guard !first.hasSettled else { return ["channel": try Channel(first).json] }
    subscription.select(ChangeSelection(kinds: [.channel], channels: [first.row.id]))
    return try await follow(first, subscription, stream, context)
  }

  /// Sends a channel after every change, until no relay is under way. A client that reads slowly gets the channel as it is by then.
  /// - Returns: the last reply.
  private static func follow(
    _ first: ChannelSnapshot, _ subscription: ChangeSubscription, _ stream: VarlinkStream, _ context: ControlContext
  ) async throws -> [String: JSONValue] {
    var latest = first
    try await stream.send(["channel": try Channel(latest).json])
    while true {
      let next: ChannelSnapshot
      switch subscription.take() {
      case .change(let entry):
        guard case .channel(let snapshot) = entry.change.object else { continue }
        next = snapshot
      case .nothing:
        await subscription.wait()
        continue
      case .missed, .tooSlow:
        // First: whatever changes after the look comes by itself.
        subscription.rejoin()
        guard let stored = try await context.store.channel(latest.row.id) else { continue }
        next = context.coordinator.snapshot(stored)
      case .over: return ["channel": try Channel(latest).json]
      }
      guard next.row.revision > latest.row.revision else { continue }
      latest = next
      if latest.hasSettled { return ["channel": try Channel(latest).json] }
      try await stream.send(["channel": try Channel(latest).json])
    }
  }

  /// Channels of one name that are told apart to who asks for the name.
  private static let sameNameMax = 10

  private static func find(_ id: Int64?, _ name: String?, _ context: ControlContext) async throws -> ChannelSnapshot {
    guard id != nil || name != nil else { throw VarlinkError.invalidParameter("id") }
    func none() -> VarlinkError { Naming(id: id, name: name).none("\(Interfaces.channels.name).NoSuchChannel") }
    var wanted = id.map(ChannelID.init(rawValue:))
    if wanted == nil, let name {
      let found = try await context.store.channels(named: name, limit: sameNameMax)
      guard found.count < 2 else {
        throw VarlinkError(
          "\(Interfaces.channels.name).AmbiguousName",
          ["name": .string(name), "channelIds": .array(found.map { .integer($0.rawValue) })])
      }
      wanted = found.first
    }
    guard let wanted, let stored = try await context.store.channel(wanted) else { throw none() }
    if id != nil, let name, stored.row.profile.displayName != name { throw none() }
    return context.coordinator.snapshot(stored)
  }

  private static let scanSize = 256
  /// A page ends here at the latest, however few channels it has: clients bound what they take.
  private static let pageBytesMax = 1 << 20

  /// How long one page may take; then it ends early, with a cursor from where the next one goes on.
  private static let pageTimeMax = Duration.seconds(2)

  private static func channelPage(_ query: ListQuery, _ context: ControlContext) async throws -> [String: JSONValue] {
    let begin = ContinuousClock.now
    let asksForPhase = query.filter.fields.contains("phase")
    var found: [JSONValue] = []
    var bytes = 0
    var last = query.after
    var revision: Int64?
    var unreadable: [JSONValue] = []
    func reply(_ cursor: String?) -> [String: JSONValue] {
      var reply: [String: JSONValue] = ["channels": .array(found), "revision": .integer(revision ?? 0)]
      if let cursor { reply["nextCursor"] = .string(cursor) }
      if !unreadable.isEmpty { reply["unreadable"] = .array(unreadable) }
      return reply
    }
    while true {
      try Task.checkCancellation()
      let part = try await context.store.channels(
        matching: query.filter, in: query.order, withDeleted: asksForPhase, after: last,
        limit: query.filter.fields.isEmpty ? min(scanSize, query.limit + 1) : scanSize)
      let channels = try await context.slowly {
        try part.channels.map { try Channel(context.coordinator.snapshot($0)).json }.filter(query.filter.matches)
      }
      // True at the revision of the first read: what changed since is newer in itself and comes again by Watch.
      revision = revision ?? part.revision
      unreadable += part.unreadable.map { .integer($0.rawValue) }
      for json in channels {
        if found.count == query.limit || bytes > pageBytesMax, let end = found.last {
          return reply(query.cursor(after: query.order.values(of: end)))
        }
        found.append(json)
        bytes += json.roughBytes
      }
      guard let next = part.last else { break }
      last = next
      if ContinuousClock.now - begin > pageTimeMax {
        return reply(query.cursor(after: next))
      }
    }
    return reply(nil)
  }
}
