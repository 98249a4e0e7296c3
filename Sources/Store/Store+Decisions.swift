internal import Channels
internal import GRDB
public import Storage

// People's decisions about messages.
extension Store {
  /// Decisions after `revision`, oldest first. Damaged ones are noted and left out.
  /// - Parameter limit: how many at most, at least 1.
  public func decisions(after revision: Int64, limit: Int) throws -> [PersonalDecision] {
    try reading { pool in
      try pool.read { db in
        var (found, after): ([PersonalDecision], Int64?) = ([], revision)
        // A page of damaged ones does not look like the end.
        while found.isEmpty, let place = after {
          (found, after) = try readIntact(
            db, cached: "\(SummedTable.decisions.selection) WHERE revision > ? ORDER BY revision LIMIT ?",
            arguments: [place.databaseValue, limit.databaseValue], limit: limit
          ) { try PersonalDecision(&$0) }
        }
        return found
      }
    }
  }

  /// Stores a decision behind all others, in place of an earlier one about the same.
  static func decide(_ decision: PersonalDecision, _ db: Database) throws {
    let last = try Int64.fetchOne(db, sql: "SELECT max(revision) FROM decisions") ?? 0
    try run(
      db, "DELETE FROM decisions WHERE channel_id = ? AND name = ? AND kind = ?",
      [decision.channel.rawValue, decision.name, decision.kind.rawValue])
    try upsert(
      .decisions,
      values(
        last + 1, decision.kind.rawValue, decision.channel.rawValue, decision.name, decision.at?.milliseconds, decision.message),
      db)
  }
}

extension PersonalDecision {
  /// The row that `values` reads, in the order of `SummedTable.decisions`.
  /// - Throws: `StoreError.corrupt` when the row was changed on the disk, or has an unknown word.
  package init(_ values: inout some RowSource) throws {
    let (revision, word, channel) = (values.integer(), values.text(), values.integer())
    let (name, at, message) = (values.text(), values.timeIfAny(), values.textIfAny())
    try values.end(.decisions)
    guard let kind = Kind(rawValue: word) else { throw values.unreadable(.decisions) }
    self.init(kind, channel: ChannelID(rawValue: channel), name: name, at: at, message: message, revision: revision)
  }
}

extension CoordinatorStore: DecisionStorage {
  public func decisions(after revision: Int64, limit: Int) async throws -> [PersonalDecision] {
    try await queue.ask { try $0.decisions(after: revision, limit: limit) }
  }
}
