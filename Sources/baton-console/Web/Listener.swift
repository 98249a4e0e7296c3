internal import HTTPHandlers
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
internal import Varlink

/// Serves HTTP on listening sockets.
struct Listener: Sendable {
  /// The largest number of open connections.
  static let connectionsMax = 256
  /// The largest number of connections of one user on a Unix socket. A reverse proxy is one user.
  static let connectionsPerUserMax = 128
  /// The longest head of a request, in bytes.
  static let headBytesMax = 16 << 10
  /// How long a connection may be idle between two requests.
  private static let idleMax = TimeAmount.seconds(75)

  let responder: RouterResponder<ConsoleContext>
  /// The path that a reverse proxy keeps as a prefix of addresses, or an empty text.
  let prefix: String
  let logger: Logger
  private let places = NIOLockedValueBox(Places<UInt32>(max: connectionsMax, perUserMax: connectionsPerUserMax))

  init(responder: RouterResponder<ConsoleContext>, prefix: String, logger: Logger) {
    self.responder = responder
    self.prefix = prefix
    self.logger = logger
  }

  /// Serves a socket until the task is cancelled.
  /// - Throws: the error that ends it earlier.
  func serve(_ socket: CInt) async throws {
    do {
      try await serveConnections(of: socket)
    } catch {
      if !Task.isCancelled { throw error }
    }
  }

  private func serveConnections(of socket: CInt) async throws {
    HTTPHandlers.prepare()
    let http = HTTP1Channel(
      responder: { request, writer, channel in try await respond(to: request, writer, from: await Self.peer(of: channel)) },
      configuration: .init(
        additionalChannelHandlers: [StallHandler()],
        idleTimeout: Self.idleMax,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Self.headBytesMax, maxHeaderListSize: Self.headBytesMax, maxHeaderFieldCount: 100)))
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      // Without descriptors or memory for another connection, existing connections continue, and new ones are accepted again later.
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            AcceptPause { logger.warning("no new connections are accepted for now: \($0)") })
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .bind(socket) { channel in http.setup(channel: channel, logger: logger) }
    try await withThrowingDiscardingTaskGroup { group in
      try await server.executeThenClose { connections in
        for try await connection in connections {
          group.addTask {
            let peer = await Self.peer(of: connection.channel)
            if places.withLockedValue({ $0.take(peer) }) {
              await http.handle(value: connection, logger: logger)
              places.withLockedValue { $0.leave(peer) }
            } else {
              try? await connection.executeThenClose { _, _ in }
            }
          }
        }
      }
    }
  }

  /// The user at the other end of a Unix socket.
  private static func peer(of channel: any Channel) async -> UInt32? {
    guard case .unixDomainSocket = channel.localAddress else { return nil }
    let found = channel.eventLoop.submit {
      try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
        VarlinkPeer(socket: $0)?.uid
      }
    }
    return try? await found.get() ?? nil
  }

  private func respond(to request: Request, _ writer: consuming ResponseWriter, from peer: UInt32?) async throws {
    var request = request
    if !prefix.isEmpty, let path = request.head.path, path.hasPrefix(prefix + "/") {
      var head = request.head
      head.path = String(path.dropFirst(prefix.utf8.count))
      request = Request(head: head, body: request.body)
    }
    let response: Response
    do {
      response = try await responder.respond(to: request, context: ConsoleContext(source: .init(logger: logger, peer: peer)))
    } catch {
      logger.debug("a request failed: \(error)")
      response = Response(status: .internalServerError)
    }
    try await writer.write(response: response.head, body: response.body)
  }
}
