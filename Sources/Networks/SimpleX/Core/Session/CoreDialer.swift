internal import Channels
internal import Dialing
internal import Glibc
internal import HTTPHandlers
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
    let (endpoint, limits) = (endpoint, limits)
    let promise = eventLoop.makePromise(of: Connection.self)
    let timeout = TimeAmount.milliseconds(limits.dialTimeout.wholeMilliseconds)
    let deadline = eventLoop.scheduleTask(in: timeout) {
      promise.fail(Failure(reason: "no connection to the core at \(endpoint) within \(limits.dialTimeout.briefly)"))
    }
    promise.futureResult.whenComplete { _ in deadline.cancel() }
    // Each address that is tried gets a channel. Only the channel that connects settles the dial.
    let upgrades = NIOLoopBoundBox<[ObjectIdentifier: EventLoopFuture<Connection>]>.makeBoxSendingValue(
      [:], eventLoop: eventLoop)
    @Sendable func settle(_ result: Result<Connection, any Error>) {
      promise.completeWith(result.mapError { Self.failure($0, endpoint) })
    }
    ClientBootstrap(group: eventLoop)
      .connectTimeout(timeout)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        eventLoop.makeCompletedFuture {
          // A dial that lost the race against the deadline must not leave a connection open.
          promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
          upgrades.value[ObjectIdentifier(channel)] = try upgrade(channel, deliver)
        }
      }
      .connect(host: endpoint.host, port: endpoint.port)
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
    return promise.futureResult
  }

  private func upgrade(
    _ channel: any Channel, _ deliver: @escaping @Sendable (Inbound) -> Void
  ) throws -> EventLoopFuture<Connection> {
    let limits = limits
    let upgrader = NIOTypedWebSocketClientUpgrader<Connection>(
      maxFrameSize: limits.frameBytesMax, enableAutomaticErrorHandling: false
    ) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers([
          IdleStateHandler(readTimeout: .milliseconds(limits.pingInterval.wholeMilliseconds)),
          WebSocketFrameCheck(),
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 65_536, maxAccumulatedFrameSize: limits.frameBytesMax),
          WebSocketFrames(
            peer: "core", messageBytesMax: limits.frameBytesMax, silenceMax: limits.silenceMax, deliver: deliver),
        ])
        return Connection(channel: channel)
      }
    }
    var headers = HTTPHeaders()
    headers.add(name: "Host", value: endpoint.description)
    headers.add(name: "User-Agent", value: "Baton")
    var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers),
        upgraders: [upgrader],
        notUpgradingCompletionHandler: { [endpoint] channel in
          channel.eventLoop.makeFailedFuture(
            Failure(reason: "the program at \(endpoint) does not open a WebSocket, so it is not a core"))
        }))
    // Events that wait in the core arrive in the same packet as the handshake.
    configuration.leftOverBytesStrategy = .forwardBytes
    HTTPHandlers.prepare()
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
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
