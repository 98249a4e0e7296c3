// Written by `make generate` from org.batond.People.varlink.

/// Parameters of org.batond.People.List.
public struct PeopleListRequest: Codable, Hashable, Sendable {
  /// Only people whose name holds this, whatever the case and the accents, or whose author begins with it; or whom it names, as npub1… and
  /// nprofile1… do on Nostr; or who claim this name at a domain. 1 to 1,000 bytes. Members of channels who wrote nothing are among them.
  public var text: String?
  /// Only people who wrote in this channel; with text, also its members.
  public var channelId: Int64?
  /// Only people who are muted, or only others.
  public var muted: Bool?
  /// Where the page before ended: nextCursor of its reply.
  public var cursor: String?
  /// Most people on the page, 1 to 100; 30 when absent.
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
  /// Who it is, in the network's notation; on Nostr npub1… and nprofile1… name someone, too.
  public var author: String

  public init(
    author: String
  ) {
    self.author = author
  }
}

/// Parameters of org.batond.People.SetMuted.
public struct PeopleSetMutedRequest: Codable, Hashable, Sendable {
  /// Who it is, as for Get; on Nostr someone who wrote nothing that is here can be muted as well.
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
