internal import Channels
internal import DequeModule

/// The channels to look at, in order, each once.
struct WorkQueue {
  private var order: Deque<ChannelID> = []
  private var members: Set<ChannelID> = []

  mutating func add(_ channel: ChannelID) {
    if members.insert(channel).inserted { order.append(channel) }
  }

  mutating func next() -> ChannelID? {
    guard let channel = order.popFirst() else { return nil }
    members.remove(channel)
    return channel
  }
}
