internal import Glibc

/// The reason why a control socket cannot be created.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  /// The value of `errno`, or the one that comes closest: `EADDRINUSE` if another process serves the socket.
  public let number: CInt
}

/// Creates the listening socket of a server.
public enum UnixListener {
  /// Lets as many connections wait to be accepted as the kernel allows (net.core.somaxconn): with fewer, some clients that all connect
  /// simultaneously, as after a restart, would be refused. A socket that listens already gets the new number.
  /// - Returns: whether the socket listens.
  @discardableResult static func listen(_ socket: CInt) -> Bool { Glibc.listen(socket, .max) == 0 }

  /// A socket that listens at `path`, with `mode` in place before the first client can connect. A socket file that no process serves is
  /// replaced. A socket that is still served, or a file of another kind, is not.
  public static func listen(path: String, mode: UInt32) throws(ListenError) -> CInt {
    func failure(_ what: String) -> ListenError {
      ListenError(description: "\(what) \(path): \(String(cString: strerror(errno)))", number: errno)
    }
    guard let address = SocketAddress(path) else {
      throw ListenError(description: "the socket path \(path) must have 1 to 107 bytes", number: ENAMETOOLONG)
    }
    // The socket is created next to an old file and then replaces it, so that clients always find one while a server restarts.
    var place = path
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw ListenError(description: "\(path) exists and is not a socket", number: ENOTSOCK)
      }
      let probe = socket(AF_UNIX, kind, 0)
      defer { close(probe) }
      if address.with({ connect(probe, $0, $1) }) == 0 {
        throw ListenError(description: "the socket \(path) is in use by another server", number: EADDRINUSE)
      }
      guard errno == ECONNREFUSED else { throw failure("cannot find out whether it is served") }
      place = SocketAddress(path + ".new") == nil ? path : path + ".new"
      unlink(place)
    }
    let listener = socket(AF_UNIX, kind | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard listener >= 0 else { throw failure("cannot make a socket for") }
    // No one may connect before the mode is right. The socket's own mode becomes the mode of the file (unix(7) on Linux). The umask is not
    // touched, because it belongs to the whole process.
    guard fchmod(listener, 0) == 0 else { throw failure("cannot make a socket for") }
    guard let bound = SocketAddress(place)?.with({ bind(listener, $0, $1) }), bound == 0, chmod(place, mode) == 0,
      listen(listener),
      place == path || rename(place, path) == 0
    else {
      defer { close(listener) }
      throw failure("cannot listen at")
    }
    return listener
  }
}

/// The address of a Unix socket.
private struct SocketAddress {
  private let address: sockaddr_un

  /// - Returns: `nil` if the path is empty or too long for a socket.
  init?(_ path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    self.address = address
  }

  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
