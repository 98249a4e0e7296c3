public import Channels
public import Storage

/// What the engine of channels would have written, for tests that do without it.
public enum ChannelRows {
  public static let identity = IdentityID(rawValue: 1)

  /// Fields by which all channels are sorted for each page, because no store has an index with their order: each index makes every change of a
  /// channel slower. What is derived from other rows or kept elsewhere can have none.
  public static let fieldsWithoutIndex: Set<String> = [
    "edition", "revision", "wantedRelays", "heal", "owned", "linkUsable", "kind", "network", "identity", "key", "phase",
    "lastPostAt", "profile.fullName", "profile.description", "profile.image", "muted", "pinned", "frozen",
    "truncatedAt", "followed", "followDays", "followCount", "followKeep", "hidden", "unread", "unreadMentions", "memberCount",
    "lastMessageAt",
  ]

  /// The identity, and relays at `ws://r1`, `ws://r2` and so on.
  public static func catalog(relays count: Int, at now: Timestamp) -> [StoreMutation] {
    let identity = IdentityRow(
      id: identity, name: "main", network: .nostr, publicName: "key", sealedKey: [1], createdAt: now)
    return [.insertIdentity(identity)]
      + (1...count).flatMap { number -> [StoreMutation] in
        let (name, revision) = ("r\(number)", PendingRevision.at(number))
        let relay = RelayID(rawValue: Int64(number))
        return [
          .appendChange(ChangeRow(revision: revision, at: now, object: .relay(relay))),
          .saveRelay(
            RelayRow(
              id: relay, network: .nostr, address: "ws://\(name)", host: name, comparisonKey: "ws://\(name)", name: name,
              revision: revision)),
        ]
      }
  }

  /// A channel that is active on these relays, in a commit of its own.
  public static func channel(_ id: ChannelID, on relays: [RelayID], at now: Timestamp) -> [StoreMutation] {
    let row = ChannelRow(
      id: id, kind: .channel, network: .nostr, identity: identity, profile: Profile(displayName: "Channel \(id.rawValue)"),
      preferences: nil, networkID: "event \(id.rawValue)", trustAnchor: "key", document: "channel \(id.rawValue)",
      wantedRelays: relays.count, heal: false, custom: nil, idempotencyKey: nil, createdAt: now, updatedAt: now,
      revision: PendingRevision.at(1), relayCount: relays.count, keySalt: [1])
    return [
      .insertChannel(row), .appendChange(ChangeRow(revision: row.revision, at: now, object: .channel(id))),
    ]
      + relays.enumerated().map { place, relay in
        .saveChannelRelay(id, position: place, ChannelRelayRow(relay: relay, record: active(relay, at: now)))
      }
  }

  /// The channel gets a relay, or leaves one, in a commit of its own.
  public static func change(
    _ channel: StoredChannel, _ relay: RelayID, isMember: Bool, at now: Timestamp
  ) -> [StoreMutation] {
    let place = channel.relays.firstIndex { $0.relay == relay } ?? channel.relays.count
    var row = channel.row
    (row.revision, row.updatedAt) = (PendingRevision.at(1), now)
    row.relayCount = max(channel.relays.count, place + 1)
    let record = isMember ? active(relay, at: now) : removed(at: now)
    return [
      .touchChannel(row), .appendChange(ChangeRow(revision: row.revision, at: now, object: .channel(row.id))),
      .saveChannelRelay(row.id, position: place, ChannelRelayRow(relay: relay, record: record)),
    ]
  }

  private static func active(_ relay: RelayID, at now: Timestamp) -> ChannelRelayRecord {
    ChannelRelayRecord(
      status: .active, since: now, operation: 1, relayLink: "ws://r\(relay.rawValue)", trouble: nil, task: nil, attempt: 0,
      startedAt: nil, isUnderWay: false, timer: nil, verifyDue: now + .seconds(3_600), shown: 1)
  }

  private static func removed(at now: Timestamp) -> ChannelRelayRecord {
    ChannelRelayRecord(
      status: .removed, since: now, operation: 2, relayLink: nil, trouble: nil, task: nil, attempt: 0, startedAt: nil,
      isUnderWay: false, timer: nil)
  }
}
