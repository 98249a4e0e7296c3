internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Server-sent events (HTML standard, section 9.2): which objects on the page changed.
struct EventStream: Sendable {
  let hub: LiveHub
  /// The user who reads.
  let user: String
  /// Whether the reader still has permission to look. If not, the stream ends.
  let mayRead: @Sendable () async -> Bool

  /// The shortest time between two events for one reader. Changes during that time are part of the next event.
  private static let pause = Duration.milliseconds(100)
  /// How long the browser waits before it connects again, in milliseconds.
  private static let retry = 1000

  /// - Parameter after: the revision that the page shows.
  func response(to request: Request, after: Int64?) async -> Response {
    // A browser that reconnects sends the last revision it received, but still uses its first address.
    let told = request.headers[.lastEventID].flatMap { Int64($0) } ?? after
    // A request for the head alone has no body.
    guard request.method == .get else { return Response(status: .methodNotAllowed) }
    let body = ResponseBody { writer in
      guard let (id, wakeups) = await hub.subscribe(after: told, user: user) else {
        // The largest number of readers is reached. The browser tries again.
        try await writer.write(ByteBuffer(string: "retry: 30000\n\n"))
        return try await writer.finish(nil)
      }
      do {
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await writer.write(ByteBuffer(string: "retry: \(Self.retry)\n\n"))
          for await _ in wakeups {
            guard await mayRead() else { break }
            let messages = await hub.take(id)
            // Without news, send the beat.
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
