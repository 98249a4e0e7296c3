internal import Channels
internal import Dialing
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// Opens WebSocket connections to a core.
struct CoreDialer: Sendable {
  let endpoint: CoreEndpoint
  let limits: CoreLimits

  /// The reason why there is no connection, as a sentence for people.
  struct Failure: Error, Hashable, Sendable {
    let reason: String
  }

  typealias Inbound = WebSocketInbound
  typealias Connection = WebSocketConnection

  /// Dials the core. Connecting and the handshake together take at most `limits.dialTimeout`.
  /// - Parameter deliver: called on `eventLoop`, in order. Nothing follows `violated` or `closed`.
  /// - Returns: the connection, or a failure that is always a `Failure`.
  func dial(on eventLoop: any EventLoop, deliver: @escaping @Sendable (Inbound) -> Void) -> EventLoopFuture<Connection> {
    WebSocketDial.open(
      ClientBootstrap(group: eventLoop), host: endpoint.host, port: endpoint.port, authority: endpoint.description,
      frameBytesMax: limits.frameBytesMax, within: limits.dialTimeout, on: eventLoop,
      late: Failure(reason: "no connection to the core at \(endpoint) within \(limits.dialTimeout.briefly)"),
      refused: { [endpoint] _ in
        Failure(reason: "the program at \(endpoint) does not open a WebSocket, so it is not a core")
      },
      handlers: { [limits] in
        [
          IdleStateHandler(readTimeout: .milliseconds(limits.pingInterval.wholeMilliseconds)),
          WebSocketFrameCheck(),
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 65_536, maxAccumulatedFrameSize: limits.frameBytesMax),
          WebSocketFrames(
            peer: "core", messageBytesMax: limits.frameBytesMax, silenceMax: limits.silenceMax, deliver: deliver),
        ]
      }
    )
    .flatMapErrorThrowing { [endpoint] in throw Self.failure($0, endpoint) }
  }

  private static func failure(_ error: any Error, _ endpoint: CoreEndpoint) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { failure($0.error, endpoint) }
        ?? Failure(reason: "the core's host \(endpoint.host) does not resolve")
    case let error as IOError where error.errnoCode == ECONNREFUSED:
      Failure(reason: "no core listens at \(endpoint)")
    case is HTTPParserError: Failure(reason: "the program at \(endpoint) does not speak HTTP, so it is not a core")
    case ChannelError.connectTimeout: Failure(reason: "the core at \(endpoint) does not answer")
    default: Failure(reason: "no connection to the core at \(endpoint): \(error)")
    }
  }
}
