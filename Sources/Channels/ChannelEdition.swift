/// The editions that a relay has of other channels by a channel's author, if it lacks the channel's newest edition. Some relays keep one
/// edition per author, whichever channel it belongs to.
public enum OtherEditions: Hashable, Sendable, CaseIterable {
  /// This was not looked up.
  case unknown
  /// The relay has no edition of another channel.
  case none
  /// The relay has exactly one edition by this author, older than this channel's newest edition, which would therefore replace it.
  case older
  /// The relay has exactly one edition by this author, and it is newer, so that Baton cannot replace it.
  case newer
  /// The relay has more than one edition by this author, so it keeps them.
  case several
}

/// An edition of a channel that a relay serves, dated after the newest one that Baton knows: it was signed while the clock was ahead, or
/// after the backup that was restored. While the relay has it, readers see it instead of the newest one.
public struct StrayEdition: Hashable, Sendable {
  /// The name of the edition on its network.
  public let networkID: String
  /// Unix time in seconds.
  public let signedAt: Int64

  public init(networkID: String, signedAt: Int64) {
    self.networkID = networkID
    self.signedAt = signedAt
  }
}

/// An edition of a channel's profile, in the form that its network gave it. It is stored before it is sent anywhere.
public struct ChannelEdition: Hashable, Sendable {
  /// The name of this edition on its network, if it has one (on Nostr the id of its kind 41 event).
  public let networkID: String
  /// The bytes that every relay gets. For groups, the text that is signed again each time.
  public let document: String
  /// Unix time in seconds. Readers use the edition with the latest time.
  public let signedAt: Int64

  /// The names of earlier editions on the network, oldest first: they are deleted together with the channel.
  public let earlier: [String]

  /// Upper bound of `earlier`. If there are more, the oldest remain on the relays.
  public static let earlierMax = 200

  public init(networkID: String, document: String, signedAt: Int64, earlier: [String] = []) {
    self.earlier = earlier
    self.networkID = networkID
    self.document = document
    self.signedAt = signedAt
  }
}
