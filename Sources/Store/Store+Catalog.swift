internal import Channels
internal import Foundation
internal import GRDB
public import Storage
internal import StrictJSON

// Operators, servers and relays.
extension Store {
  /// Connections that are remembered for each relay and server.
  public static let roundTripsMax = 100

  public func operators() throws -> [OperatorRow] {
    try reading { pool in
      try pool.read { db in try Self.rows(.operators, db).map(Self.organisation) }
    }
  }

  public func servers() throws -> [ServerRow] {
    try reading { pool in
      try pool.read { db in
        try Self.rows(.servers, db).map { row in
          guard let server = Self.server(row) else { throw Self.unreadable(.servers, row) }
          return server
        }
      }
    }
  }

  public func relays() throws -> [RelayRow] {
    try reading { pool in
      try pool.read { db in
        try Self.rows(.relays, db).map { row in
          guard let relay = Self.relay(row) else { throw Self.unreadable(.relays, row) }
          return relay
        }
      }
    }
  }

  /// The latest connections to a relay or server, oldest first, at most `roundTripsMax`.
  public func roundTrips(of peer: Probed) throws -> [MeasuredConnection] {
    let (kind, id) = Self.key(peer)
    return try reading { pool in
      try pool.read { db in
        try Row.fetchAll(
          db, cached: "SELECT at, ms FROM round_trips WHERE peer = ? AND peer_id = ? ORDER BY number", arguments: [kind, id]
        ).map { MeasuredConnection(at: Timestamp(milliseconds: $0["at"]), milliseconds: $0["ms"]) }
      }
    }
  }

  /// All rows of a table, each of them checked, in the order of its key.
  static func rows(_ table: SummedTable, _ db: Database) throws -> [Row] {
    try Row.fetchAll(db, cached: "\(table.selection) ORDER BY \(table.key.joined(separator: ", "))").map(table.verified)
  }

  /// A row that is what was written but holds an unknown word.
  static func unreadable(_ table: SummedTable, _ row: Row) -> StoreError {
    StoreError(.corrupt, "\(table.title(row)) cannot be read")
  }

  // MARK: - Writing

  // `base` is the revision from which pending ones are counted.

  static func record(_ peer: Probed, _ at: Timestamp, _ milliseconds: Int64, _ db: Database) throws {
    let (kind, id) = key(peer)
    let top = "SELECT coalesce(max(number), 0) FROM round_trips WHERE peer = ? AND peer_id = ?"
    let number = (try Int64.fetchOne(db.cachedStatement(sql: top), arguments: [kind, id]) ?? 0) + 1
    try run(
      db, "INSERT INTO round_trips (peer, peer_id, number, at, ms) VALUES (?, ?, ?, ?, ?)",
      [kind, id, number, at.milliseconds, milliseconds])
    try run(
      db, "DELETE FROM round_trips WHERE peer = ? AND peer_id = ? AND number <= ?", [kind, id, number - Int64(roundTripsMax)])
  }

  private static func key(_ peer: Probed) -> (String, Int64) {
    switch peer {
    case .relay(let id): ("relay", id.rawValue)
    case .server(let id): ("server", id.rawValue)
    }
  }

  static func save(_ row: OperatorRow, base: Int64, _ db: Database) throws {
    try upsert(
      .operators,
      values(
        row.id.rawValue, row.name, row.legalName, text(row.domains), row.isEnabled, row.isDeleted, row.smpRoles.storage,
        row.smpRoles.proxy, row.smpRoles.names, row.xftpRoles.storage, row.xftpRoles.proxy,
        row.conditionsAcceptedAt?.milliseconds, row.origin.isPreset, row.origin.isUndeclared, row.origin.file,
        row.origin.declaration?.text, PendingRevision.settled(row.revision, base: base)), db)
  }

  static func save(_ row: ServerRow, base: Int64, _ db: Database) throws {
    let (condition, origin) = (row.condition, row.origin)
    try upsert(
      .servers,
      values(
        row.id.rawValue, row.transport.rawValue, row.address, row.fingerprint, text(row.hosts), row.port,
        row.sealedPassword.map { Data($0) }, row.serverOperator?.rawValue, row.isOperatorAssigned, row.isEnabled, row.isDeleted,
        row.roles.storage, row.roles.proxy, row.roles.names, condition.tested, condition.testedAt?.milliseconds,
        condition.fullyTestedAt?.milliseconds, condition.health.rawValue, condition.healthSince?.milliseconds,
        condition.lastError, condition.fault, condition.roundTripMilliseconds, condition.failures,
        condition.failedAt?.milliseconds, origin.isPreset, origin.isUndeclared, origin.file, origin.declaration?.text,
        PendingRevision.settled(row.revision, base: base)), db)
  }

