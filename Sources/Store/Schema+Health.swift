extension Schema {
  /// The history of the health of relays and servers. One of the two ids is NULL.
  static let health = """
    CREATE TABLE health_changes (
      revision INTEGER PRIMARY KEY,
      relay_id INTEGER,
      server_id INTEGER,
      from_health TEXT NOT NULL,
      to_health TEXT NOT NULL,
      cause TEXT,
      detail TEXT NOT NULL,
      at INTEGER NOT NULL,
      sum INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX health_changes_of_relay ON health_changes (relay_id, revision) WHERE relay_id IS NOT NULL;
    CREATE INDEX health_changes_of_server ON health_changes (server_id, revision) WHERE server_id IS NOT NULL;
    """
}
