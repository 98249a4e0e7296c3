public import Channels
internal import GRDB
public import Storage

// Figures about all channels.
extension Store {
  /// SQL that counts channels by the facts that decide their phase.
  package static func censusOfChannels(in dialect: ListDialect) -> String {
    func count(_ condition: String) -> String { "count(*) FILTER (WHERE \(condition))" }
    return """
      SELECT network, wanted, gone, active, under_way, inactive, failed, farewells, count(*) AS channels FROM (
        SELECT c.network, c.wanted_relays AS wanted, \(dialect.flag("c.deleted_at IS NOT NULL")) AS gone,
          \(count("r.status = 'active'")) AS active, \(count("r.status IN ('new', 'invited', 'accepted')")) AS under_way,
          \(count("r.status = 'inactive'")) AS inactive, \(count("r.status = 'failed'")) AS failed,
          \(count("r.status = 'removed' AND r.task IS NOT NULL")) AS farewells
        FROM channels c LEFT JOIN channel_relays r ON r.channel_id = c.id GROUP BY c.id) counted
      GROUP BY network, wanted, gone, active, under_way, inactive, failed, farewells
      """
  }

  /// SQL that counts relays of channels by relay and status.
  package static let censusOfMembers = """
    SELECT relay_id, status, count(*) FROM channel_relays WHERE status <> 'removed' GROUP BY relay_id, status
    """
  /// The same by cause, as far as there is one.
  package static let censusOfCauses = """
    SELECT relay_id, status, cause, count(*) FROM channel_relays WHERE cause IS NOT NULL AND status <> 'removed'
    GROUP BY relay_id, status, cause
    """

  /// SQL for when the longest attempt began that has not brought a channel to a relay yet.
  package static let oldestAttempt = """
    SELECT min(started_at) FROM channel_relays WHERE task IS NOT NULL AND status IN ('new', 'invited', 'accepted')
    """

  /// Channels that are counted together.
  /// - Parameter numbers: the columns of `censusOfChannels` behind the network.
  /// - Returns: `nil` if the network is unknown.
  package static func counted(_ network: String, _ numbers: [Int]) -> Census.Counted? {
    guard let network = NetworkKind(rawValue: network), numbers.count == 8 else { return nil }
    let counts = PhaseCounts(
      wanted: numbers[0], isDeletionRequested: numbers[1] != 0, active: numbers[2], underWay: numbers[3], inactive: numbers[4],
      failed: numbers[5], farewells: numbers[6])
    return Census.Counted(network: network, relays: counts, count: numbers[7])
  }

  /// How many channels there are by network and phase, and relays of them by status and cause.
  public func census() throws -> Census {
    try reading { pool in
      try pool.read { db in
        let channels = try Row.fetchAll(db, cached: Self.censusOfChannels(in: .sqlite)).compactMap { row in
          Self.counted(row[0], (1...8).map { row[$0] })
        }
        func members(_ sql: String, hasCause: Bool) throws -> [Census.Members] {
          try Row.fetchAll(db, cached: sql).compactMap { row in
            guard let status = RelayStatus(rawValue: row[1]) else { return nil }
            let cause = hasCause ? Cause(rawValue: row[2]) : nil
            guard !hasCause || cause != nil else { return nil }
            return Census.Members(
              relay: RelayID(rawValue: row[0]), status: status, cause: cause, count: row[hasCause ? 3 : 2])
          }
        }
        return try Census(
          channels: channels, members: members(Self.censusOfMembers, hasCause: false),
          causes: members(Self.censusOfCauses, hasCause: true),
          quarantined: Int.fetchOne(db, cached: "SELECT count(*) FROM quarantine") ?? 0,
          oldestAttempt: Int64.fetchOne(db, cached: Self.oldestAttempt).map(Timestamp.init(milliseconds:)),
          revision: Self.revision(db))
      }
    }
  }

  /// SQL for the revision behind which outcomes count. Without a result while there are few lines.
  package static let floorOfOutcomes = """
    SELECT revision FROM transitions ORDER BY revision DESC LIMIT 1 OFFSET \(RelayOutcomes.linesMax)
    """

  /// SQL for the outcomes of the history behind a revision, with the time since the relay was last asked again and where the channel stood
  /// then, and for the time of the first line behind it.
  /// - Parameter place: the parameter for the revision.
  package static func outcomes(after place: String) -> (outcomes: String, since: String) {
    (
      """
      SELECT t.relay_id, t.to_status, t.at - s.at, s.from_status
      FROM transitions t LEFT JOIN transitions s ON s.revision = (
        SELECT b.revision FROM transitions b WHERE b.channel_id = t.channel_id AND b.relay_id = t.relay_id
          AND b.to_status IN ('invited', 'accepted') AND b.from_status NOT IN ('invited', 'accepted') AND b.revision < t.revision
        ORDER BY b.revision DESC LIMIT 1)
      WHERE t.revision > \(place) AND t.from_status IN ('new', 'invited', 'accepted') AND t.to_status IN ('active', 'failed')
      """, "SELECT at FROM transitions WHERE revision > \(place) ORDER BY revision LIMIT 1"
    )
  }

  /// How channels fared on their way to relays.
  public func outcomes() throws -> RelayOutcomes {
    try reading { pool in
      try pool.read { db in
        let (sql, since) = Self.outcomes(after: "?")
        let floor: StatementArguments = [try Int64.fetchOne(db, cached: Self.floorOfOutcomes) ?? 0]
        var outcomes = RelayOutcomes()
        for row in try Row.fetchAll(db, cached: sql, arguments: floor) {
          outcomes.add(RelayID(rawValue: row[0]), isReached: row[1] == "active", milliseconds: row[2], from: row[3])
        }
        outcomes.since = try Int64.fetchOne(db, cached: since, arguments: floor).map(Timestamp.init(milliseconds:))
        outcomes.sort()
        return outcomes
      }
    }
  }

  /// The connections to all relays that are remembered, in milliseconds, the oldest first.
  public func roundTripsOfRelays() throws -> [RelayID: [Int64]] {
    try reading { pool in
      try pool.read { db in
        let rows = try Row.fetchAll(
          db, cached: "SELECT peer_id, ms FROM round_trips WHERE peer = 'relay' ORDER BY peer_id, number")
        return Dictionary(grouping: rows) { RelayID(rawValue: $0[0]) }.mapValues { $0.map { $0[1] } }
      }
    }
  }
}