  static func save(_ row: RelayRow, base: Int64, _ db: Database) throws {
    var profile: JSONValue?
    if let known = row.profile {
      let members = ["name": known.name, "text": known.text, "software": known.software]
      profile = .object(members.compactMapValues { $0.map(JSONValue.string) })
    }
    let (condition, origin) = (row.condition, row.origin)
    try upsert(
      .relays,
      values(
        row.id.rawValue, row.network.rawValue, row.address, row.name, row.relayOperator?.rawValue, row.isEnabled,
        origin.isPreset, row.isDeleted, condition.tested, condition.testedAt?.milliseconds, condition.health.rawValue,
        condition.healthSince?.milliseconds, condition.lastError, condition.roundTripMilliseconds,
        PendingRevision.settled(row.revision, base: base), row.host,
        row.comparisonKey, text(row.domains), row.isOperatorAssigned, profile?.text, text(row.capabilities),
        condition.fullyTestedAt?.milliseconds, condition.fault, condition.failures, condition.failedAt?.milliseconds,
        origin.isUndeclared, origin.file, origin.declaration?.text), db)
  }

  private static func text(_ list: [String]) -> String { JSONValue.array(list.map(JSONValue.string)).text }

  // MARK: - Reading

  private static func organisation(_ row: Row) -> OperatorRow {
    OperatorRow(
      id: OperatorID(rawValue: row["id"]), name: row["name"], legalName: row["legal_name"],
      domains: list(row["domains"]), isEnabled: row["enabled"], isDeleted: row["deleted"],
      smpRoles: ServerRoles(storage: row["smp_storage"], proxy: row["smp_proxy"], names: row["smp_names"]),
      xftpRoles: ServerRoles(storage: row["xftp_storage"], proxy: row["xftp_proxy"], names: false),
      conditionsAcceptedAt: time(row["conditions_accepted_at"]), origin: origin(row), revision: row["revision"])
  }

  private static func server(_ row: Row) -> ServerRow? {
    guard let transport = ServerProtocol(rawValue: row["transport"]), let condition = condition(row) else { return nil }
    return ServerRow(
      id: ServerID(rawValue: row["id"]), transport: transport, address: row["address"], fingerprint: row["fingerprint"],
      hosts: list(row["hosts"]), port: row["port"], sealedPassword: (row["sealed_password"] as Data?).map(Array.init),
      serverOperator: (row["operator_id"] as Int64?).map(OperatorID.init(rawValue:)),
      isOperatorAssigned: row["operator_assigned"], isEnabled: row["enabled"], isDeleted: row["deleted"],
      roles: ServerRoles.Override(storage: row["storage"], proxy: row["proxy"], names: row["names"]),
      condition: condition, origin: origin(row), revision: row["revision"])
  }

  private static func relay(_ row: Row) -> RelayRow? {
    guard let network = NetworkKind(rawValue: row["network"]), let condition = condition(row) else { return nil }
    let profile = (row["profile"] as String?).flatMap { try? JSONParser.parse($0) }
    return RelayRow(
      id: RelayID(rawValue: row["id"]), network: network, address: row["address"], host: row["host"],
      comparisonKey: row["comparison_key"], name: row["name"], domains: list(row["domains"]),
      relayOperator: (row["operator_id"] as Int64?).map(OperatorID.init(rawValue:)),
      isOperatorAssigned: row["operator_assigned"], isEnabled: row["enabled"], isDeleted: row["deleted"],
      profile: profile.map {
        RelayRow.Description(name: $0["name"]?.string, text: $0["text"]?.string, software: $0["software"]?.string)
      },
      capabilities: list(row["capabilities"]), condition: condition, origin: origin(row), revision: row["revision"])
  }

  private static func condition(_ row: Row) -> PeerCondition? {
    guard let health = PeerCondition.Health(rawValue: row["health"]) else { return nil }
    return PeerCondition(
      health: health, healthSince: time(row["health_since"]), lastError: row["last_error"], fault: row["fault"],
      tested: row["tested"],
      testedAt: time(row["tested_at"]), fullyTestedAt: time(row["fully_tested_at"]),
      roundTripMilliseconds: row["round_trip_ms"], failures: row["failures"], failedAt: time(row["failed_at"]))
  }

  private static func origin(_ row: Row) -> Origin {
    Origin(
      isPreset: row["preset"], isUndeclared: row["undeclared"], file: row["declared_in"],
      declaration: (row["declaration"] as String?).flatMap { try? JSONParser.parse($0) })
  }

  private static func list(_ text: String) -> [String] {
    ((try? JSONParser.parse(text))?.array ?? []).compactMap(\.string)
  }

  private static func time(_ milliseconds: Int64?) -> Timestamp? { milliseconds.map(Timestamp.init(milliseconds:)) }
}
