public import Channels
public import RelayNetwork
public import Storage

/// Finds the channels that a network refers to.
public enum KnownChannels {
  /// The channel that a SimpleX core calls `name`, deleted ones included, with the relays that serve it. `nil` if Baton does not have it.
  /// - Parameter slots: the slots of the channels in this core.
  /// - Throws: `StoreError` when storage does not work, or the channel is damaged.
  public static func onSimpleX(
    _ name: String, among slots: SlotSet, in storage: any KnownChannelStorage
  ) async throws -> KnownChannel? {
    guard let id = try await storage.channel(onSimpleX: name, among: slots) else { return nil }
    let stored = try await storage.channels([id])
    if let damage = stored.unreadable[id] { throw damage }
    return try await known([id], stored, in: storage).first
  }

  /// Channels on SimpleX that were not deleted, by id, beginning after `after`: the ones that relays serve, served, or did not accept in
  /// time, and followed ones.
  /// - Parameter slots: the slots of the channels in the requesting core.
  /// - Throws: `StoreError` when storage does not work. A damaged channel is left out.
  public static func servedOnSimpleX(
    after: ChannelID?, limit: Int, among slots: SlotSet, in storage: any KnownChannelStorage
  ) async throws -> [KnownChannel] {
    let ids = try await storage.channelsServedOnSimpleX(after: after, limit: limit, among: slots)
    return ids.isEmpty ? [] : try await known(ids, try await storage.channels(Set(ids)), in: storage)
  }

  /// - Parameter stored: the stored channels for `ids`. Unreadable ones are left out, because they must not hide the others.
  private static func known(
    _ ids: [ChannelID], _ stored: StoredChannels, in storage: any KnownChannelStorage
  ) async throws -> [KnownChannel] {
    let addresses = Dictionary(uniqueKeysWithValues: try await storage.relays().map { ($0.id, $0.address) })
    return ids.compactMap { id in
      guard let stored = stored.found[id] else { return nil }
      func relays(_ status: RelayStatus) -> [RelayID: String] {
        let rows = stored.relays.filter { $0.record.status == status && stored.row.deletedAt == nil }
        return Dictionary(uniqueKeysWithValues: rows.compactMap { row in addresses[row.relay].map { (row.relay, $0) } })
      }
      return KnownChannel(
        id: id, content: stored.row.content, relays: relays(.active), lapsed: relays(.failed),
        isOwned: stored.row.isOwned,
        isEstablished: !stored.row.isOwned || stored.relays.contains { [.active, .inactive].contains($0.record.status) })
    }
  }
}
