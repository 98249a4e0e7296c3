public import Channels

/// A post that is already on the network, as others refer to it.
public struct PostReference: Hashable, Sendable {
  /// The network's name for the post (nostr: the id of its event); empty while that may still change, and no one can refer to it.
  public var networkID: String
  /// The public name of its author, in the network's notation.
  public var author: String
  /// What sort of post it is, in the network's numbers (nostr: the kind of its event); `nil` if that is not known.
  public var kind: Int?
  /// Normal addresses of the relays where the post was read back, best first. Readers are sent to these and to no others.
  public var relays: [String]
  /// The public names of the people whom the post mentions: they hear of replies to it.
  public var participants: [String]
  /// When the post was written, by its author's account; `nil` if that does not count. An answer is dated after it.
  public var writtenAt: Timestamp?
  /// What a quote of the post takes of the size of another, in bytes; `nil` where that does not count.
  public var quoteBytes: Int?

  /// Upper bound of the participants who hear of a reply. A post of a stranger may name any number; those beyond are left out.
  public static let participantsMax = 50

  public init(
    networkID: String, author: String, kind: Int? = nil, relays: [String] = [], participants: [String] = [],
    quoteBytes: Int? = nil
  ) {
    self.networkID = networkID
    self.author = author
    self.kind = kind
    self.relays = relays
    self.participants = participants
    self.quoteBytes = quoteBytes
  }
}
