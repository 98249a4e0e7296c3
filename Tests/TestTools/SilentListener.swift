import Glibc

/// A TCP listener on 127.0.0.1 that no one serves and whose queue is full: who connects hears nothing. It ends with the object.
public final class SilentListener {
  public let port: Int
  private let sockets: [CInt]

  /// - Throws: `Failure` when the machine has no socket left.
  public init() throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var sockets = [listener]
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(listener, name, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, name, &length) == 0
      }
    }
    // The queue takes one connection more than it was asked to.
    for _ in 0..<3 where isListening {
      let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      sockets.append(client)
      withUnsafePointer(to: &name) { name in
        name.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
      }
    }
    self.sockets = sockets
    port = Int(UInt16(bigEndian: name.sin_port))
    guard isListening else { throw Failure() }
  }

  public struct Failure: Error {}

  deinit { for socket in sockets { close(socket) } }
}
