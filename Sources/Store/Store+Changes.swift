internal import Channels
internal import GRDB
public import Storage

// The changes, for subscribers that catch up.
extension Store {
  /// Changes after `revision`, oldest first.
  /// - Parameter limit: how many at most.
  /// - Throws: `corrupt` when one of them differs from the change that was written.
  public func changes(after revision: Int64, limit: Int) throws -> [ChangeRow] {
    try reading { pool in
      try pool.read { db in
        try Self.changes(
          db, "SELECT * FROM transitions WHERE revision > ? ORDER BY revision LIMIT ?",
          "SELECT * FROM changes WHERE revision > ? ORDER BY revision LIMIT ?", [revision, limit], limit)
      }
    }
  }

  /// The newest change of each operator, server, relay and channel, and the newest transition of each relay of a channel.
  /// - Parameters:
  ///   - end: the last revision of interest.
  ///   - limit: how many at most.
  /// - Throws: `corrupt` when one of them differs from the change that was written.
  public func newestChanges(after revision: Int64, through end: Int64, limit: Int) throws -> [ChangeRow] {
    try reading { pool in
      try pool.read { db in
        try Self.changes(db, Self.newestTransitions, Self.newestOthers, [revision, end, limit], limit)
      }
    }
  }

  // A damaged row may only seem to be followed by a later one: it is included too, so that the damage shows.

  private static let newestTransitions = """
    SELECT * FROM transitions WHERE revision > ? AND revision <= ? AND (
      NOT EXISTS (
        SELECT 1 FROM transitions AS later INDEXED BY transitions_of_channel
        WHERE later.channel_id = transitions.channel_id AND later.revision > transitions.revision
          AND later.relay_id = transitions.relay_id)
      OR sum IS NOT \(SummedTable.transitions.expression))
    ORDER BY revision LIMIT ?
    """

  /// An object's own revision is the revision of its newest change.
  private static let newestOthers: String = {
    let later = [("channels", "channel_id"), ("relays", "relay_id"), ("operators", "operator_id"), ("servers", "server_id")]
      .map { table, id in
        "EXISTS (SELECT 1 FROM \(table) AS later WHERE later.id = changes.\(id) AND later.revision > changes.revision)"
      }
    return """
      SELECT * FROM changes WHERE revision > ? AND revision <= ? AND (
        NOT (\(later.joined(separator: " OR "))) OR sum IS NOT \(SummedTable.changes.expression))
      ORDER BY revision LIMIT ?
      """
  }()

  private static func changes(
    _ db: Database, _ transitions: String, _ others: String, _ arguments: StatementArguments, _ limit: Int
  ) throws -> [ChangeRow] {
    var rows = try read(db, cached: transitions, arguments: arguments) { values in
      let transition = try TransitionRow(&values)
      return ChangeRow(revision: transition.revision, at: transition.transition.at, object: .channelRelay(transition))
    }
    rows += try read(db, cached: others, arguments: arguments) { try ChangeRow(&$0) }.compactMap { $0 }
    return Array(rows.sorted { $0.revision < $1.revision }.prefix(limit))
  }
}
