internal import Glibc
internal import NIOCore

/// The process at the other end of a connection, as the kernel recorded it when the connection was made.
public struct VarlinkPeer: Hashable, Sendable {
  public let pid: Int32
  public let uid: UInt32
  public let gid: UInt32
  /// All groups of the peer, the primary one included.
  public let groups: Set<UInt32>

  public init(pid: Int32, uid: UInt32, gid: UInt32, groups: Set<UInt32>) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
    self.groups = groups
  }

  /// The peer of a Unix socket, or `nil` if the kernel does not know it.
  package init?(socket: CInt) {
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, .max, .max)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, size == 12 else { return nil }
    // SO_PEERGROUPS of the kernel's socket interface, which Glibc's module does not export.
    let peerGroups: CInt = 59
    var groups = [UInt32](repeating: 0, count: 256)
    var bytes = socklen_t(groups.count * 4)
    var result = getsockopt(socket, SOL_SOCKET, peerGroups, &groups, &bytes)
    if result != 0, errno == ERANGE {
      groups = [UInt32](repeating: 0, count: Int(bytes) / 4)
      result = getsockopt(socket, SOL_SOCKET, peerGroups, &groups, &bytes)
    }
    let known = result == 0 ? groups.prefix(Int(bytes) / 4) : []
    self.init(
      pid: credentials.pid, uid: credentials.uid, gid: credentials.gid, groups: Set(known).union([credentials.gid]))
  }
}
