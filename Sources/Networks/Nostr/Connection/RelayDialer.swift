internal import Channels
internal import Dialing
internal import Glibc
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import StrictJSON

/// Opens WebSocket connections to relays.
struct RelayDialer: Sendable {
  let tls: WebTLS
  let limits: NostrLimits

  typealias Inbound = WebSocketInbound
  typealias Connection = WebSocketConnection

  /// The largest message that does not end the connection, in bytes: relays serve everyone the events that someone gave them, and some
  /// accept larger ones than Baton does.
  private static let frameBytesMax = 16 << 20

  static let userTimeout = NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)

  /// Some relays answer no pings: any answer to a request that finds nothing is a sign of life too.
  private static let signOfLife = ClientMessage.request(
    "alive", [["ids": [.string(String(repeating: "0", count: 64))], "limit": 1]])

  /// Dials `url`. Name, TCP, TLS and handshake together have at most `limits.dialTimeout`.
  /// - Parameter deliver: called on `eventLoop`, in order. Nothing follows `violated` or `closed`.
  /// - Returns: the connection, or a failure that is always a `DialFailure`.
  func dial(
    _ url: RelayURL, on eventLoop: any EventLoop, deliver: @escaping @Sendable (Inbound) -> Void
  ) -> EventLoopFuture<Connection> {
    let bootstrap = ClientBootstrap(group: eventLoop)
      .resolver(ConcurrentResolver(eventLoop, within: limits.dialTimeout))
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(Self.userTimeout), value: SocketOptionValue(limits.unacknowledgedMax.wholeMilliseconds))
    return WebSocketDial.open(
      bootstrap, host: url.host, port: url.port, authority: url.authority, target: url.requestTarget,
      frameBytesMax: Self.frameBytesMax, within: limits.dialTimeout, on: eventLoop,
      late: DialFailure.unreachable("no connection within \(limits.dialTimeout.wholeMilliseconds) ms"),
      refused: { Self.refusal($0) },
      prepare: { [tls] channel in
        if let refusal = Descriptors.refusal(of: channel) { throw DialFailure.unreachable(refusal) }
        if url.isSecure { try tls.secure(channel, for: url.host, plain: "ws") }
      },
      handlers: { [limits] in
        [
          GatheredFlush(),
          IdleStateHandler(readTimeout: .milliseconds(limits.pingInterval.wholeMilliseconds)),
          WebSocketFrameCheck(allowance: WebSocketAllowance(most: limits.unaskedMax, perSecond: limits.unaskedPerSecond)),
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 4096, maxAccumulatedFrameSize: Self.frameBytesMax),
          WebSocketFrames(
            peer: "relay", messageBytesMax: Self.frameBytesMax, silenceMax: limits.silenceMax, question: Self.signOfLife,
            deliver: deliver),
        ]
      }
    )
    .flatMapErrorThrowing { throw Self.failure($0, url) }
  }

  private static func refusal(_ head: HTTPResponseHead) -> DialFailure {
    let retryAfter = head.headers.first(name: "Retry-After").flatMap {
      RetryAfter.wait($0, date: head.headers.first(name: "Date"), now: Int64(time(nil)))
    }
    let location = head.headers.first(name: "Location").map { String($0.prefix(200)) }
    return .status(Int(head.status.code), retryAfter: retryAfter, location: location)
  }

  static func failure(_ error: any Error, _ url: RelayURL) -> DialFailure {
    switch error {
    case let failure as DialFailure: return failure
    case let failure as PeerFailure: return .insecure(failure.trouble)
    case let error as NIOConnectionError:
      if let failure = error.dnsAError as? DialFailure { return failure }
      if error.connectionErrors.isEmpty { return .unreachable("the host name \(url.host) does not resolve") }
      return error.connectionErrors.first.map { failure($0.error, url) } ?? .unreachable("\(error)")
    case let error as IOError where error.errnoCode == ECONNREFUSED:
      return .unreachable("\(url.host) refuses connections to port \(url.port)")
    case let error as IOError: return .unreachable(String(cString: strerror(error.errnoCode)))
    case let error as ChannelError:
      if case .connectTimeout = error { return .unreachable("no connection in time") }
      return .unreachable("the connection closed during the handshake")
    case is HTTPParserError: return .notARelay("the server does not speak HTTP")
    case let error as NIOHTTPClientUpgradeError where error == .upgraderDeniedUpgrade:
      return .notARelay("the server's Sec-WebSocket-Accept is not the answer to our key, so it is not a relay")
    case is NIOHTTPClientUpgradeError: return .notARelay("the server does not open a WebSocket, so it is not a relay")
    default: return .unreachable("the handshake failed: \(error)")
    }
  }
}
