// Written by `make generate` from org.batond.People.varlink.

/// A person whose messages are stored, who is muted, or who is a member of a channel. Baton's own posts make no one a person.
public struct Person: Codable, Hashable, Sendable {
  /// The person in the network's notation: on Nostr a public key, on SimpleX a member of the core.
  public var author: String
  /// The protocol. Absent for people without stored messages.
  public var network: String?
  /// The name that they chose, if known. Anyone may choose any name, with any characters.
  public var name: String?
  /// The name at a domain that they claim, for example ada@example.com, on Nostr in their profile (NIP-05). The daemon does not check it:
  /// batonctl people show --check does.
  public var domainName: String?
  /// Whether their messages are hidden.
  public var muted: Bool
  /// Time since which they are muted, RFC 3339 in UTC.
  public var mutedAt: String?
  /// Number of their stored messages, including deleted and hidden ones, in the requested channel if there is one.
  public var messages: Int
  /// Identifiers of the channels in which they wrote, at most 100.
  public var channelIds: [Int64]
  /// Time of their latest message, in the requested channel if there is one, RFC 3339 in UTC: the author's date, but at most the time of
  /// arrival.
  public var lastMessageAt: String?
  /// Identifier of that message, which may have been deleted. See org.batond.Messages.
  public var lastMessageId: Int64?

  public init(
    author: String,
    network: String? = nil,
    name: String? = nil,
    domainName: String? = nil,
    muted: Bool,
    mutedAt: String? = nil,
    messages: Int,
    channelIds: [Int64],
    lastMessageAt: String? = nil,
    lastMessageId: Int64? = nil
  ) {
    self.author = author
    self.network = network
    self.name = name
    self.domainName = domainName
    self.muted = muted
    self.mutedAt = mutedAt
    self.messages = messages
    self.channelIds = channelIds
    self.lastMessageAt = lastMessageAt
    self.lastMessageId = lastMessageId
  }
}
