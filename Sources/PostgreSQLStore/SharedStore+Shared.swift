internal import Channels
internal import PostgreSQL
public import Storage
internal import Store

extension SharedStore: SharedReading {
  public func end() async throws -> SharedEnd {
    let rows = try await ask([
      CommitScript.end, SQLStatement("SELECT count(*), count(*) FILTER (WHERE removed = 1) FROM identities"),
      SQLStatement("SELECT coalesce(max(revision), 0) FROM decisions"),
    ])
    let end = SharedEnd(
      revision: rows[0].int(0, 0) ?? 0, postRevision: rows[0].int(0, 2) ?? 0, identities: rows[1].int(0, 0) ?? 0,
      removedIdentities: rows[1].int(0, 1) ?? 0, decisionRevision: rows[2].int(0, 0) ?? 0)
    let last = rows[0].int(0, 4).flatMap { session in
      rows[0].int(0, 5).map { TableStatements.Commit(session: session, number: $0) }
    }
    known.note(end.revision, end.postRevision, last)
    return end
  }
}

extension SharedStore: DecisionStorage {
  public func decisions(after revision: Int64, limit: Int) async throws -> [PersonalDecision] {
    try await ask(
      "\(TableStatements.decisions.selection) WHERE revision > $1 ORDER BY revision LIMIT $2",
      [.int(revision), .int(Int64(limit))]
    ).map { try PersonalDecision(&$0) }
  }
}

extension SharedStore: ControlStorage {
  /// Nothing is looked at in the background: a server whose cluster has checksums of its pages notices damage by itself.
  public var damageFound: [String] { [] }

  public func check() async throws -> (channels: Int, problems: [String]) {
    var (count, problems): (Int, [String]) = (0, [])
    var last: Int64 = 0
    while true {
      let ids = try await channelIDs(
        "SELECT id FROM channels WHERE id > $1 ORDER BY id LIMIT $2", [.int(last), .int(Int64(Self.checkedAtOnce))])
      guard let end = ids.last else { return (count, problems) }
      let read = try await channels(Set(ids))
      for (id, error) in read.unreadable.sorted(by: { $0.key < $1.key }) where problems.count < Self.problemsMax {
        problems.append("channel \(id.rawValue): \(error)")
      }
      count += ids.count
      last = end.rawValue
    }
  }

  private static let checkedAtOnce = 500
  private static let problemsMax = 100

  public func makeCopy() async throws -> String {
    throw StoreError(
      .notAccessible,
      "the database is in PostgreSQL, where other programs make copies of it: pg_dump, or pg_basebackup for all of the server")
  }
}
