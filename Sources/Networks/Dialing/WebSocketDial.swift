internal import Channels
internal import HTTPHandlers
public import NIOCore
public import NIOHTTP1
public import NIOPosix
internal import NIOWebSocket

/// Opens WebSocket connections.
public enum WebSocketDial {
  /// Dials a peer. Name, TCP, TLS and handshake together take at most `limit`.
  /// - Parameters:
  ///   - bootstrap: the way to the peer, on `eventLoop`.
  ///   - authority: the value of the Host header.
  ///   - frameBytesMax: the largest frame, in bytes.
  ///   - late: the failure when the time is over.
  ///   - refused: makes the failure when the peer answers with an HTTP status other than 101.
  ///   - prepare: prepares each channel before it connects, on the event loop.
  ///   - handlers: makes the handlers of frames, on the event loop.
  /// - Returns: the connection, or a failure: one of these, or of the library.
  public static func open(
    _ bootstrap: ClientBootstrap, host: String, port: Int, authority: String, target: String = "/", frameBytesMax: Int,
    within limit: Duration, on eventLoop: any EventLoop, late: any Error,
    refused: @escaping @Sendable (HTTPResponseHead) -> any Error,
    prepare: @escaping @Sendable (any Channel) throws -> Void = { _ in },
    handlers: @escaping @Sendable () -> [any ChannelHandler]
  ) -> EventLoopFuture<WebSocketConnection> {
    let promise = eventLoop.makePromise(of: WebSocketConnection.self)
    let timeout = TimeAmount.milliseconds(limit.wholeMilliseconds)
    let deadline = eventLoop.scheduleTask(in: timeout) { promise.fail(late) }
    promise.futureResult.whenComplete { _ in deadline.cancel() }

    @Sendable func upgrade(_ channel: any Channel) throws -> EventLoopFuture<WebSocketConnection> {
      let upgrader = NIOTypedWebSocketClientUpgrader<WebSocketConnection>(
        maxFrameSize: frameBytesMax, enableAutomaticErrorHandling: false
      ) { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(handlers())
          return WebSocketConnection(channel: channel)
        }
      }
      let refusal = NIOLoopBoundBox<(any Error)?>.makeBoxSendingValue(nil, eventLoop: eventLoop)
      let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: target, headers: ["Host": authority, "User-Agent": "Baton"])
      var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
        upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
          upgradeRequestHead: head, upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            // The watcher below has seen the answer by now.
            channel.eventLoop.makeFailedFuture(refusal.value ?? NIOHTTPClientUpgradeError.responseProtocolNotFound)
          }))
      // Peers may speak first, in the same packet as the handshake.
      configuration.leftOverBytesStrategy = .forwardBytes
      HTTPHandlers.prepare()
      let result = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
      let upgradeHandler = try channel.pipeline.syncOperations.handler(
        type: NIOTypedHTTPClientUpgradeHandler<WebSocketConnection>.self)
      try channel.pipeline.syncOperations.addHandler(
        AnswerWatcher { refusal.value = refused($0) }, position: .before(upgradeHandler))
      return result
    }

    // One channel is created for each address that is tried. Only the channel that connects may settle the dial.
    let upgrades = NIOLoopBoundBox<[ObjectIdentifier: EventLoopFuture<WebSocketConnection>]>.makeBoxSendingValue(
      [:], eventLoop: eventLoop)
    bootstrap
      .connectTimeout(timeout)
      .channelInitializer { channel in
        eventLoop.makeCompletedFuture {
          // A dial that lost the race against the deadline must not leave a connection behind.
          promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
          try prepare(channel)
          upgrades.value[ObjectIdentifier(channel)] = try upgrade(channel)
        }
      }
      .connect(host: host, port: port)
      .whenComplete { result in
        let candidates = upgrades.value
        upgrades.value = [:]
        switch result {
        case .failure(let error): promise.fail(error)
        case .success(let channel):
          guard let upgraded = candidates[ObjectIdentifier(channel)] else {
            return promise.fail(ChannelError.ioOnClosedChannel)
          }
          upgraded.cascade(to: promise)
        }
      }
    return promise.futureResult
  }
}

/// Looks for an answer that does not open a WebSocket.
private final class AnswerWatcher: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  private let refused: (HTTPResponseHead) -> Void

  init(refused: @escaping (HTTPResponseHead) -> Void) { self.refused = refused }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var isDone = false
    if case .head(let head) = unwrapInboundIn(data) {
      isDone = head.status == .switchingProtocols
      if !isDone { refused(head) }
    }
    context.fireChannelRead(data)
    // The bytes after the handshake are not HTTP.
    if isDone { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
  }
}
