public import Channels
public import Storage

extension Coordinator {
  /// A stored change with its current object.
  /// - Parameter channels: the readable channels.
  /// - Returns: `nil` if there is no such object, or it is unreadable.
  public func change(_ row: ChangeRow, among channels: [ChannelID: StoredChannel]) -> Change? {
    change(row, among: channels, before: Catalog())
  }

  /// - Parameter before: the earlier operators, servers and relays.
  func change(_ row: ChangeRow, among channels: [ChannelID: StoredChannel], before: Catalog) -> Change? {
    switch row.object {
    case .operator, .server, .relay:
      guard let object = object(row.object) else { return nil }
      let former = before[object.reference].flatMap { $0.revision < row.revision ? $0 : nil }
      return Change(revision: row.revision, at: row.at, object: .catalog(object, before: former))
    case .channel(let id):
      guard let stored = channels[id] else { return nil }
      return Change(revision: row.revision, at: row.at, object: .channel(snapshot(stored)))
    case .channelRelay(let transition):
      guard let stored = channels[transition.channel],
        let relay = snapshot(stored).relays.first(where: { $0.id == transition.relay })
      else { return nil }
      return Change(revision: row.revision, at: row.at, object: .channelRelay(relay, transition))
    }
  }
}
