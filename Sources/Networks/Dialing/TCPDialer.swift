internal import Channels
internal import Glibc
public import NIOCore
internal import NIOPosix

/// Opens TCP connections.
public struct TCPDialer: Sendable {
  public init() {}

  /// Connects to the first of `addresses` that accepts the connection. They are tried one after the other, and each may use an equal share
  /// of the time that is left, so that one silent address does not use up all.
  /// - Parameters:
  ///   - addresses: the addresses of one host, at least one, in order of preference.
  ///   - limit: the time allowed for all of them together.
  ///   - initialize: prepares each channel before it connects, on the event loop. Its result is returned with the
  ///     channel.
  /// - Throws: `timeout` when no address answers, `unreachable` otherwise. The detail names each address.
  /// - Returns: the channel, which the caller must close.
  public func connect<Value: Sendable>(
    to addresses: [SocketAddress], within limit: Duration, on eventLoop: any EventLoop,
    initialize: @escaping @Sendable (any Channel) throws -> Value
  ) async throws(PeerFailure) -> (channel: any Channel, value: Value) {
    let clock = ContinuousClock()
    let end = clock.now + limit
    var troubles: [Trouble] = []
    for (index, address) in addresses.enumerated() {
      let share = max(.zero, end - clock.now) / (addresses.count - index)
      do {
        return try await attempt(address, share, eventLoop, initialize)
      } catch {
        guard error != .cancelled else { throw error }
        troubles.append(error.trouble)
      }
    }
    let cause = troubles.first { $0.cause != .timeout }?.cause ?? (troubles.isEmpty ? .unreachable : .timeout)
    throw PeerFailure(cause, troubles.isEmpty ? "no address" : troubles.map(\.detail).joined(separator: "; "))
  }

  private func attempt<Value: Sendable>(
    _ address: SocketAddress, _ limit: Duration, _ eventLoop: any EventLoop,
    _ initialize: @escaping @Sendable (any Channel) throws -> Value
  ) async throws(PeerFailure) -> (channel: any Channel, value: Value) {
    let late = PeerFailure(.timeout, "\(address.briefly) does not answer within \(limit.rounded.briefly)")
    return try await eventLoop.outcome(within: limit, orElse: late) { promise in
      let made = NIOLoopBoundBox<Value?>.makeBoxSendingValue(nil, eventLoop: eventLoop)
      ClientBootstrap(group: eventLoop)
        // The deadline is the only timer. A connection that is made too late closes itself.
        .connectTimeout(TimeAmount(limit) + .seconds(1))
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { channel in
          eventLoop.makeCompletedFuture {
            promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
            if let refusal = Descriptors.refusal(of: channel) { throw PeerFailure(.unreachable, refusal) }
            made.value = try initialize(channel)
          }
        }
        .connect(to: address)
        .whenComplete { result in
          switch (result, made.value) {
          case (.success(let channel), let value?): promise.succeed((channel, value))
          case (.success, nil): promise.fail(Self.failure(ChannelError.ioOnClosedChannel, address))
          case (.failure(let error), _): promise.fail(Self.failure(error, address))
          }
        }
    }
  }

  private static func failure(_ error: any Error, _ address: SocketAddress) -> PeerFailure {
    switch error {
    case let error as PeerFailure: error
    case let error as IOError where error.errnoCode == ECONNREFUSED:
      PeerFailure(.unreachable, "\(address.briefly) refuses connections")
    case let error as IOError where error.errnoCode == ETIMEDOUT:
      PeerFailure(.timeout, "\(address.briefly) does not answer")
    case let error as IOError:
      PeerFailure(.unreachable, "\(address.briefly) cannot be reached: \(String(cString: strerror(error.errnoCode)))")
    default: PeerFailure(.unreachable, "\(address.briefly) cannot be reached: \(error)")
    }
  }
}

extension Duration {
  /// Rounds to whole milliseconds, because shares of a time are not round numbers.
  fileprivate var rounded: Duration {
    let (seconds, attoseconds) = components
    let milliseconds = (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
    return .seconds(seconds) + .milliseconds(milliseconds)
  }
}
