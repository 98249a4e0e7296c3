/// The members of a channel, as its network lists them. Each list replaces the earlier one of its kind.
public struct ReadMembers: Hashable, Sendable {
  /// Which of a channel's lists it is. The numbers are stored, as bits.
  public enum List: Int, Hashable, Sendable, CaseIterable {
    /// The people who belong to the channel. Networks may leave people out.
    case members = 1
    /// The people who have a role.
    case roles = 2
  }

  /// Someone in a list.
  public struct Entry: Hashable, Sendable {
    /// In the network's notation.
    public let author: String
    /// The name that the network has for them in the list, or `nil` if it has none.
    public let name: String?
    /// At most `rolesMax`, each of at most `roleBytesMax` bytes and without control characters. Their meaning is the network's.
    public let roles: [String]
    /// Whether it is one of our keys.
    public let isOwn: Bool
    /// Whether their messages are kept from everyone.
    public let isBanned: Bool

    public init(author: String, name: String? = nil, roles: [String] = [], isOwn: Bool = false, isBanned: Bool = false) {
      self.isBanned = isBanned
      self.author = author
      self.name = name
      self.roles = roles
      self.isOwn = isOwn
    }
  }

  public let list: List
  /// At most `entriesMax`, each author once.
  public let entries: [Entry]
  /// How many people the list has, with the people who are left out here.
  public let count: Int

  /// How many people of one list are stored. Further ones are left out.
  public static let entriesMax = 5_000
  public static let rolesMax = 10
  public static let roleBytesMax = 50

  public init(list: List, entries: [Entry], count: Int) {
    self.list = list
    self.entries = entries
    self.count = count
  }
}

/// Someone who asks to be let into a channel.
public struct ReadJoinRequest: Hashable, Sendable {
  public let networkID: String
  /// In the network's notation. On Nostr a public key, which was verified.
  public let author: String
  /// Their words, at most `textMax` bytes. They may contain control characters.
  public let text: String
  /// When they asked, by their own account.
  public let createdAt: Timestamp

  /// The size of the longest text that is stored, in UTF-8 bytes. Longer ones are cut.
  public static let textMax = 500

  public init(networkID: String, author: String, text: String, createdAt: Timestamp) {
    self.networkID = networkID
    self.author = author
    self.text = text
    self.createdAt = createdAt
  }
}
