internal import Glibc

/// Why a control socket cannot be made.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  /// Whether somebody else serves there.
  public let isInUse: Bool
}

/// Makes the listening socket of a server.
public enum UnixListener {
  /// Lets as many connections wait to be accepted as the kernel allows (net.core.somaxconn): with fewer, clients that come all at once, as
  /// after a restart, find nobody. A socket that listens already goes on with the new number.
  /// - Returns: whether it listens.
  @discardableResult static func listen(_ socket: CInt) -> Bool { Glibc.listen(socket, .max) == 0 }

  /// A socket that listens at `path`, with `mode` in place before the first client can connect. A socket file that nobody serves any more is
  /// replaced; one that is served, or a file of another kind, is not.
  public static func listen(path: String, mode: UInt32) throws(ListenError) -> CInt {
    func failure(_ what: String) -> ListenError {
      ListenError(description: "\(what) \(path): \(String(cString: strerror(errno)))", isInUse: false)
    }
    guard let address = SocketAddress(path) else {
      throw ListenError(description: "the socket path \(path) must have 1 to 107 bytes", isInUse: false)
    }
    // Made beside an old file and then put in its place, so that clients never find none while a server restarts.
    var place = path
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw ListenError(description: "\(path) exists and is no socket", isInUse: false)
      }
      let probe = socket(AF_UNIX, kind, 0)
      defer { close(probe) }
      if address.with({ connect(probe, $0, $1) }) == 0 {
        throw ListenError(description: "the socket \(path) is in use by another server", isInUse: true)
      }
      guard errno == ECONNREFUSED else { throw failure("cannot tell whether somebody serves") }
      place = SocketAddress(path + ".new") == nil ? path : path + ".new"
      unlink(place)
    }
    let listener = socket(AF_UNIX, kind | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard listener >= 0 else { throw failure("cannot make a socket for") }
    // Nobody may connect before the mode is right. The socket's own mode becomes that of the file (unix(7) on Linux); the umask is
    // not touched, because it belongs to the whole process.
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

  /// - Returns: nil when the path is empty or too long for one.
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
