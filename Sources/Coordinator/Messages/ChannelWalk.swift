internal import Channels

/// A walk through all channels that were not deleted, page by page.
struct ChannelWalk {
  /// The number of channels on a page.
  static let pageMax = 256

  /// The last channel of the walk so far.
  private(set) var place: ChannelID?
  private var seen: Set<ChannelID> = []
  /// Whether channels before that place may have changed since.
  private(set) var isStale = false

  /// Records that any channel may have changed.
  mutating func grewStale() { isStale = isStale || place != nil }

  /// Continues after a page.
  /// - Returns: whether it was the last one.
  mutating func passed(_ page: [ChannelID]) -> Bool {
    seen.formUnion(page)
    place = page.max() ?? place
    return page.count < Self.pageMax
  }

  /// The given channels that the walk has not met.
  func missing(of channels: Set<ChannelID>) -> Set<ChannelID> { channels.subtracting(seen) }
}
