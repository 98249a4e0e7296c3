internal import Channels

/// What replacing has done so far. A copy of it is cheap, so that a commit that fails takes it back as a whole.
struct Healing {
  /// Where the last round stopped looking for lost relays; nil: it saw all of them.
  private(set) var cursor: (ChannelID, RelayID)?
  /// When relays were replaced within the last hour.
  private var recent: [Timestamp] = []
  /// Where the last round stopped looking for channels that may have a relay again.
  private var returns: [RelayID: ChannelID] = [:]

  static let span = Duration.seconds(3_600)

  /// Begins a round: forgets replacements that are too old to count, and those from a clock that was ahead.
  mutating func begin(at now: Timestamp) {
    recent.removeAll { now - $0 >= Self.span || $0 > now }
  }

  /// Whether fewer relays were replaced within the last hour than may be.
  func mayReplace(perHour: Int) -> Bool { recent.count < perHour }

  mutating func replaced(at now: Timestamp) { recent.append(now) }

  /// A page of lost relays was read.
  /// - Parameter isFull: whether there may be more behind it; otherwise the next round begins anew.
  mutating func looked(at page: [(ChannelID, RelayID)], isFull: Bool) { cursor = isFull ? page.last : nil }

  /// The channel after which the next round goes on, of those that a relay failed; nil: it begins anew.
  func place(at relay: RelayID) -> ChannelID? { returns[relay] }

  /// - Parameter place: nil: all were looked at.
  mutating func stopped(at place: ChannelID?, of relay: RelayID) { returns[relay] = place }
}
