internal import Accounts
internal import Glibc
internal import Varlink

/// The permissions of callers, decided for each call from the kernel's record of the peer.
///
/// The kernel notes the user and the groups of a process when it connects (`VarlinkPeer`), and does not change them until the connection
/// ends. A change of groups therefore touches no open connection. The numbers of the groups are looked up once, when the daemon starts.
public struct Access: Sendable {
  /// The permission that a method requires. Root, the daemon's own user and members of the group for everything have all of them.
  enum Permission: Sendable, CaseIterable {
    /// Reading enough to find a channel and to follow a post: readers and publishers may.
    case readPosts
    /// Reading everything else: readers may.
    case read
    /// Making, changing, retrying and deleting posts: publishers may.
    case publish
    /// Changing everything else.
    case change

    /// Whether it allows a change, for which the journal names the caller.
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

  /// A group that does not exist lets no one in.
  /// - Parameters:
  ///   - changeGroup: name of the group that may do everything, like root and the daemon's own user.
  ///   - readGroup: name of the group that may read and watch.
  ///   - publishGroup: name of the group that may publish and look at what that takes, or empty if there is none.
  public init(changeGroup: String, readGroup: String, publishGroup: String = "") {
    self.init(
      ownUser: geteuid(), changeGroup: Accounts.group(named: changeGroup), readGroup: Accounts.group(named: readGroup),
      publishGroup: Accounts.group(named: publishGroup))
  }

  init(ownUser: UInt32, changeGroup: UInt32?, readGroup: UInt32?, publishGroup: UInt32? = nil) {
    self.ownUser = ownUser
    self.changeGroup = changeGroup
    self.readGroup = readGroup
    self.publishGroup = publishGroup
  }

  /// The rank of a peer for the server: root and the daemon's own user must always get in, above all to end other users' calls.
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
}
