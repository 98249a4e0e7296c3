public import Channels
public import RelayNetwork
public import Storage

/// Tells a network which channel it refers to.
public enum KnownChannels {
  /// The channel that a SimpleX core knows under `name`, deleted ones included, with the relays that serve it; `nil` if it is not ours.
  /// - Throws: `StoreError` when storage does not work.
  public static func onSimpleX(_ name: String, in storage: any KnownChannelStorage) throws -> KnownChannel? {
    guard let id = try storage.channel(onSimpleX: name) else { return nil }
    return try storage.channel(id) == nil ? nil : known([id], in: storage).first
  }

  /// Living channels on SimpleX that relays serve, served, or did not take in time, by id, from the first after `after` on; none when
  /// storage does not work.
  public static func servedOnSimpleX(after: ChannelID?, limit: Int, in storage: any KnownChannelStorage) -> [KnownChannel] {
    (try? known(try storage.channelsServedOnSimpleX(after: after, limit: limit), in: storage)) ?? []
  }

  private static func known(_ ids: [ChannelID], in storage: any KnownChannelStorage) throws -> [KnownChannel] {
    guard !ids.isEmpty else { return [] }
    let addresses = Dictionary(uniqueKeysWithValues: try storage.relays().map { ($0.id, $0.address) })
    return ids.compactMap { id in
      // A channel that cannot be read must not hide the others.
      guard let stored = try? storage.channel(id) else { return nil }
      func relays(_ status: RelayStatus) -> [RelayID: String] {
        let rows = stored.relays.filter { $0.record.status == status && stored.row.deletedAt == nil }
        return Dictionary(uniqueKeysWithValues: rows.compactMap { row in addresses[row.relay].map { (row.relay, $0) } })
      }
      return KnownChannel(
        id: id, content: stored.row.content, relays: relays(.active), lapsed: relays(.failed),
        isEstablished: stored.relays.contains { [.active, .inactive].contains($0.record.status) })
    }
  }
}
