internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import Varlink

/// `org.batond.Monitor`.
struct MonitorInterface: MonitorService, ControlService {
  let context: ControlContext

  func watch(_ request: WatchRequest, _ stream: ReplyStream<ChangeMessage>) async throws -> ChangeMessage {
    let selection = try ChangeSelection(request)
    guard let subscription = context.coordinator.hub.subscribe(selection) else {
      throw MonitorRefusal.tooManySubscribers
    }
    defer { subscription.cancel() }
    var watcher = Watcher(selection, subscription, stream, context)
    if let since = request.since {
      // A list may have read a commit that is about to be published to subscribers.
      var newest = subscription.revision
      if since > newest { newest = try await context.store.counters().revision }
      guard (0...newest).contains(since) else { throw VarlinkError.invalidParameter("since") }
      try await watcher.begin(after: since)
    } else {
      try await watcher.begin()
    }
    return try await watcher.follow()
  }

  func transitions(
    _ request: MonitorTransitionsRequest, _ stream: ReplyStream<MonitorTransitionsReply>?
  ) async throws -> MonitorTransitionsReply {
    var pages = try TransitionPages(request, context)
    return try await Self.send(stream, isLast: { $0.nextCursor == nil }) { try await pages.next() }
  }

  func healthChanges(
    _ request: MonitorHealthChangesRequest, _ stream: ReplyStream<MonitorHealthChangesReply>?
  ) async throws -> MonitorHealthChangesReply {
    var pages = try HealthPages(request, context)
    return try await Self.send(stream, isLast: { $0.nextCursor == nil }) { try await pages.next() }
  }

  /// Sends one page, or with `more` all pages.
  private static func send<Page: Sendable>(
    _ stream: ReplyStream<Page>?, isLast: (Page) -> Bool, _ next: () async throws -> Page
  ) async throws -> Page {
    while true {
      try Task.checkCancellation()
      let page = try await next()
      guard let stream, !isLast(page) else { return page }
      try await stream.send(page)
    }
  }
}

extension ChangeSelection {
  /// - Throws: `InvalidParameter` for a kind that does not exist.
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
