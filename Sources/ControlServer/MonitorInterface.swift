internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Monitor`.
  static func monitor(_ context: ControlContext) -> ControlInterface {
    ControlInterface(
      definition: Interfaces.monitor, context: context,
      methods: ["Watch": { call, stream in try await watch(try call.decode(WatchRequest.self), stream, context) }])
  }

  private static func watch(
    _ request: WatchRequest, _ stream: VarlinkStream, _ context: ControlContext
  ) async throws -> [String: JSONValue] {
    let selection = try ChangeSelection(request)
    guard let subscription = context.coordinator.hub.subscribe(selection) else {
      throw VarlinkError("\(Interfaces.monitor.name).TooManySubscribers", [:])
    }
    defer { subscription.cancel() }
    var watcher = Watcher(selection, subscription, stream, context)
    if let since = request.since {
      // A list may have read a commit that subscribers are about to hear of.
      var newest = subscription.revision
      if since > newest { newest = try await context.store.counters().revision }
      guard (0...newest).contains(since) else { throw VarlinkError.invalidParameter("since") }
      try await watcher.begin(after: since)
    } else {
      try await watcher.begin()
    }
    return try await watcher.follow()
  }
}

extension ChangeSelection {
  /// - Throws: `InvalidParameter` for a kind that there is not.
  fileprivate init(_ request: WatchRequest) throws {
    let kinds = try request.kinds.map { words in
      Set(
        try words.map { word in
          guard let kind = ChangeKind(rawValue: word) else { throw VarlinkError.invalidParameter("kinds") }
          return kind
        })
    }
    self.init(
      kinds: kinds, channels: request.channelIds.map { Set($0.map(ChannelID.init(rawValue:))) },
      relays: request.relayIds.map { Set($0.map(RelayID.init(rawValue:))) })
  }
}
