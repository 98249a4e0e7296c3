package import Channels

/// The walk along the posts that are beyond the retention of their channels, as far as one question goes. The caller passes one retention
/// after the other, by channel.
package struct RetentionWalk {
  /// The result of counting a channel's posts.
  package struct Count {
    let newest: PostID
    /// The newest post that is one too many, or `nil` if all are kept.
    let first: PostRetentionPlace.Post?

    package init(newest: PostID, first: PostRetentionPlace.Post?) { (self.newest, self.first) = (newest, first) }
  }

  /// How many channels one question looks at, and how many posts it counts before it ends.
  package static let channelsMax = 64
  private static let countedMax = 100_000

  package private(set) var found = PostsToForget()
  private let now: Timestamp
  private let start: PostRetentionPlace
  private let known: [ChannelID: PostID]
  private let limit: Int
  private let channels: Int
  private var counted = 0

  /// - Parameters:
  ///   - now: a time of day.
  ///   - known: findings of earlier answers about channels.
  ///   - limit: how many posts are wanted.
  ///   - channels: how many retentions the caller will pass, or `channelsMax` if there may be more.
  package init(
    at now: Timestamp, from start: PostRetentionPlace, known: [ChannelID: PostID], limit: Int, channels: Int
  ) {
    (self.now, self.start, self.known, self.limit, self.channels) = (now, start, known, limit, channels)
  }

  /// How many posts are still wanted.
  package var room: Int { limit - found.posts.count }

  /// The post of a channel behind which the walk continues.
  package func last(of channel: ChannelID) -> PostRetentionPlace.Post? { channel == start.channel ? start.last : nil }

  /// Whether a channel's posts have to be counted, because some are newer than the earlier answers.
  package func mustCount(_ channel: ChannelID, newest: PostID) -> Bool { known[channel] != newest }

  /// The newest post that is not kept any more, or `nil` if all are.
  /// - Parameter count: `nil` if nothing had to be counted.
  package mutating func end(of retention: PostRetention, _ count: Count?) -> PostRetentionPlace.Post? {
    let end = retention.span.map { PostRetentionPlace.Post(createdAt: now + (.zero - $0), id: PostID(rawValue: .max)) }
    guard let kept = retention.count, let count else { return end }
    counted += kept
    guard let first = count.first else {
      found.counted[retention.channel] = count.newest
      return end
    }
    guard let end, (end.createdAt, end.id) >= (first.createdAt, first.id) else { return first }
    return end
  }

  /// Adds the posts of a channel that are to be forgotten, `room` of them at most.
  /// - Returns: whether the walk continues.
  package mutating func take(_ posts: [PostRetentionPlace.Post], of retention: PostRetention) -> Bool {
    let isFull = posts.count == room
    found.posts += posts.map(\.id)
    if !posts.isEmpty { found.retentions[retention.channel] = retention }
    guard isFull else { return goesOn(behind: retention.channel) }
    found.next = PostRetentionPlace(channel: retention.channel, last: posts.last ?? last(of: retention.channel))
    return false
  }

  /// Finishes a channel.
  /// - Returns: whether the walk continues.
  package mutating func goesOn(behind channel: ChannelID) -> Bool {
    let isEnough = counted >= Self.countedMax
    if isEnough || channels == Self.channelsMax {
      found.next = PostRetentionPlace(channel: ChannelID(rawValue: channel.rawValue + 1))
    }
    return !isEnough
  }
}
