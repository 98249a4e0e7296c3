public import Channels
internal import GRDB
public import Storage

extension Store {
  public func counters() throws -> StoreCounters {
    try reading { pool in
      try pool.read { db in
        StoreCounters(
          revision: try Self.revision(db), channel: try Self.lastID(.channels, db), operator: try Self.lastID(.operators, db),
          server: try Self.lastID(.servers, db), relay: try Self.lastID(.relays, db),
          identity: try Self.lastID(.identities, db))
      }
    }
  }

  public func identities() throws -> [IdentityRow] {
    try reading { pool in
      try pool.read { db in
        try Self.rows(.identities, db) { try IdentityRow(&$0) }.compactMap { $0 }
      }
    }
  }

  /// A channel with its relays, or `nil` if it does not exist. Throws `corrupt` when its rows contradict each other.
  public func channel(_ id: ChannelID) throws -> StoredChannel? {
    try reading { pool in try pool.read { db in try ChannelReader(db).channel(id) } }
  }

  /// These channels with their relays. A channel that is damaged does not fail the others.
  public func channels(_ ids: Set<ChannelID>) throws -> StoredChannels {
    try reading { pool in
      try pool.read { db in
        let reader = try ChannelReader(db)
        var channels = StoredChannels()
        for id in ids.sorted() {
          do { channels.found[id] = try reader.channel(id) } catch {
            let error = noted(error)
            guard error.code == .corrupt else { throw error }
            channels.unreadable[id] = error
          }
        }
        return channels
      }
    }
  }

