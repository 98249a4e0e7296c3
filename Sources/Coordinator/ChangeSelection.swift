public import Channels
public import Storage

/// A kind of object that changes, in the words of `org.batond.Monitor`.
public enum ChangeKind: String, CaseIterable, Hashable, Sendable {
  case `operator`, server, relay, channel, channelRelay
}

/// The changes that a subscriber wants. `nil` stands for all.
public struct ChangeSelection: Hashable, Sendable {
  public var kinds: Set<ChangeKind>?
  /// The selected channels, with their relays. `nil` for all.
  public var channels: Set<ChannelID>?
  /// The selected relays, with channels that have one of them. `nil` for all.
  public var relays: Set<RelayID>?

  public static let all = ChangeSelection()

  public init(kinds: Set<ChangeKind>? = nil, channels: Set<ChannelID>? = nil, relays: Set<RelayID>? = nil) {
    self.kinds = kinds
    self.channels = channels
    self.relays = relays
  }

  public func wants(_ change: Change) -> Bool {
    switch change.object {
    case .catalog(let object, _): return mayWant(object.reference.changed)
    case .channelRelay(_, let row): return mayWant(.channelRelay(row))
    case .channel(let snapshot):
      guard mayWant(.channel(snapshot.row.id)) else { return false }
      return relays.map { relays in snapshot.relays.contains { relays.contains($0.id) } } ?? true
    }
  }

  /// Whether a change of `object` may be selected. If not, the object itself need not be read.
  public func mayWant(_ object: ChangeRow.Object) -> Bool {
    switch object {
    case .operator: has(.operator) && channels == nil && relays == nil
    case .server: has(.server) && channels == nil && relays == nil
    case .relay(let id): has(.relay) && channels == nil && Self.isIn(id, relays)
    case .channel(let id): has(.channel) && Self.isIn(id, channels)
    case .channelRelay(let row):
      has(.channelRelay) && Self.isIn(row.channel, channels) && Self.isIn(row.relay, relays)
    }
  }

  private func has(_ kind: ChangeKind) -> Bool { Self.isIn(kind, kinds) }

  private static func isIn<T>(_ value: T, _ set: Set<T>?) -> Bool { set?.contains(value) ?? true }
}
