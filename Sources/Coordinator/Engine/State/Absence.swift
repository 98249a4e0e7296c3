internal import Channels

/// The time for which the daemon was off. Waiting times do not run on meanwhile, so they begin that much later for each channel that was
/// unfinished, once; a channel whose commit fails is read again, and gets the time then.
struct Absence: Equatable {
  private let duration: Duration
  private var channels: Set<ChannelID>

  /// - Parameter channels: those that were unfinished when the daemon stopped.
  init(_ duration: Duration = .zero, _ channels: some Sequence<ChannelID> = []) {
    self.duration = duration
    self.channels = duration == .zero ? [] : Set(channels)
  }

  /// How much later the channel's waiting times begin; `nil` if they allow for it already.
  func span(of channel: ChannelID) -> Duration? { channels.contains(channel) ? duration : nil }

  /// Forgets the channels in these slots, which are someone else's.
  mutating func forget(_ some: SlotSet) { channels = channels.filter { !some.contains($0) } }

  /// Notes that what is stored of these channels allows for it.
  mutating func settled(_ some: Set<ChannelID>) {
    if !channels.isEmpty { channels.subtract(some) }
  }
}
