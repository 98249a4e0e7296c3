internal import Channels
internal import RelayNetwork
public import Storage

/// Makes snapshots of channels from the state of relays, identities and networks at one moment. Use one maker for many snapshots, and
/// release it soon, because it keeps the catalog of that moment.
public struct SnapshotMaker: Sendable {
  let relays: [RelayID: RelayRow]
  let identities: [IdentityRow]
  let networkStates: [NetworkKind: NetworkState]
  let networks: [NetworkKind: any RelayNetwork]
  let addressing: [NetworkKind: any RelayAddressing]
  /// Whether this daemon can reach a channel.
  let canReach: @Sendable (ChannelID, NetworkKind) -> Bool

  /// A stored channel as clients see it.
  public func snapshot(_ stored: StoredChannel) -> ChannelSnapshot { snapshot(stored.row, stored.relays) }

  /// A channel as clients see it.
  func snapshot(_ row: ChannelRow, _ rows: [ChannelRelayRow]) -> ChannelSnapshot {
    let trouble = canReach(row.id, row.network) ? networkStates[row.network]?.trouble?.trouble : nil
    var counts = PhaseCounts(wanted: row.wantedRelays, isDeletionRequested: row.deletedAt != nil)
    var active: [String] = []
    var inactive: [String] = []
    var members: [ChannelSnapshot.Relay] = []
    members.reserveCapacity(rows.count)
    for relay in rows {
      let record = relay.record
      counts.add(record.status, hasWork: record.task != nil)
      if let link = record.relayLink {
        if record.status == .active { active.append(link) }
        if record.status == .inactive { inactive.append(link) }
      }
      members.append(
        ChannelSnapshot.Relay(
          id: relay.relay, name: relays[relay.relay]?.name ?? "relay \(relay.relay.rawValue)",
          relayOperator: relays[relay.relay]?.relayOperator, record: record,
          networkTrouble: record.task == nil ? nil : trouble))
    }
    let read = row.readFrom.filter { relays[$0]?.isDeleted == false }
    let serving = active.isEmpty ? inactive : active
    let link = link(of: row, hints: row.isOwned ? serving : read.compactMap { relays[$0]?.address })
    // Baton does not know whether the relays of a followed channel serve it.
    let isUsable = link != nil && (!row.isOwned || !active.isEmpty)
    return ChannelSnapshot(
      row: row, identityName: name(of: row.identity), phase: counts.phase, link: link, isLinkUsable: isUsable, relays: members,
      readFrom: read, isReadAsMember: !row.isOwned && addressing[row.network]?.readsAsMember == true,
      access: networks[row.network]?.access(to: row.content) ?? [])
  }

  private func name(of identity: IdentityID) -> String {
    identities.first { $0.id == identity }?.name ?? "identity \(identity.rawValue)"
  }

  /// The link that readers open. `nil` if no relay can serve the channel.
  private func link(of row: ChannelRow, hints: [String]) -> String? {
    guard !hints.isEmpty || !row.isOwned, row.deletedAt == nil else { return nil }
    let link =
      networks[row.network]?.link(of: row.content, activeRelays: hints) ?? addressing[row.network]?.fixedLink(of: row.content)
    // A network that makes the link itself may not have made it yet.
    return link?.isEmpty == true ? nil : link
  }
}
