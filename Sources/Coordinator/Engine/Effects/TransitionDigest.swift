internal import Channels
internal import Storage

/// Chooses the transitions with separate journal entries. When a relay fails many channels for one reason, the first few of each minute
/// have an entry each. The rest are counted in one entry. The history of every channel has all of its transitions.
///
/// It is a value with committed transitions and the time as input, and loggable transitions as output.
struct TransitionDigest {
  /// The common properties of transitions that are counted together.
  struct Kind: Hashable {
    let relay: RelayID
    let from: RelayStatus
    let to: RelayStatus
    let cause: Cause
  }

  /// The transitions of one kind without separate entries within a minute.
  struct Summary {
    let kind: Kind
    var relayName: String
    var count = 0
    /// The first channels concerned, so that the journal can be searched for them.
    var channels: [ChannelID] = []
    /// The latest one, which gives the text and the revision.
    var latest: TransitionRow
  }

  /// The number of transitions of one kind that have an entry each within `span`.
  static let singlesMax = 10
  static let span = Duration.seconds(60)
  /// The maximum number of channels in one summary. journald accepts about a thousand fields per entry.
  static let channelsMax = 200

  private struct Window {
    let end: Timestamp
    var singles = 0
    var summary: Summary?
  }
  private var windows: [Kind: Window] = [:]

  /// When the next summary is due. `nil` if no transition was left out.
  var due: Timestamp? { windows.values.lazy.filter { $0.summary != nil }.map(\.end).min() }

  /// Whether a transition has a separate entry. Otherwise it is counted. A success always has one.
  mutating func admits(_ row: TransitionRow, relayName: String, at now: Timestamp) -> Bool {
    guard let cause = row.transition.cause else { return true }
    let kind = Kind(relay: row.relay, from: row.transition.from, to: row.transition.to, cause: cause)
    var window = windows[kind] ?? Window(end: now + Self.span)
    defer { windows[kind] = window }
    guard window.singles >= Self.singlesMax else {
      window.singles += 1
      return true
    }
    var summary = window.summary ?? Summary(kind: kind, relayName: relayName, latest: row)
    summary.count += 1
    (summary.relayName, summary.latest) = (relayName, row)
    if summary.channels.count < Self.channelsMax, !summary.channels.contains(row.channel) {
      summary.channels.append(row.channel)
    }
    window.summary = summary
    return false
  }

  /// Ends past minutes and returns the transitions that were left out in them, in a fixed order.
  /// - Parameter now: the current time. `nil` ends all of them.
  mutating func end(at now: Timestamp?) -> [Summary] {
    var summaries: [Summary] = []
    for (kind, window) in windows {
      // A window that ends too far ahead is from before the clock was set back.
      if let now, window.end > now, window.end - now <= Self.span { continue }
      if let summary = window.summary { summaries.append(summary) }
      windows[kind] = nil
    }
    return summaries.sorted { $0.latest.revision < $1.latest.revision }
  }
}
