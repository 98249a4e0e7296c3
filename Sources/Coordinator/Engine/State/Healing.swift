internal import Channels

/// The state of replacing relays. A copy of it is cheap, so each decision that changes it has its own.
struct Healing: Equatable {
  /// Where the last round stopped looking for lost relays. `nil` if it saw all of them.
  private(set) var cursor: ChannelRelayPlace?
  /// When relays were replaced within the last hour.
  private var recent: [Timestamp] = []
  /// Where the last round stopped looking for channels that may have a relay again.
  private var returns: [RelayID: ChannelID] = [:]

  static let span = Duration.seconds(3_600)

  /// Begins a round: forgets replacements that are too old to count, and those from a clock that was ahead.
  mutating func begin(at now: Timestamp) {
    recent.removeAll { now - $0 >= Self.span || $0 > now }
  }

  /// Whether the number of replacements in the last hour is below the limit.
  func mayReplace(perHour: Int) -> Bool { recent.count < perHour }

  mutating func replaced(at now: Timestamp) { recent.append(now) }

  /// Records that a page of lost relays was read.
  /// - Parameter isFull: whether more may follow. Otherwise the next round starts again.
  mutating func looked(at page: [ChannelRelayPlace], isFull: Bool) { cursor = isFull ? page.last : nil }

  /// The channel after which the next round continues among those that a relay failed. `nil` if it starts again.
  func place(at relay: RelayID) -> ChannelID? { returns[relay] }

  /// - Parameter place: the last channel of the round. `nil` if it saw all of them.
  mutating func stopped(at place: ChannelID?, of relay: RelayID) { returns[relay] = place }
}
