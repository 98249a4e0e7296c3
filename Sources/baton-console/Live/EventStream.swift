internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Server-sent events (HTML standard, section 9.2): which objects on the page changed.
struct EventStream: Sendable {
  let hub: LiveHub
  /// Who reads.
  let user: String
  /// Whether whoever reads may still look; the stream ends when they may not.
  let mayRead: @Sendable () async -> Bool

  /// The shortest time between two events of one reader; what changes meanwhile comes with the next.
  private static let pause = Duration.milliseconds(100)
  /// The wait of the browser before it connects again, in milliseconds.
  private static let retry = 1000

  /// - Parameter after: the revision that the page shows.
  func response(to request: Request, after: Int64?) async -> Response {
    // A browser that connects again says what it has heard of, and its address stays that of the first time.
    let told = request.headers[.lastEventID].flatMap { Int64($0) } ?? after
    // Whoever asks for the head alone reads nothing.
    guard request.method == .get else { return Response(status: .methodNotAllowed) }
    let body = ResponseBody { writer in
      guard let (id, wakeups) = await hub.subscribe(after: told, user: user) else {
        // As many read as may; the browser comes back.
        try await writer.write(ByteBuffer(string: "retry: 30000\n\n"))
        return try await writer.finish(nil)
      }
      do {
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await writer.write(ByteBuffer(string: "retry: \(Self.retry)\n\n"))
          for await _ in wakeups {
            guard await mayRead() else { break }
            let messages = await hub.take(id)
            // Without news it is the beat.
            let text = messages.isEmpty ? "event: beat\ndata: .\n\n" : messages.map(Self.text).joined()
            try await writer.write(ByteBuffer(string: text))
            try await Task.sleep(for: Self.pause)
          }
        } onInboundClosed: {
          Task { await hub.unsubscribe(id) }
        }
        await hub.unsubscribe(id)
        try await writer.finish(nil)
      } catch {
        await hub.unsubscribe(id)
        throw error
      }
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .xAccelBuffering: "no"], body: body)
  }

  static func text(_ message: LiveFeed.Message) -> String {
    switch message {
    case .changed(let revision, let objects):
      "\(revision.map { "id: \($0)\n" } ?? "")event: changed\ndata: \(objects.joined(separator: " "))\n\n"
    case .resync(let revision): "\(revision.map { "id: \($0)\n" } ?? "")event: resync\ndata: all\n\n"
    case .connected(let isConnected): "event: daemon\ndata: \(isConnected ? "here" : "away")\n\n"
    }
  }
}
