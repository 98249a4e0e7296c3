internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix

/// Serves HTTP on sockets that listen already.
struct Listener: Sendable {
  /// Connections that may be open at once.
  static let connectionsMax = 256
  /// Connections that one user may have on a Unix socket; a reverse proxy is one.
  static let connectionsPerUserMax = 128
  /// The longest head of a request, in bytes.
  static let headBytesMax = 16 << 10
  /// How long a connection may say nothing between two requests.
  private static let idleMax = TimeAmount.seconds(75)

  let responder: RouterResponder<ConsoleContext>
  /// The path that a reverse proxy leaves in front of addresses; empty if there is none.
  let prefix: String
  let logger: Logger
  private let places = NIOLockedValueBox(Places())

  /// How many connections are open, as a whole and from each user, as far as that is known: nobody gets all of them.
  private struct Places {
    private var all = 0
    private var byUser: [UInt32: Int] = [:]

    mutating func take(_ user: UInt32?) -> Bool {
      let own = user.map { byUser[$0, default: 0] } ?? 0
      guard all < Listener.connectionsMax, own < Listener.connectionsPerUserMax else { return false }
      all += 1
      if let user { byUser[user] = own + 1 }
      return true
    }

    mutating func leave(_ user: UInt32?) {
      all -= 1
      guard let user, let own = byUser[user] else { return }
      byUser[user] = own > 1 ? own - 1 : nil
    }
  }

  init(responder: RouterResponder<ConsoleContext>, prefix: String, logger: Logger) {
    self.responder = responder
    self.prefix = prefix
    self.logger = logger
  }

  /// Serves a socket until the task is cancelled.
  /// - Throws: what ends it before.
  func serve(_ socket: CInt) async throws {
    do {
      try await serveConnections(of: socket)
    } catch {
      if !Task.isCancelled { throw error }
    }
  }

  private func serveConnections(of socket: CInt) async throws {
    let http = HTTP1Channel(
      responder: { request, writer, channel in try await respond(to: request, writer, from: await Self.peer(of: channel)) },
      configuration: .init(
        idleTimeout: Self.idleMax,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Self.headBytesMax, maxHeaderListSize: Self.headBytesMax, maxHeaderFieldCount: 100)))
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .bind(socket) { channel in http.setup(channel: channel, logger: logger) }
    try await withThrowingDiscardingTaskGroup { group in
      try await server.executeThenClose { connections in
        for try await connection in connections {
          group.addTask {
            let peer = await Self.peer(of: connection.channel)
            if places.withLockedValue({ $0.take(peer) }) {
              await http.handle(value: connection, logger: logger)
              places.withLockedValue { $0.leave(peer) }
            } else {
              try? await connection.executeThenClose { _, _ in }
            }
          }
        }
      }
    }
  }

  /// The user at the other end of a Unix socket.
  private static func peer(of channel: any Channel) async -> UInt32? {
    guard case .unixDomainSocket = channel.localAddress, let options = channel as? any SocketOptionProvider else { return nil }
    typealias Credentials = (pid: Int32, uid: UInt32, gid: UInt32)
    let found: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED))
    return try? await found.get().uid
  }

  private func respond(to request: Request, _ writer: consuming ResponseWriter, from peer: UInt32?) async throws {
    var request = request
    if !prefix.isEmpty, let path = request.head.path, path.hasPrefix(prefix + "/") {
      var head = request.head
      head.path = String(path.dropFirst(prefix.utf8.count))
      request = Request(head: head, body: request.body)
    }
    let response: Response
    do {
      response = try await responder.respond(to: request, context: ConsoleContext(source: .init(logger: logger, peer: peer)))
    } catch {
      logger.debug("a request failed", metadata: ["error": "\(error)"])
      response = Response(status: .internalServerError)
    }
    try await writer.write(response: response.head, body: response.body)
  }
}

/// Sockets on loopback.
enum Loopback {
  /// Whether a socket can be reached from this machine only: it is a Unix socket, or it has an address of loopback.
  static func isLocal(_ descriptor: CInt) -> Bool {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      let isKnown = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
      guard isKnown else { return false }
      switch CInt(pointer.pointee.ss_family) {
      case AF_UNIX: return true
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 24 == 127
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
          withUnsafeBytes(of: pointer.pointee.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
      default: return false
      }
    }
  }

  enum Failure: Error, CustomStringConvertible {
    case cannotListen(port: UInt16, reason: String)

    var description: String {
      switch self {
      case .cannotListen(let port, let reason):
        port == 0 ? "cannot listen on loopback: \(reason)" : "cannot listen on port \(port) of loopback: \(reason)"
      }
    }
  }

  private static let attemptsMax = 16

  /// Sockets that listen on one port of 127.0.0.1 and ::1. Names that end in localhost mean both, so nobody else may have the other one.
  /// - Parameter port: 0 for one that is free.
  static func listen(port: UInt16) throws(Failure) -> (sockets: [CInt], port: UInt16) {
    var reason = ""
    for _ in 0..<(port == 0 ? attemptsMax : 1) {
      do throws(Reason) {
        let first = try listen(family: AF_INET, port: port)
        do throws(Reason) {
          let second = try listen(family: AF_INET6, port: first.port)
          return ([first.socket, second.socket], first.port)
        } catch .noFamily {
          return ([first.socket], first.port)
        } catch {
          close(first.socket)
          throw error
        }
      } catch {
        reason = error.text
      }
    }
    throw .cannotListen(port: port, reason: reason)
  }

  private enum Reason: Error {
    /// This machine has no addresses of the family.
    case noFamily
    case failed(CInt)

    var text: String {
      switch self {
      case .noFamily: "there are no such addresses"
      case .failed(let code): String(cString: strerror(code))
      }
    }
  }

  private static func listen(family: CInt, port: UInt16) throws(Reason) -> (socket: CInt, port: UInt16) {
    let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw errno == EAFNOSUPPORT ? .noFamily : .failed(errno) }
    var yes: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    if family == AF_INET6 {
      setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    }
    var address = sockaddr_storage()
    var size = socklen_t(family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      if family == AF_INET {
        pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          address.pointee.sin_family = sa_family_t(AF_INET)
          address.pointee.sin_port = port.bigEndian
          address.pointee.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        }
      } else {
        pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          address.pointee.sin6_family = sa_family_t(AF_INET6)
          address.pointee.sin6_port = port.bigEndian
          address.pointee.sin6_addr = in6addr_loopback
        }
      }
      return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(descriptor, address, size) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else { return false }
        return getsockname(descriptor, address, &size) == 0
      }
    }
    guard bound else {
      let code = errno
      close(descriptor)
      throw code == EADDRNOTAVAIL ? .noFamily : .failed(code)
    }
    let given = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
    return (descriptor, given)
  }
}
