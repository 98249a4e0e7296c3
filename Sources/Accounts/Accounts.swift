internal import Glibc

/// The users and groups of this machine, as its databases have them now. Asking them may block.
public enum Accounts {
  /// A user.
  public struct User: Hashable, Sendable {
    public let id: UInt32
    public let name: String
    /// The numbers of all groups that the user is in.
    public let groups: Set<UInt32>

    public init(id: UInt32, name: String, groups: Set<UInt32>) {
      self.id = id
      self.name = name
      self.groups = groups
    }
  }

  /// Returns the number of a group, or `nil` if there is none with this name.
  public static func group(named name: String) -> UInt32? {
    found(Glibc.group()) { entry, buffer, size, found in
      getgrnam_r(name, entry, buffer, size, found)
    } read: {
      $0.gr_gid
    }
  }

  /// Returns the user with a number, or `nil` if there is none.
  public static func user(id: UInt32) -> User? {
    found(Glibc.passwd()) { entry, buffer, size, found in
      getpwuid_r(id, entry, buffer, size, found)
    } read: {
      user($0)
    }
  }

  /// Returns the user with a name, or `nil` if there is none.
  public static func user(named name: String) -> User? {
    found(Glibc.passwd()) { entry, buffer, size, found in
      getpwnam_r(name, entry, buffer, size, found)
    } read: {
      user($0)
    }
  }

  private static func user(_ entry: passwd) -> User? {
    guard let name = entry.pw_name else { return nil }
    var count: CInt = 256
    var groups = [gid_t](repeating: 0, count: Int(count))
    if getgrouplist(name, entry.pw_gid, &groups, &count) < 0 {
      groups = [gid_t](repeating: 0, count: Int(count))
      guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return nil }
    }
    return User(id: entry.pw_uid, name: String(cString: name), groups: Set(groups.prefix(Int(count))))
  }

  /// The most room that an entry may need, in bytes.
  private static let entryBytesMax = 64 << 20

  /// Looks an entry up, with as much room for its texts as they need: a group may have many members.
  /// - Parameter read: reads the wanted value from the entry, while its texts are there.
  private static func found<Entry, Value>(
    _ empty: Entry,
    _ look: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> CInt, read: (Entry) -> Value?
  ) -> Value? {
    var size = 4096
    while true {
      var (entry, error) = (empty, CInt(0))
      let value = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> Value? in
        guard let start = buffer.baseAddress else { return nil }
        var found: UnsafeMutablePointer<Entry>?
        error = look(&entry, start, size, &found)
        return error == 0 && found != nil ? read(entry) : nil
      }
      guard error == ERANGE, size < entryBytesMax else { return value }
      size *= 4
    }
  }
}
