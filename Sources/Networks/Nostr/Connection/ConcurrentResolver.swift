internal import Channels
internal import Dialing
internal import NIOCore
internal import NIOPosix

/// Resolves one name without delaying others. The stock resolver looks names up one after the other on each event
/// loop, so a domain whose name servers are silent would make other relays look unreachable.
final class ConcurrentResolver: Resolver, Sendable {
  /// The threads for all relays together: thousands of names that do not resolve must not use as many threads.
  private static let lookup = HostLookup(threadsMax: 128)

  private let eventLoop: any EventLoop
  private let limit: Duration
  private let version4: EventLoopPromise<[SocketAddress]>
  private let version6: EventLoopPromise<[SocketAddress]>

  /// - Parameter limit: how long the caller waits for the outcome.
  init(_ eventLoop: any EventLoop, within limit: Duration) {
    self.eventLoop = eventLoop
    self.limit = limit
    version4 = eventLoop.makePromise()
    version6 = eventLoop.makePromise()
  }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { version4.futureResult }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    // An address needs no lookup, and no wait for a thread.
    if let address = try? SocketAddress(ipAddress: host, port: port) {
      version6.succeed(address.protocol == .inet6 ? [address] : [])
      version4.succeed(address.protocol == .inet6 ? [] : [address])
      return version6.futureResult
    }
    Task { [version4, version6, eventLoop, limit] in
      do throws(PeerFailure) {
        let found = try await Self.lookup.addresses(of: host, port: port, within: limit, on: eventLoop)
        version6.succeed(found.filter { $0.protocol == .inet6 })
        version4.succeed(found.filter { $0.protocol != .inet6 })
      } catch {
        let failure = DialFailure.unreachable(error.trouble.detail)
        version4.fail(failure)
        version6.fail(failure)
      }
    }
    return version6.futureResult
  }

  func cancelQueries() {}
}
