internal import Glibc

/// Requests an address from a console that runs as a service. This is the other end of `CodeOffice`.
enum AddressRequest {
  /// The reason why there is no address.
  enum Failure: Error, CustomStringConvertible {
    case notReachable(String)
    case refused(String)

    var description: String {
      switch self {
      case .notReachable(let reason): reason
      case .refused(let reason): reason
      }
    }
  }

  /// Sends the request, and waits for the reply.
  /// - Parameters:
  ///   - path: of the socket.
  ///   - port: the port on loopback at which the browser finds the console if it has no public address.
  static func send(to path: String, port: UInt16) throws(Failure) -> String {
    let connection = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw .notReachable("the path \(path) is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let reason = String(cString: strerror(errno))
      throw .notReachable("cannot connect to \(path): \(reason). Does baton-console run as a service?")
    }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1024)
    while bytes.count < 4096 {
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first?.split(separator: " ", maxSplits: 2) ?? []
    switch words.first {
    case "ok" where words.count == 3:
      let base = words[2] == "-" ? PublicURL.onLoopback(port) : String(words[2])
      return "\(base)/login?code=\(words[1])"
    case "no": throw .refused(words.dropFirst().joined(separator: " "))
    default: throw .notReachable("the program that answers at \(path) is not a console")
    }
  }
}
