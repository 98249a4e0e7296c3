internal import Channels

/// The time for which the daemon was off. Waiting times stop during that time, so each unfinished channel's waiting times begin that much
/// later, once. A channel whose commit fails is read again and gets the time then.
struct Absence: Equatable {
  private let duration: Duration
  private var channels: Set<ChannelID>

  /// - Parameter channels: the channels that were unfinished when the daemon stopped.
  init(_ duration: Duration = .zero, _ channels: some Sequence<ChannelID> = []) {
    self.duration = duration
    self.channels = duration == .zero ? [] : Set(channels)
  }

  /// How much later the channel's waiting times begin. `nil` if they allow for it already.
  func span(of channel: ChannelID) -> Duration? { channels.contains(channel) ? duration : nil }

  /// Forgets the channels in these slots, which another daemon has.
  mutating func forget(_ some: SlotSet) { channels = channels.filter { !some.contains($0) } }

  /// Records that the stored state of these channels allows for it.
  mutating func settled(_ some: Set<ChannelID>) {
    if !channels.isEmpty { channels.subtract(some) }
  }
}
