internal import Glibc
internal import Varlink

/// The permissions of callers, decided for each call from what the kernel says about the peer.
///
/// The kernel notes the user and the groups of a process when it connects (`VarlinkPeer`), and they stay as they are until the
/// connection ends. A change of groups therefore touches no open connection. The numbers of the two groups are looked up once,
/// when the daemon starts.
public struct Access: Sendable {
  enum Permission: Sendable { case read, change }

  private let ownUser: UInt32
  private let changeGroup: UInt32?
  private let readGroup: UInt32?

  /// - Parameters:
  ///   - changeGroup: name of the group that may do everything, like root and the daemon's own user.
  ///   - readGroup: name of the group that may read and watch.
  public init(changeGroup: String, readGroup: String) {
    ownUser = geteuid()
    self.changeGroup = Self.groupID(changeGroup)
    self.readGroup = Self.groupID(readGroup)
  }

  init(ownUser: UInt32, changeGroup: UInt32?, readGroup: UInt32?) {
    self.ownUser = ownUser
    self.changeGroup = changeGroup
    self.readGroup = readGroup
  }

  /// The rank of a peer for the server: root and the daemon's own user must always get in, above all to end what others do.
  func standing(of peer: VarlinkPeer) -> VarlinkServer.Standing {
    if isOwner(peer) { return .owner }
    return allows(peer, .read) ? .member : .stranger
  }

  private func isOwner(_ peer: VarlinkPeer) -> Bool { peer.uid == 0 || peer.uid == ownUser }

  func allows(_ peer: VarlinkPeer, _ permission: Permission) -> Bool {
    if isOwner(peer) { return true }
    if let changeGroup, peer.groups.contains(changeGroup) { return true }
    guard permission == .read, let readGroup else { return false }
    return peer.groups.contains(readGroup)
  }

  private static func groupID(_ name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }
}