  /// The channel that was created with `idempotencyKey`.
  public func channel(idempotencyKey: String) throws -> ChannelID? {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchOne(db, cached: "SELECT id FROM channels WHERE idempotency_key = ?", arguments: [idempotencyKey])
          .map(ChannelID.init(rawValue:))
      }
    }
  }

  /// Channels with this name on a network that were not deleted, by id.
  public func livingChannels(named name: ChannelName, limit: Int) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        // Channels in a core have their own index, which has deleted ones too.
        let other = name.network == .simplex ? "=" : "<>"
        return try Int64.fetchAll(
          db,
          cached: """
            SELECT id FROM channels
            WHERE network_id = ? AND network = ? AND deleted_at IS NULL AND network \(other) 'simplex' ORDER BY id LIMIT ?
            """,
          arguments: [name.networkID, name.network.rawValue, limit]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// The channels named `name`, deleted ones left out, by id.
  /// - Parameter limit: how many at most.
  public func channels(named name: String, limit: Int) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(
          db, cached: "SELECT id FROM channels WHERE display_name = ? AND deleted_at IS NULL ORDER BY id LIMIT ?",
          arguments: [name, limit]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// The channel that a SimpleX core knows under `networkID`, deleted ones included.
  public func channel(onSimpleX networkID: String, among slots: SlotSet = .all) throws -> ChannelID? {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchOne(
          db,
          cached:
            "SELECT id FROM channels WHERE network = 'simplex' AND network_id = ?\(slots.condition("id")) ORDER BY id DESC",
          arguments: [networkID]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// Channels that were not deleted, by id, from the first after `after` on.
  public func livingChannels(after: ChannelID?, limit: Int) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(
          db,
          cached: "SELECT id FROM channels INDEXED BY channels_alive WHERE deleted_at IS NULL AND id > ? ORDER BY id LIMIT ?",
          arguments: [after?.rawValue ?? 0, limit]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// Living channels on SimpleX that at least one relay serves, served, or did not accept in time, and followed channels, by id.
  public func channelsServedOnSimpleX(after: ChannelID?, limit: Int, among slots: SlotSet = .all) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(
          db,
          cached: """
            SELECT id FROM channels INDEXED BY channels_by_core_name
            WHERE network = 'simplex' AND deleted_at IS NULL AND id > ?\(slots.condition("id"))
              AND (
                wanted_relays = 0
                OR EXISTS (
                  SELECT 1 FROM channel_relays WHERE channel_id = channels.id AND status IN ('active', 'inactive', 'failed')))
            ORDER BY id LIMIT ?
            """, arguments: [after?.rawValue ?? 0, limit]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// Channels with something left to do, in the order of their ids.
  public func unfinishedChannels(among slots: SlotSet = .all) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(
          db,
          cached: """
            SELECT DISTINCT channel_id FROM channel_relays WHERE task IS NOT NULL\(slots.condition()) ORDER BY channel_id
            """
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// Channels that have `relay` in `status`, by id.
  public func channels(
    of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int, among slots: SlotSet = .all
  ) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(
          db,
          cached: """
            SELECT channel_id FROM channel_relays
            WHERE relay_id = ? AND status = ? AND channel_id > ?\(slots.condition()) ORDER BY channel_id LIMIT ?
            """,
          arguments: [relay.rawValue, status.rawValue, after?.rawValue ?? 0, limit]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// How many channels have `relay` as a member that was not removed, or are followed and read from it.
  public func channelCount(of relay: RelayID) throws -> Int {
    try reading { pool in
      try pool.read { db in
        let members = try Int.fetchOne(
          db, cached: "SELECT count(*) FROM channel_relays WHERE relay_id = ? AND status <> 'removed'",
          arguments: [relay.rawValue])
        return try (members ?? 0) + Self.channelsOfOthers(readFrom: relay, db)
      }
    }
  }

  /// How many followed channels are read from a relay.
  static func channelsOfOthers(readFrom relay: RelayID, _ db: Database) throws -> Int {
    try Int.fetchOne(
      db,
      cached: """
        SELECT count(*) FROM channels INDEXED BY channels_of_others
        WHERE wanted_relays = 0 AND deleted_at IS NULL AND instr(' ' || listed || ' ', ' ' || ? || ' ') > 0
        """, arguments: [relay.rawValue]) ?? 0
  }

  /// How many channels have each of `relays` as a member that was not removed. Relays that no channel has are left out.
  public func channelCounts(of relays: [RelayID]) throws -> [RelayID: Int] {
    let places = relays.map { _ in "?" }.joined(separator: ", ")
    return try reading { pool in
      try pool.read { db in
        let rows = try Row.fetchAll(
          db,
          sql: """
            SELECT relay_id, count(*) FROM channel_relays WHERE relay_id IN (\(places)) AND status <> 'removed' GROUP BY relay_id
            """, arguments: StatementArguments(relays.map(\.rawValue)))
        return Dictionary(uniqueKeysWithValues: rows.map { (RelayID(rawValue: $0[0]), $0[1]) })
      }
    }
  }

  /// The same for all relays. It walks through an index of all channel relays.
  public func channelCounts(among slots: SlotSet = .all) throws -> [RelayID: Int] {
    try reading { pool in
      try pool.read { db in
        let rows = try Row.fetchAll(
          db,
          sql: """
            SELECT relay_id, count(*) FROM channel_relays WHERE status <> 'removed'\(slots.condition()) GROUP BY relay_id
            """)
        return Dictionary(uniqueKeysWithValues: rows.map { (RelayID(rawValue: $0[0]), $0[1]) })
      }
    }
  }

  /// How many channels an identity owns, without deleted channels that have told all relays.
  public func channelCount(of identity: IdentityID) throws -> Int {
    try reading { pool in try pool.read { db in try Self.channelCount(of: identity, db) } }
  }

  /// The same for several identities.
  public func channelCounts(of identities: [IdentityID]) throws -> [IdentityID: Int] {
    try reading { pool in
      try pool.read { db in
        var counts: [IdentityID: Int] = [:]
        for identity in identities { counts[identity] = try Self.channelCount(of: identity, db) }
        return counts
      }
    }
  }

  private static func channelCount(of identity: IdentityID, _ db: Database) throws -> Int {
    try Int.fetchOne(
      db,
      cached: """
        SELECT count(*) FROM channels c WHERE identity_id = ? AND (deleted_at IS NULL OR EXISTS
          (SELECT 1 FROM channel_relays r WHERE r.channel_id = c.id AND r.task IS NOT NULL))
        """, arguments: [identity.rawValue]) ?? 0
  }

  /// How many channel relays are in each status, and how many channels there are, deleted ones left out.
  public func totals() throws -> (channels: Int, relays: [RelayStatus: Int], quarantined: Int) {
    try reading { pool in
      try pool.read { db in
        var relays: [RelayStatus: Int] = [:]
        for row in try Row.fetchAll(db, cached: "SELECT status, count(*) AS n FROM channel_relays GROUP BY status") {
          if let status = RelayStatus(rawValue: row["status"]) { relays[status] = row["n"] }
        }
        return (
          try Int.fetchOne(db, cached: "SELECT count(*) FROM channels WHERE deleted_at IS NULL") ?? 0, relays,
          try Int.fetchOne(db, cached: "SELECT count(*) FROM quarantine") ?? 0
        )
      }
    }
  }

  /// The latest lines of a channel's history, oldest first.
  public func transitions(of channel: ChannelID, limit: Int) throws -> [TransitionRow] {
    try reading { pool in
      try pool.read { db in
        try Self.read(
          db,
          cached:
            "SELECT * FROM (SELECT * FROM transitions WHERE channel_id = ? ORDER BY revision DESC LIMIT ?) ORDER BY revision",
          arguments: [channel.rawValue, limit]
        ) { try TransitionRow(&$0) }
      }
    }
  }

  /// A number that this installation drew once, to spread retries and choices.
  public func installationSeed(_ draw: () -> UInt64) throws -> UInt64 {
    try reading { pool in
      try pool.write { db in
        if let text = try Self.setting("seed", db), let seed = UInt64(text) { return seed }
        let seed = draw()
        try Self.put("seed", String(seed), db)
        return seed
      }
    }
  }

  // MARK: - Rows

  static func setting(_ key: String, _ db: Database) throws -> String? {
    // The column is read by position: if its name was damaged, no column has this name.
    try Row.fetchOne(db, cached: "SELECT key, value, sum FROM settings WHERE key = ?", arguments: [key]).map {
      try SummedTable.settings.verified($0)[1]
    }
  }

  /// The newest revision that was given out, even if it was forgotten, or left out by a restore.
  static func revision(_ db: Database) throws -> Int64 {
    func top(_ sql: String) throws -> Int64 { try Int64.fetchOne(db, cached: sql) ?? 0 }
    return try max(
      top("SELECT max(revision) FROM transitions"), top("SELECT max(revision) FROM changes"),
      Int64(setting("oldest_revision", db) ?? "0") ?? 0)
  }
}
