internal import Channels

/// The parts of reading messages that do not work now, and when each is tried again.
struct KeepingTroubles {
  enum Part: CaseIterable {
    /// Reading channels, and beginning and ending conversations.
    case channels
    /// Storing messages that were read.
    case news
    /// Comparing messages on relays with stored ones.
    case comparisons
    /// Mirroring posts.
    case posts
    /// Sharing people's decisions with other daemons.
    case decisions
  }

  private struct Trouble {
    var pause: Duration
    var until: Timestamp
    var reason: String
  }
  private var troubles: [Part: Trouble] = [:]

  private static let pauseFirst = Duration.seconds(1)
  private static let pauseMax = Duration.seconds(60)

  /// Why a part does not work. `nil` if all parts work.
  var reason: String? { Part.allCases.lazy.compactMap { [troubles] in troubles[$0]?.reason }.first }

  /// When one of these parts is due to be tried again.
  func next(of parts: Set<Part>) -> Timestamp? { troubles.filter { parts.contains($0.key) }.values.map(\.until).min() }

  /// Whether a part works as far as is known, or is due to be tried again.
  func mayTry(_ part: Part, at now: Timestamp) -> Bool { troubles[part].map { $0.until <= now } ?? true }

  /// - Returns: whether everything worked before.
  mutating func failed(_ part: Part, _ reason: String, at now: Timestamp) -> Bool {
    let isFirst = troubles.isEmpty
    let pause = troubles[part].map { min($0.pause * 2, Self.pauseMax) } ?? Self.pauseFirst
    troubles[part] = Trouble(pause: pause, until: now + pause, reason: reason)
    return isFirst
  }

  /// - Returns: whether everything works again.
  mutating func worked(_ part: Part) -> Bool { troubles.removeValue(forKey: part) != nil && troubles.isEmpty }
}
