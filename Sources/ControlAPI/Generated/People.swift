// Written by `make generate` from org.batond.People.varlink.

/// A person whose messages are stored, who is muted, or who is a member of a channel. Baton's own posts count for no person.
public struct Person: Codable, Hashable, Sendable {
  /// Who it is, in the network's notation: on Nostr a public key, on SimpleX a member of the core's.
  public var author: String
  /// The protocol; absent for someone who wrote nothing that is here.
  public var network: String?
  /// What they call themselves, as far as that is known. Anyone may take any name, and write anything there.
  public var name: String?
  /// The name at a domain that they claim, such as ada@example.com; on Nostr that of their profile (NIP-05). The daemon asks no domain, so no one
  /// has checked it: batonctl people show --check does.
  public var domainName: String?
  /// Whether their messages are hidden.
  public var muted: Bool
  /// Since when, RFC 3339 in UTC; absent if they are not.
  public var mutedAt: String?
  /// How many of their messages are stored here, deleted and hidden ones included; those of the channel if one was named.
  public var messages: Int
  /// The channels in which they wrote, by identifier; at most 100.
  public var channelIds: [Int64]
  /// When they wrote last, RFC 3339 in UTC: by their own account, but not later than it arrived; in the channel if one was named.
  public var lastMessageAt: String?
  /// That message, see org.batond.Messages. It may have been deleted.
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
