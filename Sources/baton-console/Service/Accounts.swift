internal import Glibc
internal import NIOPosix

/// A user of this machine, as its user database has it now.
struct Account: Hashable, Sendable {
  let uid: UInt32
  let name: String
  /// The numbers of all groups that it is in.
  let groups: Set<UInt32>

  /// Looks a user up; `nil` if there is none. The user database may be a server, so it is asked on a thread that may wait.
  static func find(uid: UInt32) async -> Account? {
    await looked { buffer, entry, found in getpwuid_r(uid, entry, buffer, bufferSize, found) }
  }

  static func find(name: String) async -> Account? {
    await looked { buffer, entry, found in getpwnam_r(name, entry, buffer, bufferSize, found) }
  }

  /// The number of a group; `nil` if there is none with this name.
  static func group(_ name: String) async -> UInt32? {
    try? await NIOThreadPool.singleton.runIfActive {
      var buffer = [CChar](repeating: 0, count: bufferSize)
      var entry = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      getgrnam_r(name, &entry, &buffer, buffer.count, &found)
      return found == nil ? nil : entry.gr_gid
    }
  }

  /// Room for the texts of one entry of a database, in bytes.
  private static let bufferSize = 1 << 16

  private typealias Look =
    @Sendable (
      UnsafeMutablePointer<CChar>, UnsafeMutablePointer<passwd>, UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt

  private static func looked(_ look: @escaping Look) async -> Account? {
    try? await NIOThreadPool.singleton.runIfActive {
      // The texts of the entry are in the buffer, which therefore stays until the end.
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { buffer -> Account? in
        guard let start = buffer.baseAddress else { return nil }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        _ = look(start, &entry, &found)
        guard found != nil, let name = entry.pw_name else { return nil }
        var count: CInt = 256
        var groups = [gid_t](repeating: 0, count: Int(count))
        if getgrouplist(name, entry.pw_gid, &groups, &count) < 0 {
          groups = [gid_t](repeating: 0, count: Int(count))
          guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return nil }
        }
        return Account(uid: entry.pw_uid, name: String(cString: name), groups: Set(groups.prefix(Int(count))))
      }
    }
  }
}

/// What users may do in a console that several share: root and members of one group change things, members of another look.
struct RolesOfUsers: Sendable {
  let changeGroup: UInt32?
  let readGroup: UInt32?

  /// - Returns: `nil` if the user has nothing to do here.
  func role(of account: Account) -> Sessions.Role? {
    if account.uid == 0 || changeGroup.map(account.groups.contains) == true { return .change }
    return readGroup.map(account.groups.contains) == true ? .view : nil
  }
}
