public import Channels
public import Filters

/// Bounds that make lines of the history of all channels quicker to find. All lines that a filter wants are among the found ones. The
/// caller checks each one.
public struct TransitionSeek: Hashable, Sendable {
  /// Only these channels, or `nil` for all.
  public var channels: Set<ChannelID>?
  /// Only these relays, or `nil` for all.
  public var relays: Set<RelayID>?
  /// Only these causes, or `nil` for all, and for lines without one.
  public var causes: Set<String>?
  /// Only lines that end in these statuses, or `nil` for all.
  public var statuses: Set<String>?

  public init() {}

  /// - Parameter filter: on the fields of `org.batond.Monitor.ChannelTransition`.
  public init(_ filter: Filter) {
    channels = filter.ids(at: "channelId").map { Set($0.map(ChannelID.init(rawValue:))) }
    relays = filter.ids(at: "relayId").map { Set($0.map(RelayID.init(rawValue:))) }
    causes = filter.texts(at: "cause")
    statuses = filter.texts(at: "to")
  }
}

/// Some lines of the history of all channels, the latest first.
public struct TransitionPart: Hashable, Sendable {
  public var rows: [TransitionRow]
  /// The revision before which the next part begins, or `nil` without earlier lines.
  public var next: Int64?

  public init(_ rows: [TransitionRow], next: Int64?) {
    self.rows = rows
    self.next = next
  }

  /// How many revisions one question looks at, unless it is about one channel.
  public static let revisionsMax: Int64 = 50_000

  /// The lowest revision at which a question looks.
  package static func floor(before revision: Int64, _ seek: TransitionSeek) -> Int64 {
    // The lines of one channel have an index.
    seek.channels?.count == 1 ? 0 : max(0, revision - revisionsMax)
  }

  /// - Parameters:
  ///   - rows: the found rows without damaged ones.
  ///   - last: the revision of the last row, if there were as many rows as requested. `nil` if there were fewer.
  ///   - below: the highest revision that was not looked at, because it is too low. `nil` without one. Between two revisions there may be
  ///     many that were left out.
  package init(_ rows: [TransitionRow], last: Int64?, below: Int64?) {
    self.rows = rows
    next = last ?? below.map { $0 + 1 }
  }
}
