internal import Channels
public import RelayNetwork
public import Store

/// Tells a network which channel it speaks of.
public enum KnownChannels {
  /// The channel that a SimpleX core knows under `name`; nil when it is none of ours, or storage does not work.
  public static func onSimpleX(_ name: String, in store: Store) -> KnownChannel? {
    guard let id = try? store.channel(onSimpleX: name), let stored = try? store.channel(id), stored.row.deletedAt == nil,
      let relays = try? store.relays()
    else { return nil }
    let addresses = Dictionary(uniqueKeysWithValues: relays.map { ($0.id, $0.address) })
    let members = stored.relays.filter { $0.record.status == .active }
    return KnownChannel(
      id: id, content: stored.row.content,
      relays: Dictionary(uniqueKeysWithValues: members.compactMap { row in addresses[row.relay].map { (row.relay, $0) } }))
  }
}
