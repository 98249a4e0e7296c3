internal import GRDB
internal import Storage

/// The tables, as one ordered list of migrations that is only ever appended to.
///
/// `sum` is the last column of a summed table: a migration that adds another drops it first and adds it again behind. The sums are filled
/// in when all migrations are done.
enum Schema {
  /// Marks the file as Baton's: "BATN".
  static let applicationID: Int32 = 0x4241_544E

  private static let migrations: [(name: String, sql: String)] = [
    (
      "1 operators, relays, identities, channels, history",
      """
      CREATE TABLE operators (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        enabled INTEGER NOT NULL DEFAULT 1,
        deleted INTEGER NOT NULL DEFAULT 0,
        revision INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE relays (
        id INTEGER PRIMARY KEY,
        network TEXT NOT NULL,
        address TEXT NOT NULL,
        name TEXT NOT NULL,
        operator_id INTEGER REFERENCES operators(id),
        enabled INTEGER NOT NULL,
        preset INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        tested INTEGER,
        tested_at INTEGER,
        health TEXT NOT NULL,
        health_since INTEGER,
        last_error TEXT,
        round_trip_ms INTEGER,
        revision INTEGER NOT NULL,
        UNIQUE (network, address)
      ) STRICT;

      CREATE TABLE identities (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        network TEXT NOT NULL,
        public_key TEXT NOT NULL,
        sealed_key BLOB NOT NULL,
        created_at INTEGER NOT NULL,
        UNIQUE (network, name)
      ) STRICT;

      CREATE TABLE channels (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        network TEXT NOT NULL,
        identity_id INTEGER NOT NULL REFERENCES identities(id),
        display_name TEXT NOT NULL,
        full_name TEXT,
        description TEXT,
        image TEXT,
        preferences TEXT,
        network_id TEXT NOT NULL,
        author TEXT NOT NULL,
        document TEXT NOT NULL,
        wanted_relays INTEGER NOT NULL,
        heal INTEGER NOT NULL,
        custom TEXT,
        idempotency_key TEXT UNIQUE,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        deleted_at INTEGER,
        revision INTEGER NOT NULL
      ) STRICT;

      CREATE INDEX channels_alive ON channels (id) WHERE deleted_at IS NULL;

      CREATE TABLE channel_relays (
        channel_id INTEGER NOT NULL REFERENCES channels(id),
        relay_id INTEGER NOT NULL REFERENCES relays(id),
        position INTEGER NOT NULL,
        status TEXT NOT NULL,
        since INTEGER NOT NULL,
        operation INTEGER NOT NULL,
        relay_link TEXT,
        cause TEXT,
        detail TEXT,
        task TEXT,
        attempt INTEGER NOT NULL,
        started_at INTEGER,
        under_way INTEGER NOT NULL,
        timer_at INTEGER,
        PRIMARY KEY (channel_id, relay_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX channel_relays_of_relay ON channel_relays (relay_id, status, channel_id);
      CREATE INDEX channel_relays_unfinished ON channel_relays (channel_id) WHERE task IS NOT NULL;

      CREATE TABLE transitions (
        revision INTEGER PRIMARY KEY,
        channel_id INTEGER NOT NULL,
        relay_id INTEGER NOT NULL,
        from_status TEXT NOT NULL,
        to_status TEXT NOT NULL,
        cause TEXT,
        detail TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX transitions_of_channel ON transitions (channel_id, revision);

      CREATE TABLE changes (
        revision INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        channel_id INTEGER,
        relay_id INTEGER
      ) STRICT;

      CREATE TABLE settings (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Rows that could not be read stay where they are; what is wrong with them stands here.
      CREATE TABLE quarantine (
        channel_id INTEGER PRIMARY KEY,
        reason TEXT NOT NULL,
        at INTEGER NOT NULL
      ) STRICT;
      """
    ),
    (
      "2 operators with domains and roles, servers, conditions of peers",
      """
      -- Nothing could be written into the first form of this table.
      DROP TABLE operators;
      CREATE TABLE operators (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        legal_name TEXT,
        domains TEXT NOT NULL,
        enabled INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        smp_storage INTEGER NOT NULL,
        smp_proxy INTEGER NOT NULL,
        smp_names INTEGER NOT NULL,
        xftp_storage INTEGER NOT NULL,
        xftp_proxy INTEGER NOT NULL,
        conditions_accepted_at INTEGER,
        preset INTEGER NOT NULL,
        undeclared INTEGER NOT NULL,
        declared_in TEXT,
        declaration TEXT,
        revision INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE servers (
        id INTEGER PRIMARY KEY,
        transport TEXT NOT NULL,
        address TEXT NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL,
        hosts TEXT NOT NULL,
        port INTEGER,
        sealed_password BLOB,
        operator_id INTEGER REFERENCES operators(id),
        operator_assigned INTEGER NOT NULL,
        enabled INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        storage INTEGER,
        proxy INTEGER,
        names INTEGER,
        tested INTEGER,
        tested_at INTEGER,
        fully_tested_at INTEGER,
        health TEXT NOT NULL,
        health_since INTEGER,
        last_error TEXT,
        fault TEXT,
        round_trip_ms INTEGER,
        failures INTEGER NOT NULL,
        failed_at INTEGER,
        preset INTEGER NOT NULL,
        undeclared INTEGER NOT NULL,
        declared_in TEXT,
        declaration TEXT,
        revision INTEGER NOT NULL
      ) STRICT;

      ALTER TABLE relays ADD COLUMN host TEXT NOT NULL DEFAULT '';
      ALTER TABLE relays ADD COLUMN comparison_key TEXT NOT NULL DEFAULT '';
      ALTER TABLE relays ADD COLUMN domains TEXT NOT NULL DEFAULT '[]';
      ALTER TABLE relays ADD COLUMN operator_assigned INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE relays ADD COLUMN profile TEXT;
      ALTER TABLE relays ADD COLUMN capabilities TEXT NOT NULL DEFAULT '[]';
      ALTER TABLE relays ADD COLUMN fully_tested_at INTEGER;
      ALTER TABLE relays ADD COLUMN fault TEXT;
      ALTER TABLE relays ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE relays ADD COLUMN failed_at INTEGER;
      ALTER TABLE relays ADD COLUMN undeclared INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE relays ADD COLUMN declared_in TEXT;
      ALTER TABLE relays ADD COLUMN declaration TEXT;

      ALTER TABLE changes ADD COLUMN operator_id INTEGER;
      ALTER TABLE changes ADD COLUMN server_id INTEGER;

      CREATE TABLE round_trips (
        peer TEXT NOT NULL,
        peer_id INTEGER NOT NULL,
        number INTEGER NOT NULL,
        at INTEGER NOT NULL,
        ms INTEGER NOT NULL,
        PRIMARY KEY (peer, peer_id, number)
      ) STRICT, WITHOUT ROWID;
      """
    ),
    (
      "3 when channels are to be read back, and which relays are lost to them",
      """
      ALTER TABLE channel_relays ADD COLUMN check_due INTEGER;
      UPDATE channel_relays SET check_due = since WHERE status = 'active';
      CREATE INDEX channel_relays_to_check ON channel_relays (relay_id, check_due) WHERE status = 'active' AND task IS NULL;
      CREATE INDEX channel_relays_lost ON channel_relays (channel_id, relay_id) WHERE status IN ('failed', 'inactive');
      CREATE INDEX transitions_replaced ON transitions (channel_id, at) WHERE cause = 'replaced' AND to_status = 'removed';
      """
    ),
    (
      "4 editions of what readers see",
      """
      ALTER TABLE channels ADD COLUMN edition INTEGER NOT NULL DEFAULT 1;
      ALTER TABLE channels ADD COLUMN notice_id TEXT;
      ALTER TABLE channels ADD COLUMN notice TEXT;
      ALTER TABLE channels ADD COLUMN notice_at INTEGER;
      ALTER TABLE channels ADD COLUMN listed TEXT;

      ALTER TABLE channel_relays ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
      UPDATE channel_relays SET shown = 1 WHERE status IN ('active', 'inactive');
      DROP INDEX channel_relays_to_check;
      -- A relay that waits to be told of a new edition is read back like any other.
      CREATE INDEX channel_relays_to_check ON channel_relays (relay_id, check_due)
        WHERE status = 'active' AND (task IS NULL OR task = 'announce' AND under_way = 0);
      """
    ),
    (
      "5 lists by name and by latest change",
      """
      CREATE INDEX channels_by_change ON channels (updated_at);
      CREATE INDEX channels_by_name ON channels (display_name);
      """
    ),
    (
      "6 identities can go",
      """
      ALTER TABLE identities ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
      """
    ),
    (
      "7 earlier editions, channels of identities",
      """
      ALTER TABLE channels ADD COLUMN notice_earlier TEXT;
      CREATE INDEX channels_of_identity ON channels (identity_id);
      """
    ),
    (
      "8 channels by the name that a core gave them",
      """
      CREATE INDEX channels_by_core_name ON channels (network_id) WHERE network = 'simplex';
      """
    ),
    (
      "9 sums of rows, number of relays",
      """
      ALTER TABLE channels ADD COLUMN relay_count INTEGER;
      UPDATE channels SET relay_count = (SELECT count(*) FROM channel_relays WHERE channel_id = channels.id);
      ALTER TABLE settings ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE operators ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE servers ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE relays ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE identities ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE channels ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE channel_relays ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE transitions ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE changes ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      """
    ),
    (
      "10 what a channel was asked for with a key",
      // The sum is the last column of each table.
      """
      ALTER TABLE channels DROP COLUMN sum;
      ALTER TABLE channels ADD COLUMN request_digest TEXT;
      ALTER TABLE channels ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      """
    ),
    (
      "11 keys of channels",
      """
      ALTER TABLE channels DROP COLUMN sum;
      -- NULL: the identity's key signs, as for all channels from before.
      ALTER TABLE channels ADD COLUMN key_salt BLOB;
      ALTER TABLE channels ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      -- Those that share their identity's key, by the date of their newest edition.
      CREATE INDEX channels_sharing ON channels (identity_id, notice_at)
        WHERE key_salt IS NULL AND notice_at IS NOT NULL AND deleted_at IS NULL;
      """
    ),
    ("12 posts", posts),
    ("13 what whoever runs a channel has decided about it", marks),
    ("14 posts about messages of others", about),
    (
      "15 posts about who belongs to channels",
      """
      CREATE INDEX posts_about_people ON posts (channel_id, about_id, id) WHERE about_act = 'membership' AND deleted_at IS NULL;
      """
    ),
    (
      "16 channels by their names on a network",
      """
      CREATE INDEX channels_by_network_name ON channels (network_id) WHERE network <> 'simplex' AND deleted_at IS NULL;
      CREATE INDEX channels_of_others ON channels (wanted_relays, listed) WHERE wanted_relays = 0 AND deleted_at IS NULL;
      """
    ),
    ("17 how messages of a channel are read", following), ("18 how many messages of a channel are kept", keeping),
    ("19 drafts", drafts), ("20 the history of the health of relays and servers", health),
    ("21 what people have decided about messages", decisions),
    ("22 lists by creation", "CREATE INDEX channels_by_creation ON channels (created_at);"),
  ]

