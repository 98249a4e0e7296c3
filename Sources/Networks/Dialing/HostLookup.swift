internal import Channels
internal import Foundation
internal import Glibc
public import NIOCore
internal import Synchronization

/// Finds the addresses of hosts. Lookups block for long, so each has a thread of its own: one silent name server must not stand
/// in the way of other lookups, nor of the threads that everything shares.
public final class HostLookup: Sendable {
  /// Most lookups under way at once; those that nobody waits for any more count until they end.
  private let underWayMax: Int
  /// Most addresses that are taken of one host.
  public static let addressesMax = 8

  private let underWay = Mutex(0)

  /// - Parameter underWayMax: most lookups at once; more are refused as `timeout`.
  public init(underWayMax: Int = 64) { self.underWayMax = underWayMax }

  /// The addresses of `host`, a name or an address itself, in the resolver's order; never empty.
  /// - Parameters:
  ///   - limit: time allowed.
  ///   - eventLoop: where the outcome is awaited; it is never blocked.
  /// - Throws: `unreachable` when there are none, `timeout`.
  public func addresses(
    of host: String, port: Int, within limit: Duration, on eventLoop: any EventLoop
  ) async throws(PeerFailure) -> [SocketAddress] {
    // An address needs no lookup, and some resolvers refuse addresses of a family that the machine does not use.
    if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
    let isAllowed = underWay.withLock { count in
      guard count < underWayMax else { return false }
      count += 1
      return true
    }
    guard isAllowed else { throw PeerFailure(.timeout, "\(underWayMax) names are being looked up already") }
    let late = PeerFailure(.timeout, "the name \(host) was not looked up within \(limit.briefly)")
    return try await eventLoop.outcome(within: limit, orElse: late) { promise in
      let lookup = Thread { [self] in
        let result = Self.lookUp(host, port)
        underWay.withLock { $0 -= 1 }
        promise.completeWith(result)
      }
      lookup.stackSize = 512 << 10
      lookup.start()
    }
  }

  private static func lookUp(_ host: String, _ port: Int) -> Result<[SocketAddress], any Error> {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard status == 0 else {
      let reason = status == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(status))
      return .failure(PeerFailure(.unreachable, "the name \(host) does not resolve: \(reason)"))
    }
    var found: [SocketAddress] = []
    var entry = list
    while let info = entry?.pointee, found.count < addressesMax {
      entry = info.ai_next
      guard let address = address(info, host), !found.contains(address) else { continue }
      found.append(address)
    }
    guard !found.isEmpty else {
      return .failure(PeerFailure(.unreachable, "the name \(host) does not resolve: it has no address"))
    }
    return .success(found)
  }

  private static func address(_ info: addrinfo, _ host: String) -> SocketAddress? {
    switch info.ai_family {
    case AF_INET:
      info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    case AF_INET6:
      info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    default: nil
    }
  }
}
