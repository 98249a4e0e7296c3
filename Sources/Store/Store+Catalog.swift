internal import Channels
internal import Foundation
internal import GRDB
internal import StrictJSON

// Operators, servers and relays.
extension Store {
  /// Connections that are remembered for each relay and server.
  public static let roundTripsMax = 100

  public func operators() throws -> [OperatorRow] {
    try reading { pool in
      try pool.read { db in try Row.fetchAll(db, sql: "SELECT * FROM operators ORDER BY id").map(Self.organisation) }
    }
  }

  public func servers() throws -> [ServerRow] {
    try reading { pool in
      try pool.read { db in try Row.fetchAll(db, sql: "SELECT * FROM servers ORDER BY id").compactMap(Self.server) }
    }
  }

  public func relays() throws -> [RelayRow] {
    try reading { pool in
      try pool.read { db in try Row.fetchAll(db, sql: "SELECT * FROM relays ORDER BY id").compactMap(Self.relay) }
    }
  }

  /// The latest connections to a relay or server, oldest first, at most `roundTripsMax`.
  public func roundTrips(of peer: Probed) throws -> [MeasuredConnection] {
    let (kind, id) = Self.key(peer)
    return try reading { pool in
      try pool.read { db in
        try Row.fetchAll(
          db, sql: "SELECT at, ms FROM round_trips WHERE peer = ? AND peer_id = ? ORDER BY number", arguments: [kind, id]
        ).map { MeasuredConnection(at: Timestamp(milliseconds: $0["at"]), milliseconds: $0["ms"]) }
      }
    }
  }

  // MARK: - Writing

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

  /// Inserts a row, or replaces all of its columns.
  private static func upsert(
    _ table: String, _ values: [(column: String, value: (any DatabaseValueConvertible)?)], _ db: Database
  ) throws {
    let columns = values.map(\.column)
    let sql = """
      INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
      ON CONFLICT (id) DO UPDATE SET \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """
    try run(db, sql, values.map(\.value))
  }

  static func save(_ row: OperatorRow, _ db: Database) throws {
    try upsert(
      "operators",
      [
        ("id", row.id.rawValue), ("name", row.name), ("legal_name", row.legalName), ("domains", text(row.domains)),
        ("enabled", row.isEnabled), ("deleted", row.isDeleted), ("smp_storage", row.smpRoles.storage),
        ("smp_proxy", row.smpRoles.proxy), ("smp_names", row.smpRoles.names), ("xftp_storage", row.xftpRoles.storage),
        ("xftp_proxy", row.xftpRoles.proxy), ("conditions_accepted_at", row.conditionsAcceptedAt?.milliseconds),
        ("revision", row.revision),
      ] + columns(row.origin), db)
  }

  static func save(_ row: ServerRow, _ db: Database) throws {
    try upsert(
      "servers",
      [
        ("id", row.id.rawValue), ("transport", row.transport.rawValue), ("address", row.address),
        ("fingerprint", row.fingerprint), ("hosts", text(row.hosts)), ("port", row.port),
        ("sealed_password", row.sealedPassword?.databaseBlob), ("operator_id", row.serverOperator?.rawValue),
        ("operator_assigned", row.isOperatorAssigned), ("enabled", row.isEnabled), ("deleted", row.isDeleted),
        ("storage", row.roles.storage), ("proxy", row.roles.proxy), ("names", row.roles.names),
        ("revision", row.revision),
      ] + columns(row.condition) + columns(row.origin), db)
  }

  static func save(_ row: RelayRow, _ db: Database) throws {
    var profile: JSONValue?
    if let known = row.profile {
      let members = ["name": known.name, "text": known.text, "software": known.software]
      profile = .object(members.compactMapValues { $0.map(JSONValue.string) })
    }
    try upsert(
      "relays",
      [
        ("id", row.id.rawValue), ("network", row.network.rawValue), ("address", row.address), ("host", row.host),
        ("comparison_key", row.comparisonKey), ("name", row.name), ("domains", text(row.domains)),
        ("operator_id", row.relayOperator?.rawValue), ("operator_assigned", row.isOperatorAssigned),
        ("enabled", row.isEnabled), ("deleted", row.isDeleted), ("profile", profile?.text),
        ("capabilities", text(row.capabilities)), ("revision", row.revision),
      ] + columns(row.condition) + columns(row.origin), db)
  }

  private static func columns(_ condition: PeerCondition) -> [(column: String, value: (any DatabaseValueConvertible)?)] {
    [
      ("tested", condition.tested), ("tested_at", condition.testedAt?.milliseconds),
      ("fully_tested_at", condition.fullyTestedAt?.milliseconds), ("health", condition.health.rawValue),
      ("health_since", condition.healthSince?.milliseconds), ("last_error", condition.lastError), ("fault", condition.fault),
      ("round_trip_ms", condition.roundTripMilliseconds), ("failures", condition.failures),
      ("failed_at", condition.failedAt?.milliseconds),
    ]
  }

  private static func columns(_ origin: Origin) -> [(column: String, value: (any DatabaseValueConvertible)?)] {
    [
      ("preset", origin.isPreset), ("undeclared", origin.isUndeclared), ("declared_in", origin.file),
      ("declaration", origin.declaration?.text),
    ]
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
