internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Store
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Monitor`.
  static func monitor(_ context: ControlContext) -> ControlInterface {
    ControlInterface(
      definition: Interfaces.monitor, context: context,
      methods: ["Watch": { call, stream in try await watch(try call.decode(WatchRequest.self), stream, context) }])
  }

  private static let kinds: Set<String> = ["operator", "server", "relay", "channel", "channelRelay"]
  private static let catchUpSize = 500

  private static func watch(
    _ request: WatchRequest, _ stream: VarlinkStream, _ context: ControlContext
  ) async throws -> [String: JSONValue] {
    let hub = context.coordinator.hub
    guard kinds.isSuperset(of: request.kinds ?? []) else { throw VarlinkError.invalidParameter("kinds") }
    let selection = Selection(request)
    guard let subscription = hub.subscribe() else {
      throw VarlinkError("\(Interfaces.monitor.name).TooManySubscribers", [:])
    }
    defer { hub.unsubscribe(subscription.id) }
    var last = request.since ?? subscription.revision
    if request.since == nil {
      let now = SystemClock().now
      try await stream.send(try ChangeMessage(revision: last, time: now.text, kind: "snapshot").members)
    } else {
      // A list may have read a commit that subscribers are about to hear of.
      guard last >= 0, try last <= subscription.revision || last <= context.store.counters().revision else {
        throw VarlinkError.invalidParameter("since")
      }
      try await catchUp(from: &last, to: subscription.revision, selection, stream, context)
    }
    for await change in subscription.changes where change.revision > last {
      last = change.revision
      guard selection.wants(change) else { continue }
      try await stream.send(try ChangeMessage(change, context.coordinator).members)
    }
    try Task.checkCancellation()
    if hub.wasCutOff(subscription.id) {
      throw VarlinkError("\(Interfaces.monitor.name).TooSlow", ["revision": .integer(hub.revision)])
    }
    return try ChangeMessage(revision: last, time: SystemClock().now.text, kind: "end").members
  }

  /// Sends what was committed before the subscription began.
  private static func catchUp(
    from last: inout Int64, to end: Int64, _ selection: Selection, _ stream: VarlinkStream, _ context: ControlContext
  ) async throws {
    var isFirst = true
    while isFirst || last < end {
      isFirst = false
      let rows: [ChangeRow]
      do {
        rows = try context.store.changes(after: last, limit: catchUpSize)
      } catch let error as StoreError where error.code == .corrupt {
        // What happened cannot be told; what is true now can.
        throw VarlinkError("\(Interfaces.monitor.name).RevisionCompacted", ["oldest": .integer(end)])
      }
      // Asked after each page: what is forgotten meanwhile must not pass for nothing.
      let oldest = try context.store.oldestRevision()
      guard last >= oldest else {
        throw VarlinkError("\(Interfaces.monitor.name).RevisionCompacted", ["oldest": .integer(oldest)])
      }
      guard !rows.isEmpty else { return }
      for row in rows {
        guard row.revision <= end else { return }
        last = row.revision
        guard let change = try restore(row, context), selection.wants(change) else { continue }
        try await stream.send(try ChangeMessage(change, context.coordinator).members)
      }
    }
  }

  /// The change with its object as it is now.
  private static func restore(_ row: ChangeRow, _ context: ControlContext) throws -> Change? {
    switch row.object {
    case .operator, .server, .relay:
      return context.coordinator.object(row.object).map {
        Change(revision: row.revision, at: row.at, object: .catalog($0, before: nil))
      }
    case .channel(let id):
      return try readable(id, context).map {
        Change(revision: row.revision, at: row.at, object: .channel(context.coordinator.snapshot($0)))
      }
    case .channelRelay(let transition):
      guard let stored = try readable(transition.channel, context),
        let relay = context.coordinator.snapshot(stored).relays.first(where: { $0.id == transition.relay })
      else { return nil }
      return Change(revision: row.revision, at: row.at, object: .channelRelay(relay, transition))
    }
  }

  /// The channel, unless its rows cannot be read; one such channel must not end every watch.
  private static func readable(_ id: ChannelID, _ context: ControlContext) throws -> StoredChannel? {
    do {
      return try context.store.channel(id)
    } catch let error as StoreError where error.code == .corrupt {
      return nil
    }
  }

  private struct Selection: Sendable {
    let kinds: Set<String>?
    let channels: Set<Int64>?
    let relays: Set<Int64>?

    init(_ request: WatchRequest) {
      kinds = request.kinds.map(Set.init)
      channels = request.channelIds.map(Set.init)
      relays = request.relayIds.map(Set.init)
    }

    func wants(_ change: Change) -> Bool {
      func isIn<T: Hashable>(_ value: T, _ set: Set<T>?) -> Bool { set?.contains(value) ?? true }
      switch change.object {
      case .catalog(let object, _):
        guard isIn(object.kind, kinds), channels == nil else { return false }
        if case .relay(let row) = object { return isIn(row.id.rawValue, relays) }
        return relays == nil
      case .channel(let snapshot):
        return isIn("channel", kinds) && isIn(snapshot.row.id.rawValue, channels)
          && (relays == nil || snapshot.relays.contains { isIn($0.id.rawValue, relays) })
      case .channelRelay(let relay, let row):
        return isIn("channelRelay", kinds) && isIn(row.channel.rawValue, channels) && isIn(relay.id.rawValue, relays)
      }
    }
  }
}
