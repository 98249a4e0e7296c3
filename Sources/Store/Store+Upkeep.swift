public import Channels
internal import GRDB

// What the daemon needs to look after channels that have settled, and to forget what is old.
extension Store {
  /// Channels that are active on `relay` and should be read back, the longest due first.
  public func channelsToCheck(on relay: RelayID, at now: Timestamp, limit: Int) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(
          db,
          sql: """
            SELECT channel_id FROM channel_relays
            WHERE relay_id = ? AND status = 'active' AND (task IS NULL OR task = 'announce' AND under_way = 0) AND check_due <= ?
              AND channel_id NOT IN (SELECT channel_id FROM quarantine)
            ORDER BY check_due LIMIT ?
            """, arguments: [relay.rawValue, now.milliseconds, limit]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// Channel relays that failed, or are inactive since `before`, of channels that heal themselves; in the order of channel and relay.
  /// - Parameter after: where the page before ended.
  public func lostRelays(
    before: Timestamp, after: (ChannelID, RelayID)?, limit: Int
  ) throws -> [(ChannelID, RelayID)] {
    try reading { pool in
      try pool.read { db in
        try Row.fetchAll(
          db,
          sql: """
            SELECT r.channel_id, r.relay_id FROM channel_relays r JOIN channels c ON c.id = r.channel_id
            WHERE r.status IN ('failed', 'inactive') AND (r.status = 'failed' OR r.since <= ?) AND c.heal = 1
              AND c.deleted_at IS NULL AND (r.channel_id, r.relay_id) > (?, ?)
            ORDER BY r.channel_id, r.relay_id LIMIT ?
            """,
          arguments: [before.milliseconds, after?.0.rawValue ?? 0, after?.1.rawValue ?? 0, limit]
        ).map { (ChannelID(rawValue: $0["channel_id"]), RelayID(rawValue: $0["relay_id"])) }
      }
    }
  }

  /// How many relays of a channel were replaced between two times.
  public func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int {
    try reading { pool in
      try pool.read { db in
        try Int.fetchOne(
          db,
          sql:
            "SELECT count(*) FROM transitions WHERE channel_id = ? AND cause = 'replaced' AND to_status = 'removed' AND at BETWEEN ? AND ?",
          arguments: [channel.rawValue, since.milliseconds, now.milliseconds]) ?? 0
      }
    }
  }

  /// How many channels have `relay` as a member, or still have to tell it that they left.
  public func dependentCount(of relay: RelayID) throws -> Int {
    try reading { pool in
      try pool.read { db in
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM channel_relays WHERE relay_id = ? AND (status <> 'removed' OR task IS NOT NULL)",
          arguments: [relay.rawValue]) ?? 0
      }
    }
  }

  /// Takes back times that a clock which was ahead has left behind: nothing may wait for them.
  /// - Parameter latestCheck: the last time for which a check can rightly be due.
  public func clampTimes(now: Timestamp, latestCheck: Timestamp) throws {
    try reading { pool in
      try pool.write { db in
        // Relay by relay, through the index: a million settled channels must not be walked at each start.
        for relay in try Int64.fetchAll(db, sql: "SELECT id FROM relays") {
          try db.execute(
            sql: """
              UPDATE channel_relays INDEXED BY channel_relays_to_check SET check_due = ?
              WHERE relay_id = ? AND status = 'active' AND (task IS NULL OR task = 'announce' AND under_way = 0) AND check_due > ?
              """, arguments: [now.milliseconds, relay, latestCheck.milliseconds])
        }
        try db.execute(
          sql: """
            UPDATE channel_relays INDEXED BY channel_relays_lost SET since = ?
            WHERE status IN ('failed', 'inactive') AND since > ?
            """, arguments: [now.milliseconds, now.milliseconds])
      }
    }
  }

  /// The oldest revision after which all changes are still known.
  public func oldestRevision() throws -> Int64 {
    try reading { pool in try pool.read { db in Int64(try Self.setting("oldest_revision", db) ?? "0") ?? 0 } }
  }

  /// Forgets which objects changed at or before `revision`; the history of channels stays.
  public func compactChanges(through revision: Int64) throws {
    try reading { pool in
      try pool.write { db in
        try db.execute(sql: "DELETE FROM changes WHERE revision <= ?", arguments: [revision])
        try Self.raiseOldestRevision(to: revision, db)
      }
    }
  }

  /// Forgets transitions that were made before `end`, the oldest first.
  /// - Parameter limit: how many are looked at, at most; more go the next time.
  /// - Returns: how many went.
  public func forgetHistory(before end: Timestamp, limit: Int) throws -> Int {
    try reading { pool in
      try pool.write { db in
        let last = try Int64.fetchOne(
          db,
          sql: "SELECT max(revision) FROM (SELECT revision, at FROM transitions ORDER BY revision LIMIT ?) WHERE at < ?",
          arguments: [limit, end.milliseconds])
        guard let last else { return 0 }
        try db.execute(sql: "DELETE FROM transitions WHERE revision <= ?", arguments: [last])
        let count = db.changesCount
        try db.execute(sql: "DELETE FROM changes WHERE revision <= ?", arguments: [last])
        try Self.raiseOldestRevision(to: last, db)
        return count
      }
    }
  }

  static func raiseOldestRevision(to revision: Int64, _ db: Database) throws {
    let known = Int64(try Self.setting("oldest_revision", db) ?? "0") ?? 0
    guard revision > known else { return }
    try db.execute(
      sql:
        "INSERT INTO settings (key, value) VALUES ('oldest_revision', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      arguments: [String(revision)])
  }
}