  /// The number of migrations that this program knows. A migrated file has it in `user_version`.
  static var version: Int32 { Int32(migrations.count) }

  /// Brings the file up to date.
  /// - Parameter last: the schema to stop at, or `nil` for the newest.
  /// - Throws: `StoreError.incompatible` when it is newer than this program or not Baton's.
  static func migrate(_ pool: DatabasePool, to last: Int? = nil) throws {
    try pool.write { db in try migrate(db, path: pool.path, to: last) }
  }

  /// Does the same within a transaction.
  static func migrate(_ db: Database, path: String, to last: Int? = nil) throws {
    let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
    guard application == applicationID || isEmpty else {
      throw StoreError(.incompatible, "the file \(path) is a database of another program")
    }
    guard version <= self.version else {
      throw StoreError(
        .incompatible,
        "the database \(path) has schema \(version), this program supports schemas up to \(self.version): "
          + "run the newer batond, or restore a backup from before the upgrade")
    }
    let end = max(Int(version), last ?? migrations.count)
    guard Int(version) < end else { return try check(db, path) }
    do {
      for index in Int(version)..<end { try db.execute(sql: migrations[index].sql) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // Its number and its tables contradict each other.
      throw StoreError(
        .corrupt,
        "\(path) cannot be brought up to date from schema \(version): \(error.message ?? "") - the file is damaged, restore a backup"
      )
    }
    db.add(function: RowSum.function)
    if end >= firstWithSums {
      // A file that stops at an earlier schema lacks the tables of later ones.
      for table in SummedTable.all {
        guard try db.tableExists(table.name) else { continue }
        try db.execute(sql: "UPDATE \(table.name) SET sum = \(sum(of: table, db))")
      }
      try storeSum(db)
    }
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(end)")
  }

  /// SQL for the sum of a row in the current form of its table, which may be an earlier one.
  static func sum(of table: SummedTable, _ db: Database) throws -> String {
    "row_sum(\(try db.columns(in: table.name).map(\.name).filter { $0 != "sum" }.joined(separator: ", ")))"
  }

  /// The setting with the sum of the tables' descriptions, which are text in the file like any other.
  private static let sumKey = "schema_sum"

  private static func sum(_ db: Database) throws -> Int64 {
    let rows = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    return RowSum.of(rows.flatMap { Array($0.databaseValues) })
  }

  /// Whether a row of the settings has the sum of the tables' descriptions.
  static func isSum(_ row: Row) -> Bool { row["key"] as DatabaseValue == sumKey.databaseValue }

  /// Accepts the current descriptions of the tables.
  static func storeSum(_ db: Database) throws { try Store.put(sumKey, String(try sum(db)), db) }

  private static func check(_ db: Database, _ path: String) throws {
    let stored: String?
    do {
      stored = try Store.setting(sumKey, db)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      stored = nil
    }
    guard stored == String(try sum(db)) else {
      throw StoreError(.corrupt, "\(path): the description of its tables was changed on the disk. Restore a backup")
    }
  }

  /// Views, triggers and virtual tables act when others are read or written, and no batond creates any. Without them, only the descriptions
  /// of columns and indexes call functions, so SQLite may trust its own description of the file. Before 3.41 it would otherwise refuse its
  /// own JSON functions in indexes.
  /// - Throws: `StoreError.corrupt` when there is one.
  static func refuseForeign(_ db: Database, _ path: String) throws {
    let foreign = try String.fetchOne(
      db, sql: "SELECT type || ' named ' || name FROM sqlite_schema WHERE rootpage = 0 OR type NOT IN ('table', 'index')")
    guard let foreign else { return }
    throw StoreError(.corrupt, "\(path) has a \(foreign), which batond never makes. Restore a backup")
  }

  /// The first schema in which rows have sums.
  private static let firstWithSums = 9
}
