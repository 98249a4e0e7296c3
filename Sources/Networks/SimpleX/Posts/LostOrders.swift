internal import Channels

/// Orders about members whose answers were lost: the core may carry them out yet, after later orders that came over another connection.
struct LostOrders {
  private struct Target: Hashable {
    let channel: ChannelID
    let name: String
  }

  private var lost: [Target: (post: PostID, at: Timestamp)] = [:]

  /// - Parameter span: how long the core may carry it out yet. Older orders are forgotten.
  mutating func note(_ post: PostID, about name: String, in channel: ChannelID, at now: Timestamp, for span: Duration) {
    lost = lost.filter { now - $0.value.at <= span }
    lost[Target(channel: channel, name: name)] = (post, now)
  }

  /// Handles an order whose outcome is known.
  mutating func found(_ post: PostID, about name: String, in channel: ChannelID) {
    let target = Target(channel: channel, name: name)
    if lost[target]?.post == post { lost[target] = nil }
  }

  /// When the answer to another order about someone was lost, or `nil` if none was.
  func time(about name: String, in channel: ChannelID, except post: PostID) -> Timestamp? {
    lost[Target(channel: channel, name: name)].flatMap { $0.post == post ? nil : $0.at }
  }
}
