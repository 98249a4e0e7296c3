internal import Channels
internal import Dialing
internal import Glibc
internal import HTTPHandlers
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
    let limits = limits
    let status = NIOLoopBoundBox<DialFailure?>.makeBoxSendingValue(nil, eventLoop: eventLoop)
    let timeout = TimeAmount.milliseconds(limits.dialTimeout.wholeMilliseconds)
    let promise = eventLoop.makePromise(of: Connection.self)
    let deadline = eventLoop.scheduleTask(in: timeout) {
      promise.fail(DialFailure.unreachable("no connection within \(limits.dialTimeout.wholeMilliseconds) ms"))
    }

    // One channel is created for each address that is tried. Only the channel that connects may settle the dial.
    let upgrades = NIOLoopBoundBox<[ObjectIdentifier: EventLoopFuture<Connection>]>.makeBoxSendingValue(
      [:], eventLoop: eventLoop)
    @Sendable func settle(_ result: Result<Connection, any Error>) {
      deadline.cancel()
      switch result {
      case .success(let connection): promise.succeed(connection)
      case .failure(let error): promise.fail(status.value ?? Self.failure(error, url))
      }
    }
    ClientBootstrap(group: eventLoop)
      .resolver(ConcurrentResolver(eventLoop, within: limits.dialTimeout))
      .connectTimeout(timeout)
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(
        .tcpOption(Self.userTimeout), value: SocketOptionValue(limits.unacknowledgedMax.wholeMilliseconds)
      )
      .channelInitializer { channel in
        eventLoop.makeCompletedFuture {
          promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
          if let refusal = Descriptors.refusal(of: channel) { throw DialFailure.unreachable(refusal) }
          if url.isSecure { try tls.secure(channel, for: url.host, plain: "ws") }
          upgrades.value[ObjectIdentifier(channel)] = try upgrade(channel, url, status, deliver)
        }
      }
      .connect(host: url.host, port: url.port)
      .whenComplete { result in
        let candidates = upgrades.value
        upgrades.value = [:]
        switch result {
        case .failure(let error): settle(.failure(error))
        case .success(let channel):
          guard let upgrade = candidates[ObjectIdentifier(channel)] else {
            return settle(.failure(ChannelError.ioOnClosedChannel))
          }
          upgrade.whenComplete(settle)
        }
      }
    // A dial that lost the race against the deadline must not leave a connection behind.
    return promise.futureResult
  }

  private func upgrade(
    _ channel: any Channel, _ url: RelayURL, _ status: NIOLoopBoundBox<DialFailure?>,
    _ deliver: @escaping @Sendable (Inbound) -> Void
  ) throws -> EventLoopFuture<Connection> {
    let limits = limits
    let upgrader = NIOTypedWebSocketClientUpgrader<Connection>(
      maxFrameSize: Self.frameBytesMax, enableAutomaticErrorHandling: false
    ) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers([
          GatheredFlush(),
          IdleStateHandler(
            readTimeout: .milliseconds(limits.pingInterval.wholeMilliseconds)),
          WebSocketFrameCheck(
            allowance: WebSocketAllowance(most: limits.unaskedMax, perSecond: limits.unaskedPerSecond)),
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 4096, maxAccumulatedFrameSize: Self.frameBytesMax),
          WebSocketFrames(
            peer: "relay", messageBytesMax: Self.frameBytesMax, silenceMax: limits.silenceMax, question: Self.signOfLife,
            deliver: deliver),
        ])
        return Connection(channel: channel)
      }
    }
    var headers = HTTPHeaders()
    headers.add(name: "Host", value: url.authority)
    headers.add(name: "User-Agent", value: "Baton")
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.requestTarget, headers: headers)
    var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: head, upgraders: [upgrader],
        notUpgradingCompletionHandler: { channel in
          // The watcher below has seen the status by now.
          channel.eventLoop.makeFailedFuture(DialFailure.notARelay("the server does not open a WebSocket"))
        }))
    // Relays may speak first, in the same packet as the handshake.
    configuration.leftOverBytesStrategy = .forwardBytes
    HTTPHandlers.prepare()
    let result = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
    let upgradeHandler = try channel.pipeline.syncOperations.handler(
      type: NIOTypedHTTPClientUpgradeHandler<Connection>.self)
    try channel.pipeline.syncOperations.addHandler(
      StatusWatcher(status: status), position: .before(upgradeHandler))
    return result
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

/// Notes an HTTP status that does not open a WebSocket.
private final class StatusWatcher: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  private let status: NIOLoopBoundBox<DialFailure?>

  init(status: NIOLoopBoundBox<DialFailure?>) { self.status = status }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var isDone = false
    if case .head(let head) = unwrapInboundIn(data) {
      isDone = head.status == .switchingProtocols
      if !isDone {
        let (headers, now) = (head.headers, Int64(time(nil)))
        let retryAfter = headers.first(name: "Retry-After").flatMap {
          RetryAfter.wait($0, date: headers.first(name: "Date"), now: now)
        }
        let location = headers.first(name: "Location").map { String($0.prefix(200)) }
        status.value = .status(Int(head.status.code), retryAfter: retryAfter, location: location)
      }
    }
    context.fireChannelRead(data)
    // The bytes after the handshake are not HTTP.
    if isDone { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
  }
}
