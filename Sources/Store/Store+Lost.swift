public import Channels
internal import GRDB
public import Storage

// Channels that lack relays, and why.
extension Store {
  /// Channels that `relay` failed, by id, each with whether it may have the relay again: it heals, the cause is one of `causes`, and that
  /// was before `before`.
  /// - Parameter after: where the page before ended.
  public func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet = .all
  ) throws -> [(ChannelID, mayReturn: Bool)] {
    try reading { pool in
      try pool.read { db in
        try Row.fetchAll(
          db,
          cached: """
            SELECT r.channel_id, r.cause, r.since < ? AND c.heal = 1 AND c.deleted_at IS NULL AS may_return
            FROM channel_relays r JOIN channels c ON c.id = r.channel_id
            WHERE r.relay_id = ? AND r.status = 'failed' AND r.channel_id > ?\(slots.condition("r.channel_id"))
            ORDER BY r.channel_id LIMIT ?
            """, arguments: [before.milliseconds, relay.rawValue, after?.rawValue ?? 0, limit]
        ).map { row in
          let cause = (row["cause"] as String?).flatMap(Cause.init(rawValue:))
          return (ChannelID(rawValue: row["channel_id"]), row["may_return"] && cause.map(causes.contains) == true)
        }
      }
    }
  }

  /// Where channels lack relays, by relay. Deleted channels are left out.
  public func losses() throws -> [ChannelLoss] {
    try reading { pool in
      try pool.read { db in
        try Row.fetchAll(
          db,
          cached: """
            SELECT r.relay_id, r.status, r.cause, count(*) AS channels, sum(c.heal) AS healing
            FROM channel_relays r INDEXED BY channel_relays_lost JOIN channels c ON c.id = r.channel_id
            WHERE r.status IN ('failed', 'inactive') AND c.deleted_at IS NULL
            GROUP BY r.relay_id, r.status, r.cause ORDER BY r.relay_id, r.status, r.cause
            """
        ).compactMap { row in
          guard let status = RelayStatus(rawValue: row["status"]) else { return nil }
          return ChannelLoss(
            relay: RelayID(rawValue: row["relay_id"]), status: status,
            cause: (row["cause"] as String?).flatMap(Cause.init(rawValue:)), channels: row["channels"], healing: row["healing"])
        }
      }
    }
  }

  /// How many channels work on no relay at all, with nothing under way.
  public func failedChannelCount() throws -> Int {
    guard let column = ChannelColumn(["phase"]), case .word(let phase) = column,
      let narrowing = ChannelColumn.narrowing(["failed"])
    else { return 0 }
    return try reading { pool in
      try pool.read { db in
        try Int.fetchOne(
          db, cached: "SELECT count(*) FROM channels c WHERE c.deleted_at IS NULL AND \(narrowing) AND \(phase) = 'failed'")
          ?? 0
      }
    }
  }
}
