// Written by `make generate` from org.batond.People.varlink.

/// Parameters of org.batond.People.List.
public struct PeopleListRequest: Codable, Hashable, Sendable {
  /// Only people whose name contains this, regardless of case and accents, whose author begins with it, whose key it encodes (on Nostr
  /// npub1… or nprofile1…), or who claim it as a name at a domain. 1 to 1,000 bytes. Members who wrote nothing are included.
  public var text: String?
  /// Only people who wrote in this channel. With text also its members.
  public var channelId: Int64?
  /// Only muted people, or only other people.
  public var muted: Bool?
  /// The nextCursor of the previous page.
  public var cursor: String?
  /// Maximum number of people on the page, 1 to 100, 30 if absent.
  public var limit: Int?

  public init(
    text: String? = nil,
    channelId: Int64? = nil,
    muted: Bool? = nil,
    cursor: String? = nil,
    limit: Int? = nil
  ) {
    self.text = text
    self.channelId = channelId
    self.muted = muted
    self.cursor = cursor
    self.limit = limit
  }
}

/// Parameters of org.batond.People.Get.
public struct PeopleGetRequest: Codable, Hashable, Sendable {
  /// The person in the network's notation, on Nostr also npub1… or nprofile1….
  public var author: String

  public init(
    author: String
  ) {
    self.author = author
  }
}

/// Parameters of org.batond.People.SetMuted.
public struct PeopleSetMutedRequest: Codable, Hashable, Sendable {
  /// The person, as for Get. On Nostr, people without stored messages can also be muted.
  public var author: String
  /// Whether they are muted.
  public var muted: Bool

  public init(
    author: String,
    muted: Bool
  ) {
    self.author = author
    self.muted = muted
  }
}
