public import Channels
public import Store

/// A channel as clients see it.
public struct ChannelSnapshot: Hashable, Sendable {
  public struct Relay: Hashable, Sendable {
    public let id: RelayID
    public let name: String
    public let record: ChannelRelayRecord
  }
  public let row: ChannelRow
  public let identityName: String
  public let phase: ChannelPhase
  /// What readers open; there from the first active relay on, and while any relay may still serve it.
  public let link: String?
  public let isLinkUsable: Bool
  /// In the order in which they joined.
  public let relays: [Relay]

  /// How the channel is, in plain words.
  public var summary: String {
    let members = relays.filter { $0.record.status != .removed }
    func count(_ statuses: RelayStatus...) -> Int { members.count { statuses.contains($0.record.status) } }
    let (active, wanted) = (count(.active), row.wantedRelays)
    let (underWay, lost) = (count(.new, .invited, .accepted), count(.failed, .inactive))
    let rest = [
      underWay > 0 ? " \(underWay) \(underWay == 1 ? "is" : "are") on the way." : nil,
      lost > 0 ? " \(lost) \(lost == 1 ? "does" : "do") not serve it." : nil,
    ]
    let words = rest.compactMap { $0 }.joined()
    let what = row.kind == .group ? "Group" : "Channel"
    switch phase {
    case .deleted: return "\(what) is deleted."
    case .deleting: return "\(what) is being deleted: not all relays were told yet."
    case .creating, .partial, .active, .degraded, .failed:
      if active == 0, underWay > 0, lost == 0 { return "\(what) is being created on \(underWay) of \(wanted) relays." }
      if active == 0 { return "\(what) does not work: no relay is active.\(words)" }
      return "\(what) works with \(active) of \(max(wanted, active)) relays.\(words)"
    }
  }

  /// Whether nothing changes any more without a new event: no relay is under way.
  public var hasSettled: Bool {
    !relays.contains { $0.record.status.isUnderWay } && phase != .deleting
  }
}

/// Something that was committed, as subscribers get it.
public struct Change: Sendable {
  public enum Object: Sendable {
    case channel(ChannelSnapshot)
    case channelRelay(ChannelSnapshot.Relay, TransitionRow)
    /// - before: what it was; nil when it is new, or when that is not known any more.
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
