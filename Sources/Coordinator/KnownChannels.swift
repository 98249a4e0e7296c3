public import Channels
public import RelayNetwork
public import Store

/// Tells a network which channel it speaks of.
public enum KnownChannels {
  /// The channel that a SimpleX core knows under `name`, deleted ones included, with the relays that serve it; nil when it is none of ours.
  /// - Throws: `StoreError` when storage does not work.
  public static func onSimpleX(_ name: String, in store: Store) throws -> KnownChannel? {
    guard let id = try store.channel(onSimpleX: name) else { return nil }
    return try store.channel(id) == nil ? nil : known([id], in: store).first
  }

  /// Living channels on SimpleX that relays serve, served, or did not take in time, by id, from the first after `after` on; none when
  /// storage does not work.
  public static func servedOnSimpleX(after: ChannelID?, limit: Int, in store: Store) -> [KnownChannel] {
    (try? known(try store.channelsServedOnSimpleX(after: after, limit: limit), in: store)) ?? []
  }

  private static func known(_ ids: [ChannelID], in store: Store) throws -> [KnownChannel] {
    guard !ids.isEmpty else { return [] }
    let addresses = Dictionary(uniqueKeysWithValues: try store.relays().map { ($0.id, $0.address) })
    return ids.compactMap { id in
      // One that cannot be read must not hide the others.
      guard let stored = try? store.channel(id) else { return nil }
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
