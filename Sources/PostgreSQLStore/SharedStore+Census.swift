public import Channels
internal import PostgreSQL
public import Storage
internal import Store

// Figures about all channels.
extension SharedStore {
  public func census() async throws -> Census {
    let rows = try await asking(.vital).ask([
      SQLStatement(Store.censusOfChannels(in: .postgreSQL)), SQLStatement(Store.censusOfMembers),
      SQLStatement(Store.censusOfCauses), CommitScript.end, SQLStatement("SELECT count(*) FROM quarantine"),
      SQLStatement(Store.oldestAttempt),
    ])
    let channels = (0..<rows[0].count).compactMap { row in
      Store.counted(rows[0].text(row, 0) ?? "", (1...8).map { Int(rows[0].int(row, $0) ?? 0) })
    }
    return Census(
      channels: channels, members: Self.members(rows[1], hasCause: false), causes: Self.members(rows[2], hasCause: true),
      quarantined: Int(rows[4].int(0, 0) ?? 0), oldestAttempt: rows[5].int(0, 0).map(Timestamp.init(milliseconds:)),
      revision: rows[3].int(0, 0) ?? 0)
  }

  private static func members(_ rows: SQLRows, hasCause: Bool) -> [Census.Members] {
    (0..<rows.count).compactMap { row in
      guard let status = rows.text(row, 1).flatMap(RelayStatus.init(rawValue:)) else { return nil }
      let cause = hasCause ? rows.text(row, 2).flatMap(Cause.init(rawValue:)) : nil
      guard !hasCause || cause != nil else { return nil }
      return Census.Members(
        relay: RelayID(rawValue: rows.int(row, 0) ?? 0), status: status, cause: cause,
        count: Int(rows.int(row, hasCause ? 3 : 2) ?? 0))
    }
  }

  public func outcomes() async throws -> RelayOutcomes {
    let floor = SQLValue.int(try await asking(.vital).ask(Store.floorOfOutcomes).int(0, 0) ?? 0)
    let (sql, since) = Store.outcomes(after: "$1")
    let rows = try await asking(.vital).ask([SQLStatement(sql, [floor]), SQLStatement(since, [floor])])
    var outcomes = RelayOutcomes()
    for row in 0..<rows[0].count {
      outcomes.add(
        RelayID(rawValue: rows[0].int(row, 0) ?? 0), isReached: rows[0].text(row, 1) == "active",
        milliseconds: rows[0].int(row, 2), from: rows[0].text(row, 3))
    }
    outcomes.since = rows[1].int(0, 0).map(Timestamp.init(milliseconds:))
    outcomes.sort()
    return outcomes
  }

  public func roundTripsOfRelays() async throws -> [RelayID: [Int64]] {
    let rows = try await asking(.vital).ask("SELECT peer_id, ms FROM round_trips WHERE peer = 'relay' ORDER BY peer_id, number")
    var all: [RelayID: [Int64]] = [:]
    for row in 0..<rows.count {
      all[RelayID(rawValue: rows.int(row, 0) ?? 0), default: []].append(rows.int(row, 1) ?? 0)
    }
    return all
  }
}
