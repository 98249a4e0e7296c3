internal import Channels

/// A walk through all living channels, page by page.
struct ChannelWalk {
  /// How many channels are looked at at once.
  static let pageMax = 256

  /// The last channel that was looked at.
  private(set) var place: ChannelID?
  private var seen: Set<ChannelID> = []
  /// Whether channels that were looked at may have changed since.
  private(set) var isStale = false

  /// Notes that any channel may have changed.
  mutating func grewStale() { isStale = isStale || place != nil }

  /// Goes on behind a page.
  /// - Returns: whether that was the last one.
  mutating func passed(_ page: [ChannelID]) -> Bool {
    seen.formUnion(page)
    place = page.max() ?? place
    return page.count < Self.pageMax
  }

  /// Those of these channels that the walk has not met.
  func missing(of channels: Set<ChannelID>) -> Set<ChannelID> { channels.subtracting(seen) }
}
