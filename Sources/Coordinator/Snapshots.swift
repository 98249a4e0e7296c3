public import Channels
internal import Sentences
public import Storage

/// A channel as clients see it.
public struct ChannelSnapshot: Hashable, Sendable {
  public struct Relay: Hashable, Sendable {
    public let id: RelayID
    public let name: String
    /// The operator of the relay, if it has one.
    public let relayOperator: OperatorID?
    public let record: ChannelRelayRecord
    /// The reason why no progress is possible there: the network as a whole is unusable. It holds only at the moment of the request,
    /// because it is not a change of the channel.
    public let networkTrouble: Trouble?

    public var view: ChannelRelayView { ChannelRelayView(record) }
  }
  public let row: ChannelRow
  public let identityName: String
  public let phase: ChannelPhase
  /// The link that readers open. It exists from the first active relay on, and while any relay may still serve it.
  public let link: String?
  public let isLinkUsable: Bool
  /// The relays in the order in which they joined.
  public let relays: [Relay]
  /// The relays from which a followed channel is read. Empty for Baton's own channels.
  public let readFrom: [RelayID]
  /// Whether a followed channel was joined, because only members can read it.
  public let isReadAsMember: Bool
  /// The actions that only members of a group may do.
  public let access: Set<GroupAccess>

  /// The state of the channel in plain words.
  public var summary: String {
    var counts = PhaseCounts(wanted: row.wantedRelays, isDeletionRequested: row.deletedAt != nil)
    for relay in relays { counts.add(relay.record.status, hasWork: relay.record.task != nil) }
    let (active, wanted) = (counts.active, counts.wanted)
    let (underWay, lost) = (counts.underWay, counts.failed + counts.inactive)
    let rest = [
      underWay > 0 ? " \(underWay) \(underWay == 1 ? "is" : "are") on the way." : nil,
      lost > 0 ? " \(lost) \(lost == 1 ? "does" : "do") not serve it." : nil,
    ]
    let words = rest.compactMap { $0 }.joined()
    let what = row.kind == .group ? "Group" : "Channel"
    switch phase {
    case .deleted: return row.isOwned ? "\(what) is deleted." : "\(what) is no longer followed."
    case .followed where isReadAsMember: return "\(what) is read as a member."
    case .followed: return "\(what) is read from \(counted(readFrom.count, "relay"))."
    case .deleting: return "\(what) is being deleted: not all relays were told yet."
    case .creating, .partial, .active, .degraded, .failed:
      if active == 0, underWay > 0, lost == 0 { return "\(what) is being created on \(underWay) of \(wanted) relays." }
      if active == 0 { return "\(what) does not work: no relay is active.\(words)" }
      return "\(what) works with \(active) of \(max(wanted, active)) relays.\(words)"
    }
  }

  /// Whether nothing changes without a new event: no relay is under way.
  public var hasSettled: Bool {
    !relays.contains { $0.record.status.isUnderWay } && phase != .deleting
  }
}

/// A relay of a channel as clients see it, except its name. When this changes, the channel gets a revision and an event, so that a list
/// that follows the events equals a new list.
public struct ChannelRelayView: Hashable, Sendable {
  public let status: RelayStatus
  public let trouble: Trouble?
  public let attempt: Int
  public let relayLink: String?
  public let since: Timestamp
  public let nextAttemptAt: Timestamp?
  public let edition: Int

  public init(_ record: ChannelRelayRecord) {
    (status, trouble, relayLink) = (record.status, record.trouble, record.relayLink)
    (since, edition) = (record.since, record.shown)
    // An active relay is read back every day. While that finds nothing wrong, it is neither an attempt nor news.
    let isKnown = record.task == .verify && record.trouble?.cause == .onePerAuthor
    attempt = record.status == .active && (record.trouble == nil || isKnown) ? 0 : record.attempt
    // A fault of an active relay is tried again at the next read-back, unless that would be useless.
    let isTriedAgain = record.trouble.map { $0.cause != .onePerAuthor } ?? false
    nextAttemptAt = record.isUnderWay ? nil : record.timer ?? (isTriedAgain ? record.verifyDue : nil)
  }
}

extension ChannelMachine {
  /// Returns a relay as clients see it. `nil` if the channel never had it.
  func view(of relay: RelayID) -> ChannelRelayView? {
    relays.first { $0.relay == relay }.map { ChannelRelayView(ChannelRelayRecord($0.machine)) }
  }
}

/// A committed change, as subscribers get it.
public struct Change: Hashable, Sendable {
  public enum Object: Hashable, Sendable {
    case channel(ChannelSnapshot)
    case channelRelay(ChannelSnapshot.Relay, TransitionRow)
    /// - before: its earlier form. `nil` if it is new, or if that is unknown.
    case catalog(CatalogObject, before: CatalogObject?)
  }
  public let revision: Int64
  public let at: Timestamp
  public let object: Object

  public init(revision: Int64, at: Timestamp, object: Object) {
    self.revision = revision
    self.at = at
    self.object = object
  }
}
