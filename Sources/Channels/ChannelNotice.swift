/// What a relay has of other channels of a channel's author, where the channel's newest edition is not. Some relays keep one edition per
/// author, whichever channel it is of.
public enum OtherEditions: Hashable, Sendable, CaseIterable {
  /// Nobody looked.
  case unknown
  /// No edition of another channel.
  case none
  /// One, and no other of this author: older than this channel's newest edition, so that it would give way to that.
  case older
  /// One, and no other of this author: newer, so that nothing can be done about it.
  case newer
  /// More than one edition of this author: the relay keeps them.
  case several
}

/// An edition of a channel that a relay serves, dated after the newest one that is known here: it was made by a clock that was ahead, or
/// by what a restored backup does not know of. While it is there, readers see it and not the newest.
public struct StrayEdition: Hashable, Sendable {
  /// How the network names it.
  public let networkID: String
  /// Unix time in seconds.
  public let signedAt: Int64

  public init(networkID: String, signedAt: Int64) {
    self.networkID = networkID
    self.signedAt = signedAt
  }
}

/// An edition of what readers see of a channel, in the form that its network gave it. It is stored before it is sent anywhere.
public struct ChannelNotice: Hashable, Sendable {
  /// How the network names this edition, if it does (nostr: the id of its kind 41 event).
  public let networkID: String
  /// What is handed to every relay, byte for byte; for groups what is signed anew each time.
  public let document: String
  /// Unix time in seconds; the newest edition wins at readers.
  public let signedAt: Int64

  /// How the network names the editions before, oldest first: they are taken back with the channel.
  public let earlier: [String]

  /// Upper bound of `earlier`; of more, the oldest stay with the relays.
  public static let earlierMax = 200

  public init(networkID: String, document: String, signedAt: Int64, earlier: [String] = []) {
    self.earlier = earlier
    self.networkID = networkID
    self.document = document
    self.signedAt = signedAt
  }
}
