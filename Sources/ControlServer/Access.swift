internal import Glibc
internal import Varlink

/// The permissions of callers, decided for each call from what the kernel says about the peer.
///
/// The kernel notes the user and the groups of a process when it connects (`VarlinkPeer`), and they stay as they are until the
/// connection ends. A change of groups therefore touches no open connection. The numbers of the groups are looked up once, when the
/// daemon starts.
public struct Access: Sendable {
  /// What the callers of a method need. Root, the daemon's own user and members of the group for everything have all of them.
  enum Permission: Sendable, CaseIterable {
    /// Reading what it takes to find a channel and to follow a post: readers and publishers may.
    case readPosts
    /// Reading everything else: readers may.
    case read
    /// Making posts, and changing what becomes of them: publishers may.
    case publish
    /// Changing everything else.
    case change

    /// Whether it allows a change, of which the journal says who made it.
    var isForChanges: Bool {
      switch self {
      case .readPosts, .read: false
      case .publish, .change: true
      }
    }
  }

  private let ownUser: UInt32
  private let changeGroup: UInt32?
  private let readGroup: UInt32?
  private let publishGroup: UInt32?

  /// A group that does not exist lets nobody in.
  /// - Parameters:
  ///   - changeGroup: name of the group that may do everything, like root and the daemon's own user.
  ///   - readGroup: name of the group that may read and watch.
  ///   - publishGroup: name of the group that may publish and look at what that takes; empty if there is none.
  public init(changeGroup: String, readGroup: String, publishGroup: String = "") {
    self.init(
      ownUser: geteuid(), changeGroup: Self.groupID(changeGroup), readGroup: Self.groupID(readGroup),
      publishGroup: Self.groupID(publishGroup))
  }

  init(ownUser: UInt32, changeGroup: UInt32?, readGroup: UInt32?, publishGroup: UInt32? = nil) {
    self.ownUser = ownUser
    self.changeGroup = changeGroup
    self.readGroup = readGroup
    self.publishGroup = publishGroup
  }

  /// The rank of a peer for the server: root and the daemon's own user must always get in, above all to end what others do.
  func standing(of peer: VarlinkPeer) -> VarlinkServer.Standing {
    if isOwner(peer) { return .owner }
    return Permission.allCases.contains { allows(peer, $0) } ? .member : .stranger
  }

  private func isOwner(_ peer: VarlinkPeer) -> Bool { peer.uid == 0 || peer.uid == ownUser }

  private func isMember(_ peer: VarlinkPeer, of group: UInt32?) -> Bool { group.map(peer.groups.contains) ?? false }

  func allows(_ peer: VarlinkPeer, _ permission: Permission) -> Bool {
    if isOwner(peer) || isMember(peer, of: changeGroup) { return true }
    return switch permission {
    case .readPosts: isMember(peer, of: readGroup) || isMember(peer, of: publishGroup)
    case .read: isMember(peer, of: readGroup)
    case .publish: isMember(peer, of: publishGroup)
    case .change: false
    }
  }

  /// Returns the number of a group of this machine; `nil` if there is none with this name. It asks the group database, which may block.
  public static func groupID(_ name: String) -> UInt32? {
    var buffer = [CChar](repeating: 0, count: 4096)
    while true {
      var group = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let error = getgrnam_r(name, &group, &buffer, buffer.count, &found)
      if error == 0 { return found == nil ? nil : group.gr_gid }
      // A group with many members needs more room.
      guard error == ERANGE, buffer.count < 64 << 20 else { return nil }
      buffer = [CChar](repeating: 0, count: buffer.count * 4)
    }
  }
}
