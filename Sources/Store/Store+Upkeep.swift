public import Channels
internal import GRDB
public import Storage
internal import Synchronization

// Questions and writes for channels that have settled, and for forgetting old data.
extension Store {
  /// Channels that are active on `relay` and should be read back, the longest due first.
  public func channelsToVerify(
    on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet = .all
  ) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(
          db,
          cached: """
            SELECT channel_id FROM channel_relays
            WHERE relay_id = ? AND status = 'active' AND (task IS NULL OR task = 'announce' AND under_way = 0) AND check_due <= ?
              AND channel_id NOT IN (SELECT channel_id FROM quarantine)\(slots.condition())
            ORDER BY check_due LIMIT ?
            """, arguments: [relay.rawValue, now.milliseconds, limit]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// Channel relays that failed, or are inactive since `before`, of channels that heal themselves, in the order of channel and relay.
  /// - Parameter after: where the page before ended.
  public func lostRelays(
    before: Timestamp, after: (ChannelID, RelayID)?, limit: Int, among slots: SlotSet = .all
  ) throws -> [(ChannelID, RelayID)] {
    try reading { pool in
      try pool.read { db in
        try Row.fetchAll(
          db,
          cached: """
            SELECT r.channel_id, r.relay_id FROM channel_relays r JOIN channels c ON c.id = r.channel_id
            WHERE r.status IN ('failed', 'inactive') AND (r.status = 'failed' OR r.since <= ?) AND c.heal = 1
              AND c.deleted_at IS NULL AND (r.channel_id, r.relay_id) > (?, ?)\(slots.condition("r.channel_id"))
            ORDER BY r.channel_id, r.relay_id LIMIT ?
            """,
          arguments: [before.milliseconds, after?.0.rawValue ?? 0, after?.1.rawValue ?? 0, limit]
        ).map { (ChannelID(rawValue: $0["channel_id"]), RelayID(rawValue: $0["relay_id"])) }
      }
    }
  }

  /// The channel with the latest edition, among the other channels that share the key of `identity` and of which `relay` shows more than
  /// the first: a relay that keeps one edition per author had that one. It looks only at a few channels, with the latest editions.
  public func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) throws -> ChannelID? {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchOne(
          db,
          cached: """
            SELECT c.id FROM (
              SELECT id, notice_at FROM channels INDEXED BY channels_sharing
              WHERE identity_id = ? AND key_salt IS NULL AND notice_at IS NOT NULL AND deleted_at IS NULL AND kind = 'channel' AND id <> ?
              ORDER BY notice_at DESC LIMIT 64) c
            JOIN channel_relays r ON r.channel_id = c.id AND r.relay_id = ?
            WHERE r.status = 'active' AND r.shown > 1
            ORDER BY c.notice_at DESC LIMIT 1
            """, arguments: [identity.rawValue, channel.rawValue, relay.rawValue]
        ).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// How many relays of a channel were replaced between two times.
  public func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int {
    try reading { pool in
      try pool.read { db in
        try Int.fetchOne(
          db,
          cached:
            "SELECT count(*) FROM transitions WHERE channel_id = ? AND cause = 'replaced' AND to_status = 'removed' AND at BETWEEN ? AND ?",
          arguments: [channel.rawValue, since.milliseconds, now.milliseconds]) ?? 0
      }
    }
  }

  /// How many channels have `relay` as a member, still have to tell it that they left, or are followed and read from it.
  public func dependentCount(of relay: RelayID) throws -> Int {
    try reading { pool in
      try pool.read { db in
        let members = try Int.fetchOne(
          db, cached: "SELECT count(*) FROM channel_relays WHERE relay_id = ? AND (status <> 'removed' OR task IS NOT NULL)",
          arguments: [relay.rawValue])
        return try (members ?? 0) + Self.channelsOfOthers(readFrom: relay, db)
      }
    }
  }

  /// The daemon's latest commit that recorded a sign of life, or `nil` without one.
  public func lastSignOfLife() throws -> SignOfLife? {
    try reading { pool in
      try pool.read { db in
        // Earlier versions stored the time alone.
        let words = try Self.setting("probe", db)?.split(separator: " ") ?? []
        return words.first.flatMap { Int64($0) }.map { time in
          SignOfLife(at: Timestamp(milliseconds: time), commit: words.dropFirst().first.flatMap { UInt64($0) } ?? 0)
        }
      }
    }
  }

  /// The oldest revision after which all changes are still known.
  public func oldestRevision() throws -> Int64 {
    try reading { pool in try pool.read { db in Int64(try Self.setting("oldest_revision", db) ?? "0") ?? 0 } }
  }

  // MARK: - Inside a commit

  /// Records that a channel cannot be read.
  static func quarantine(_ channel: ChannelID, _ reason: String, _ at: Timestamp, _ db: Database) throws {
    try db.execute(
      sql: "INSERT INTO quarantine (channel_id, reason, at) VALUES (?, ?, ?) ON CONFLICT (channel_id) DO NOTHING",
      arguments: [channel.rawValue, reason, at.milliseconds])
  }

  /// Resets times that were written while the clock was ahead.
  static func clampTimes(_ now: Timestamp, _ latestVerifyDue: Timestamp, _ db: Database) throws {
    // This goes relay by relay, through the index: it must not walk a million settled channels at each start.
    for relay in try Int64.fetchAll(db, cached: "SELECT id FROM relays") {
      try db.execute(
        sql: """
          UPDATE channel_relays INDEXED BY channel_relays_to_check SET \(Self.setting("check_due"))
          WHERE relay_id = ? AND status = 'active' AND (task IS NULL OR task = 'announce' AND under_way = 0) AND check_due > ?
          """, arguments: [now.milliseconds, now.milliseconds, relay, latestVerifyDue.milliseconds])
    }
    try clampDeliveries(now, db)
    try clampComparisons(now, db)
    try db.execute(
      sql: """
        UPDATE channel_relays INDEXED BY channel_relays_lost SET \(Self.setting("since"))
        WHERE status IN ('failed', 'inactive') AND since > ?
        """, arguments: [now.milliseconds, now.milliseconds, now.milliseconds])
  }

  /// SQL that sets one column to a value, which is bound twice. The sum changes too, unless the row is damaged: damage must show.
  static func setting(_ column: String, of table: SummedTable = .channelRelays) -> String {
    let changed = table.columns.map { $0 == column ? "?" : $0 }.joined(separator: ", ")
    return "\(column) = ?, sum = CASE WHEN sum = \(table.expression) THEN row_sum(\(changed)) ELSE sum END"
  }

  /// Forgets which objects changed at or before `revision`.
  static func compactChanges(through revision: Int64, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM changes WHERE revision <= ?", arguments: [revision])
    try raiseOldestRevision(to: revision, db)
  }

  /// The sizes of the histories. `nil` for one that was not counted yet.
  struct HistorySizes {
    var channels: HistorySize?
    var posts: HistorySize?
  }

  /// How many transitions there are up to a revision.
  struct HistorySize {
    var rows: Int
    var through: Int64
  }

  /// Forgets transitions made before `end`, and the oldest ones in excess of `rowsMax`, at most `limit` of them.
  /// - Parameter size: how many there are.
  /// - Returns: how many were forgotten.
  static func forgetHistory(
    _ size: HistorySize, before end: Timestamp, rowsMax: Int, limit: Int, _ db: Database
  ) throws -> Int {
    let (gone, last) = try forget(.transitions, size, before: end, rowsMax: rowsMax, limit: limit, db)
    guard let last else { return 0 }
    try db.execute(sql: "DELETE FROM changes WHERE revision <= ?", arguments: [last])
    try raiseOldestRevision(to: last, db)
    return gone
  }

  /// Forgets rows of a table of transitions in the same way.
  /// - Returns: how many were forgotten, and the revision of the last of them.
  static func forget(
    _ table: SummedTable, _ size: HistorySize, before end: Timestamp, rowsMax: Int, limit: Int, _ db: Database
  ) throws -> (count: Int, last: Int64?) {
    let surplus = min(limit, max(0, size.rows - rowsMax))
    let last = try Int64.fetchOne(
      db,
      cached: """
        SELECT max(revision) FROM (SELECT revision, at, row_number() OVER (ORDER BY revision) AS number
          FROM \(table.name) ORDER BY revision LIMIT ?)
        WHERE at < ? OR number <= ?
        """, arguments: [limit, end.milliseconds, surplus])
    guard let last else { return (0, nil) }
    try db.execute(sql: "DELETE FROM \(table.name) WHERE revision <= ?", arguments: [last])
    return (db.changesCount, last)
  }

  /// Counts rows that are new since the last time. The first call after the start counts everything.
  static func historySize(_ table: SummedTable, since known: HistorySize?, _ db: Database) throws -> HistorySize {
    let through = try Int64.fetchOne(db, cached: "SELECT max(revision) FROM \(table.name)") ?? known?.through ?? 0
    guard let known else {
      return HistorySize(rows: try Int.fetchOne(db, cached: "SELECT count(*) FROM \(table.name)") ?? 0, through: through)
    }
    let new = try Int.fetchOne(db, cached: "SELECT count(*) FROM \(table.name) WHERE revision > ?", arguments: [known.through])
    return HistorySize(rows: known.rows + (new ?? 0), through: max(through, known.through))
  }

  static func raiseOldestRevision(to revision: Int64, _ db: Database) throws {
    let known = Int64(try Self.setting("oldest_revision", db) ?? "0") ?? 0
    guard revision > known else { return }
    try put("oldest_revision", String(revision), db)
  }
}
