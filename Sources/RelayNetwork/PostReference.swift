public import Channels

/// A post that is already on the network, in the form in which other posts refer to it.
public struct PostReference: Hashable, Sendable {
  /// The network's name for the post (nostr: the id of its event). Empty while that may still change, so that no post can refer to it.
  public var networkID: String
  /// The public name of its author, in the network's notation.
  public var author: String
  /// The sort of post, in the network's numbers (nostr: the kind of its event), or `nil` if it is not known.
  public var kind: Int?
  /// Normal addresses of the relays where the post was read back, best first. Readers are sent only to these.
  public var relays: [String]
  /// The public names of the people that the post mentions. Replies to the post notify them.
  public var participants: [String]
  /// When the post was written, by its author's account, or `nil` if that does not count. An answer is dated after it.
  public var writtenAt: Timestamp?
  /// The bytes that a quote of the post adds to the size of another post, or `nil` where that does not count.
  public var quoteBytes: Int?

  /// Upper bound of the participants that a reply notifies. A stranger's post may name any number. The rest are left out.
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
