internal import Channels
internal import Foundation
internal import GRDB
internal import StrictJSON

extension Store {
  /// Makes all `mutations` durable in one transaction; when it returns they survive a crash of the machine.
  /// - Throws: `StoreError`; then none of them happened.
  public func commit(_ mutations: [StoreMutation]) async throws {
    do {
      try await pool.write { db in
        for mutation in mutations { try Self.apply(mutation, db) }
      }
    } catch {
      throw Self.wrap(error, pool.path)
    }
  }

  private static func apply(_ mutation: StoreMutation, _ db: Database) throws {
    switch mutation {
    case .insertChannel(let row): try insert(row, db)
    case .touchChannel(let id, let revision, let updatedAt, let deletedAt, let wantedRelays):
      try run(
        db, "UPDATE channels SET revision = ?, updated_at = ?, deleted_at = ?, wanted_relays = ? WHERE id = ?",
        [revision, updatedAt.milliseconds, deletedAt?.milliseconds, wantedRelays, id.rawValue])
    case .reviseChannel(let row):
      try run(
        db,
        """
        UPDATE channels SET display_name = ?, full_name = ?, description = ?, image = ?, preferences = ?, heal = ?, custom = ?,
          edition = ?, notice_id = ?, notice = ?, notice_at = ?, listed = ?, notice_earlier = ?, network_id = ?, author = ? WHERE id = ?
        """,
        [
          row.profile.displayName, row.profile.fullName, row.profile.description, row.profile.image, row.preferences?.text,
          row.heal, row.custom?.text, row.edition, row.notice?.networkID, row.notice?.document, row.notice?.signedAt,
          row.listed.map(Self.list), row.notice?.earlier.joined(separator: " "), row.networkID, row.author, row.id.rawValue,
        ])
    case .saveChannelRelay(let channel, let position, let row): try save(row, channel, position, db)
    case .appendTransition(let row):
      let transition = row.transition
      try run(
        db,
        """
        INSERT INTO transitions (revision, channel_id, relay_id, from_status, to_status, cause, detail, attempt, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          row.revision, row.channel.rawValue, row.relay.rawValue, transition.from.rawValue, transition.to.rawValue,
          transition.cause?.rawValue, transition.detail, transition.attempt, transition.at.milliseconds,
        ])
    case .appendChange(let row):
      let (column, id): (String, Int64) =
        switch row.object {
        case .channel(let id): ("channel_id", id.rawValue)
        case .operator(let id): ("operator_id", id.rawValue)
        case .server(let id): ("server_id", id.rawValue)
        case .relay(let id): ("relay_id", id.rawValue)
        case .channelRelay(let transition): ("channel_id", transition.channel.rawValue)
        }
      try run(
        db, "INSERT INTO changes (revision, at, \(column)) VALUES (?, ?, ?)", [row.revision, row.at.milliseconds, id])
    case .saveOperator(let row): try save(row, db)
    case .saveServer(let row): try save(row, db)
    case .saveRelay(let row): try save(row, db)
    case .recordRoundTrip(let peer, let at, let milliseconds): try record(peer, at, milliseconds, db)
    case .probe(let at):
      try run(
        db, "INSERT INTO settings (key, value) VALUES ('probe', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [String(at.milliseconds)])
    case .removeIdentity(let id):
      try run(
        db,
        "UPDATE identities SET removed = 1, sealed_key = x'', name = name || char(31) || id WHERE id = ?",
        [id.rawValue])
    case .insertIdentity(let row):
      try run(
        db,
        """
        INSERT INTO identities (id, name, network, public_key, sealed_key, created_at) VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          row.id.rawValue, row.name, row.network.rawValue, row.publicKey, row.sealedKey.databaseBlob,
          row.createdAt.milliseconds,
        ])
    }
  }

  static func run(_ db: Database, _ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws {
    let statement = try db.cachedStatement(sql: sql)
    try statement.execute(arguments: StatementArguments(arguments))
  }

  private static func insert(_ row: ChannelRow, _ db: Database) throws {
    try run(
      db,
      """
      INSERT INTO channels (id, kind, network, identity_id, display_name, full_name, description, image, preferences, network_id,
        author, document, wanted_relays, heal, custom, idempotency_key, created_at, updated_at, deleted_at, revision, edition,
        listed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        row.id.rawValue, row.kind.rawValue, row.network.rawValue, row.identity.rawValue, row.profile.displayName,
        row.profile.fullName, row.profile.description, row.profile.image, row.preferences?.text, row.networkID,
        row.author, row.document, row.wantedRelays, row.heal, row.custom?.text, row.idempotencyKey,
        row.createdAt.milliseconds, row.updatedAt.milliseconds, row.deletedAt?.milliseconds, row.revision,
        row.edition, row.listed.map(list),
      ])
  }

  /// Relays as one text.
  private static func list(_ relays: [RelayID]) -> String { relays.map { String($0.rawValue) }.joined(separator: " ") }

  private static func save(_ row: ChannelRelayRow, _ channel: ChannelID, _ position: Int, _ db: Database) throws {
    let record = row.record
    try run(
      db,
      """
      INSERT INTO channel_relays (channel_id, relay_id, position, status, since, operation, relay_link, cause, detail, task, attempt,
        started_at, under_way, timer_at, check_due, shown)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (channel_id, relay_id) DO UPDATE SET status = excluded.status, since = excluded.since,
        operation = excluded.operation, relay_link = excluded.relay_link, cause = excluded.cause, detail = excluded.detail,
        task = excluded.task, attempt = excluded.attempt, started_at = excluded.started_at, under_way = excluded.under_way,
        timer_at = excluded.timer_at, check_due = excluded.check_due, shown = excluded.shown
      """,
      [
        channel.rawValue, row.relay.rawValue, position, record.status.rawValue, record.since.milliseconds,
        record.operation, record.relayLink, record.trouble?.cause.rawValue, record.trouble?.detail,
        record.task?.rawValue, record.attempt, record.startedAt?.milliseconds, record.isUnderWay,
        record.timer?.milliseconds, record.checkDue?.milliseconds, record.shown,
      ])
  }
}

extension [UInt8] {
  /// The bytes as SQLite stores them.
  var databaseBlob: DatabaseValue { Data(self).databaseValue }
}
