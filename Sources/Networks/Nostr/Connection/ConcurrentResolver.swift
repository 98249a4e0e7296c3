internal import Foundation
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// Resolves one name without standing in the way of others. The stock resolver looks names up one after the other on each event
/// loop, so a domain whose name servers are silent would make other relays look unreachable.
final class ConcurrentResolver: Resolver, Sendable {
  private let version4: EventLoopPromise<[SocketAddress]>
  private let version6: EventLoopPromise<[SocketAddress]>

  init(_ eventLoop: any EventLoop) {
    version4 = eventLoop.makePromise()
    version6 = eventLoop.makePromise()
  }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { version4.futureResult }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    // An address needs no lookup, and some resolvers refuse addresses of a family that the machine does not use.
    if let address = try? SocketAddress(ipAddress: host, port: port) {
      version6.succeed(address.protocol == .inet6 ? [address] : [])
      version4.succeed(address.protocol == .inet6 ? [] : [address])
      return version6.futureResult
    }
    // A thread of its own: lookups block for long, and the shared pools also run the daemon's tasks.
    let lookup = Thread { [version4, version6] in
      var hints = addrinfo()
      hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
      hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
      var list: UnsafeMutablePointer<addrinfo>?
      let status = getaddrinfo(host, String(port), &hints, &list)
      defer { if let list { freeaddrinfo(list) } }
      guard status == 0 else {
        let error = DialFailure.unreachable("the name \(host) does not resolve: \(String(cString: gai_strerror(status)))")
        version4.fail(error)
        return version6.fail(error)
      }
      var found: (four: [SocketAddress], six: [SocketAddress]) = ([], [])
      var entry = list
      while let info = entry?.pointee {
        if info.ai_family == AF_INET {
          info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            found.four.append(SocketAddress($0.pointee, host: host))
          }
        } else if info.ai_family == AF_INET6 {
          info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
            found.six.append(SocketAddress($0.pointee, host: host))
          }
        }
        entry = info.ai_next
      }
      version6.succeed(found.six)
      version4.succeed(found.four)
    }
    lookup.stackSize = 512 << 10
    lookup.start()
    return version6.futureResult
  }

  func cancelQueries() {}
}
