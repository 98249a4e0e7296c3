internal import Dialing
public import NIOCore
public import RelayNetwork

/// Message and file servers of SimpleX.
public struct SimpleXServers: ServerNetwork {
  private let group: any EventLoopGroup
  private let limits: ServerProbeLimits
  private let now: @Sendable () -> Int64
  private let lookup = HostLookup()

  /// - Parameters:
  ///   - group: the event loops of the connections, which must outlive the tests.
  ///   - now: the time by which certificates are judged, in seconds since 1970.
  public init(
    group: any EventLoopGroup, limits: ServerProbeLimits = ServerProbeLimits(), now: @escaping @Sendable () -> Int64
  ) {
    self.group = group
    self.limits = limits
    self.now = now
  }

  public func parse(server: String) throws(InvalidAddress) -> ServerAddress {
    try SimpleXServerAddress.parse(server)
  }

  public func test(_ address: ServerAddress) -> AsyncStream<ProbeStep> {
    let probe = ServerProbe(address: address, limits: limits, lookup: lookup, eventLoop: group.next(), now: now)
    return AsyncStream { continuation in
      let task = Task {
        await probe.run { continuation.yield($0) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
