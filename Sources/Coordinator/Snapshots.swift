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
