public import Channels

/// A question about a channel's own posts at a relay.
public struct PostComparison: Hashable, Sendable {
  public enum Depth: String, Hashable, Sendable {
    /// The newest posts, as many as the relay serves for one request.
    case newest
    /// All posts, as far as the network's limits allow.
    case all
  }
  public let channel: ChannelID
  public let relay: RelayID
  public let address: String
  /// The number that comes back with the outcome.
  public let number: Int
  /// The channel, which determines the author of its posts and the name that they carry.
  public let content: ChannelContent
  public let depth: Depth

  public init(
    channel: ChannelID, relay: RelayID, address: String, number: Int, content: ChannelContent, depth: Depth
  ) {
    self.channel = channel
    self.relay = relay
    self.address = address
    self.number = number
    self.content = content
    self.depth = depth
  }
}

/// A channel's own posts that a relay was found to have.
public struct ServedPosts: Hashable, Sendable {
  /// The network's names of the posts (`PostDocument.networkID`). Each was verified: channel, author, id and signature.
  public let ids: Set<String>
  /// The first and the last of the dates that were searched (`RelayNetwork.date`). If the first is after the last, no date was searched.
  public let from: Timestamp
  public let until: Timestamp
  /// Dates among these of which the relay may hold more than it served.
  public let unsure: Set<Timestamp>

  public init(ids: Set<String>, from: Timestamp, until: Timestamp, unsure: Set<Timestamp> = []) {
    self.ids = ids
    self.from = from
    self.until = until
    self.unsure = unsure
  }

  /// Whether the relay holds a post.
  /// - Parameter date: the date of the post, as the network has it, or `nil` if it is not known.
  /// - Returns: `nil` if the comparison leaves that open.
  public func holds(_ id: String, of date: Timestamp?) -> Bool? {
    if ids.contains(id) { return true }
    guard let date, from <= date, date <= until, !unsure.contains(date) else { return nil }
    return false
  }
}

/// The outcome of a comparison.
public enum PostComparisonOutcome: Hashable, Sendable {
  case served(ServedPosts)
  case failed(Trouble)
}

// Networks that cannot list the posts of a relay implement none of this.
extension RelayNetwork {
  public func compare(_ comparison: PostComparison) {}

  public func date(of post: PostDocument) -> Timestamp? { nil }
}
