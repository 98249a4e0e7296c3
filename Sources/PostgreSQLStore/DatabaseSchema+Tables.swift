internal import Channels

extension DatabaseSchema {
  /// One row for each run of a daemon, and the owners of slots. Each renewal leaves a dead version behind, which is to be cleared away
  /// soon.
  static let sessions = [
    """
    CREATE TABLE sessions (
      id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      version text NOT NULL,
      schema int8 NOT NULL,
      began timestamptz NOT NULL DEFAULT clock_timestamp(),
      expires timestamptz NOT NULL,
      stopped bool NOT NULL DEFAULT false,
      draining int8 NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0)
    """,
    """
    CREATE TABLE slots (
      id int8 PRIMARY KEY,
      session int8 REFERENCES sessions ON DELETE SET NULL,
      since timestamptz
    ) WITH (fillfactor = 50)
    """,
    "CREATE INDEX slots_of_session ON slots (session)",
    "INSERT INTO slots (id) SELECT generate_series(0, \(SlotSet.count - 1))",
    // Calls that one daemon leaves for another.
    """
    CREATE TABLE calls (
      id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      sender int8 NOT NULL REFERENCES sessions ON DELETE CASCADE,
      slot int8 NOT NULL,
      method text NOT NULL,
      parameters bytea NOT NULL,
      has_more int8 NOT NULL,
      by_user int8 NOT NULL,
      taker int8,
      reply bytea
    ) WITH (autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0)
    """,
    "CREATE INDEX calls_of_sender ON calls (sender)",
    "CREATE INDEX calls_free ON calls (slot) WHERE taker IS NULL",
    "CREATE INDEX calls_of_taker ON calls (taker) WHERE taker IS NOT NULL",
  ]

  /// Slots for channels that cannot move, and facts that daemons compare.
  static let pinnedSlots = [
    #"ALTER TABLE slots ADD COLUMN core text COLLATE "C" UNIQUE"#,
    "ALTER TABLE sessions ADD COLUMN declarations text",
  ]

  // The tables below have the columns of the tables in a file, in the same order, and flags are 0 or 1 as there: the code that reads and
  // writes rows is the same for both. Texts are compared byte by byte. There are no foreign keys: each row would lock the row that it
  // refers to, and references are checked when they are read.

  /// Commits that gave revisions. The number of the last one is the end of everything. A commit gets its place under a lock, which it holds
  /// until it is durable.
  static let commits = [
    """
    CREATE TABLE commits (
      number int8 PRIMARY KEY,
      session int8 NOT NULL,
      seq int8 NOT NULL,
      base int8 NOT NULL,
      count int8 NOT NULL,
      post_base int8 NOT NULL,
      post_count int8 NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      UNIQUE (session, seq)
    )
    """,
    """
    CREATE TABLE signs (
      session int8 PRIMARY KEY,
      at int8,
      commit int8 NOT NULL DEFAULT 0,
      looked int8 NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50)
    """,
    #"CREATE TABLE settings (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)"#,
  ]

  static let catalog = [
    #"""
    CREATE TABLE operators (
      id int8 PRIMARY KEY, name text COLLATE "C" NOT NULL, legal_name text COLLATE "C", domains text NOT NULL,
      enabled int8 NOT NULL, deleted int8 NOT NULL, smp_storage int8 NOT NULL, smp_proxy int8 NOT NULL, smp_names int8 NOT NULL,
      xftp_storage int8 NOT NULL, xftp_proxy int8 NOT NULL, conditions_accepted_at int8, preset int8 NOT NULL,
      undeclared int8 NOT NULL, declared_in text, declaration text, revision int8 NOT NULL
    )
    """#,
    #"""
    CREATE TABLE servers (
      id int8 PRIMARY KEY, transport text NOT NULL, address text COLLATE "C" NOT NULL UNIQUE, fingerprint text NOT NULL,
      hosts text NOT NULL, port int8, sealed_password bytea, operator_id int8, operator_assigned int8 NOT NULL,
      enabled int8 NOT NULL, deleted int8 NOT NULL, storage int8, proxy int8, names int8, tested int8, tested_at int8,
      fully_tested_at int8, health text NOT NULL, health_since int8, last_error text, fault text, round_trip_ms int8,
      failures int8 NOT NULL, failed_at int8, preset int8 NOT NULL, undeclared int8 NOT NULL, declared_in text,
      declaration text, revision int8 NOT NULL
    )
    """#,
    #"""
    CREATE TABLE relays (
      id int8 PRIMARY KEY, network text NOT NULL, address text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
      operator_id int8, enabled int8 NOT NULL, preset int8 NOT NULL, deleted int8 NOT NULL, tested int8, tested_at int8,
      health text NOT NULL, health_since int8, last_error text, round_trip_ms int8, revision int8 NOT NULL, host text NOT NULL,
      comparison_key text NOT NULL, domains text NOT NULL, operator_assigned int8 NOT NULL, profile text,
      capabilities text NOT NULL, fully_tested_at int8, fault text, failures int8 NOT NULL, failed_at int8,
      undeclared int8 NOT NULL, declared_in text, declaration text, UNIQUE (network, address)
    )
    """#,
    #"""
    CREATE TABLE identities (
      id int8 PRIMARY KEY, name text COLLATE "C" NOT NULL, network text NOT NULL, public_key text NOT NULL,
      sealed_key bytea NOT NULL, created_at int8 NOT NULL, removed int8 NOT NULL, UNIQUE (network, name)
    )
    """#,
    """
    CREATE TABLE round_trips (
      peer text NOT NULL, peer_id int8 NOT NULL, number int8 NOT NULL, at int8 NOT NULL, ms int8 NOT NULL,
      PRIMARY KEY (peer, peer_id, number)
    )
    """,
  ]

  static let channels = [
    #"""
    CREATE TABLE channels (
      id int8 PRIMARY KEY, kind text COLLATE "C" NOT NULL, network text COLLATE "C" NOT NULL, identity_id int8 NOT NULL,
      display_name text COLLATE "C" NOT NULL, full_name text COLLATE "C", description text COLLATE "C", image text COLLATE "C",
      preferences text, network_id text COLLATE "C" NOT NULL, author text NOT NULL, document text NOT NULL,
      wanted_relays int8 NOT NULL, heal int8 NOT NULL, custom text, idempotency_key text COLLATE "C" UNIQUE,
      created_at int8 NOT NULL, updated_at int8 NOT NULL, deleted_at int8, revision int8 NOT NULL, edition int8 NOT NULL,
      notice_id text, notice text, notice_at int8, listed text, notice_earlier text, relay_count int8, request_digest text,
      key_salt bytea, muted int8 NOT NULL, pinned int8 NOT NULL, frozen int8 NOT NULL, truncated_at int8, followed int8 NOT NULL,
      follow_days int8, follow_count int8, follow_keep int8
    ) WITH (fillfactor = 80)
    """#,
    "CREATE INDEX channels_alive ON channels (id) WHERE deleted_at IS NULL",
    "CREATE INDEX channels_by_change ON channels (updated_at)",
    "CREATE INDEX channels_by_name ON channels (display_name)",
    "CREATE INDEX channels_of_identity ON channels (identity_id)",
    "CREATE INDEX channels_by_core_name ON channels (network_id) WHERE network = 'simplex'",
    """
    CREATE INDEX channels_sharing ON channels (identity_id, notice_at)
      WHERE key_salt IS NULL AND notice_at IS NOT NULL AND deleted_at IS NULL
    """,
    "CREATE INDEX channels_by_network_name ON channels (network_id) WHERE network <> 'simplex' AND deleted_at IS NULL",
    "CREATE INDEX channels_of_others ON channels (wanted_relays, listed) WHERE wanted_relays = 0 AND deleted_at IS NULL",
    "CREATE INDEX channels_living ON channels (pinned, muted) WHERE deleted_at IS NULL",
    #"""
    CREATE TABLE channel_relays (
      channel_id int8 NOT NULL, relay_id int8 NOT NULL, position int8 NOT NULL, status text COLLATE "C" NOT NULL,
      since int8 NOT NULL, operation int8 NOT NULL, relay_link text, cause text COLLATE "C", detail text, task text COLLATE "C",
      attempt int8 NOT NULL, started_at int8, under_way int8 NOT NULL, timer_at int8, check_due int8, shown int8 NOT NULL,
      PRIMARY KEY (channel_id, relay_id)
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)
    """#,
    "CREATE INDEX channel_relays_of_relay ON channel_relays (relay_id, status, channel_id)",
    "CREATE INDEX channel_relays_unfinished ON channel_relays (channel_id) WHERE task IS NOT NULL",
    """
    CREATE INDEX channel_relays_to_check ON channel_relays (relay_id, check_due)
      WHERE status = 'active' AND (task IS NULL OR task = 'announce' AND under_way = 0)
    """,
    "CREATE INDEX channel_relays_lost ON channel_relays (channel_id, relay_id) WHERE status IN ('failed', 'inactive')",
    #"""
    CREATE TABLE transitions (
      revision int8 PRIMARY KEY, channel_id int8 NOT NULL, relay_id int8 NOT NULL, from_status text NOT NULL,
      to_status text COLLATE "C" NOT NULL, cause text COLLATE "C", detail text NOT NULL, attempt int8 NOT NULL, at int8 NOT NULL
    )
    """#,
    "CREATE INDEX transitions_of_channel ON transitions (channel_id, revision)",
    "CREATE INDEX transitions_replaced ON transitions (channel_id, at) WHERE cause = 'replaced' AND to_status = 'removed'",
    """
    CREATE TABLE changes (
      revision int8 PRIMARY KEY, at int8 NOT NULL, channel_id int8, relay_id int8, operator_id int8, server_id int8
    )
    """,
    "CREATE TABLE quarantine (channel_id int8 PRIMARY KEY, reason text NOT NULL, at int8 NOT NULL)",
  ]

  static let posts = [
    #"""
    CREATE TABLE posts (
      id int8 PRIMARY KEY, channel_id int8 NOT NULL, revision int8 NOT NULL, reply_to int8, replaces int8, replaced_by int8,
      reaction_to int8, edition int8 NOT NULL, delivery_count int8 NOT NULL, created_at int8 NOT NULL, forgotten_at int8,
      deleted_at int8, idempotency_key text COLLATE "C" UNIQUE, request_digest text, quotes text,
      network_id text COLLATE "C" NOT NULL, author text NOT NULL, text text COLLATE "C" NOT NULL, document text NOT NULL,
      deletion_id text, deletion_author text, deletion text, publish_at int8, tolerance int8, schedule_trouble text, request text,
      about_act text COLLATE "C", about_id text COLLATE "C", about_author text, is_aside int8 NOT NULL
    ) WITH (fillfactor = 90)
    """#,
    "CREATE INDEX posts_of_channel ON posts (channel_id, id)",
    "CREATE INDEX posts_alive ON posts (id) WHERE deleted_at IS NULL AND is_aside = 0",
    "CREATE INDEX posts_reactions ON posts (reaction_to, id) WHERE reaction_to IS NOT NULL",
    "CREATE INDEX posts_awaiting ON posts (id) WHERE replaced_by IS NOT NULL AND deletion_id IS NOT NULL AND deleted_at IS NULL",
    "CREATE INDEX posts_by_name ON posts (network_id, channel_id)",
    "CREATE INDEX posts_kept ON posts (channel_id, created_at, id) WHERE forgotten_at IS NULL",
    "CREATE INDEX posts_by_change ON posts (revision, channel_id)",
    """
    CREATE INDEX posts_scheduled ON posts (publish_at, id)
      WHERE request IS NOT NULL AND schedule_trouble IS NULL AND deleted_at IS NULL
    """,
    """
    CREATE INDEX posts_drafts ON posts (channel_id, id)
      WHERE request IS NOT NULL AND schedule_trouble = '' AND deleted_at IS NULL
    """,
    "CREATE INDEX posts_about ON posts (channel_id, about_id) WHERE about_act = 'reaction' AND deleted_at IS NULL",
    "CREATE INDEX posts_about_people ON posts (channel_id, about_id, id) WHERE about_act = 'membership'",
    #"""
    CREATE TABLE deliveries (
      post_id int8 NOT NULL, relay_id int8 NOT NULL, status text COLLATE "C" NOT NULL, since int8 NOT NULL,
      operation int8 NOT NULL, left_edition int8 NOT NULL, shown_edition int8 NOT NULL, deletion_requested int8 NOT NULL,
      cause text COLLATE "C", detail text, task text COLLATE "C", attempt int8 NOT NULL, repair int8 NOT NULL, started_at int8,
      under_way int8 NOT NULL, timer_at int8, departed int8 NOT NULL, PRIMARY KEY (post_id, relay_id)
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)
    """#,
    "CREATE INDEX deliveries_of_relay ON deliveries (relay_id, post_id)",
    """
    CREATE INDEX deliveries_waiting ON deliveries (relay_id, timer_at, post_id)
      WHERE task IS NOT NULL AND under_way = 0 AND departed = 0
    """,
    "CREATE INDEX deliveries_under_way ON deliveries (post_id) WHERE under_way = 1",
    "CREATE INDEX deliveries_by_status ON deliveries (relay_id, status, post_id) WHERE status <> 'verified' AND departed = 0",
    "CREATE INDEX deliveries_troubled ON deliveries (relay_id, cause, post_id) WHERE cause IS NOT NULL AND departed = 0",
    #"""
    CREATE TABLE post_routes (
      channel_id int8 NOT NULL, relay_id int8 NOT NULL, status text COLLATE "C" NOT NULL, cursor int8 NOT NULL,
      compare_at int8, compared_at int8, PRIMARY KEY (channel_id, relay_id)
    ) WITH (fillfactor = 80)
    """#,
    "CREATE INDEX post_routes_of_relay ON post_routes (relay_id)",
    "CREATE INDEX post_routes_to_compare ON post_routes (compare_at) WHERE status = 'joined' AND compare_at IS NOT NULL",
    "CREATE INDEX post_routes_under_way ON post_routes (channel_id) WHERE status IN ('joining', 'leaving')",
    """
    CREATE TABLE post_transitions (
      revision int8 PRIMARY KEY, post_id int8 NOT NULL, relay_id int8 NOT NULL, from_status text NOT NULL,
      to_status text NOT NULL, cause text, detail text NOT NULL, attempt int8 NOT NULL, at int8 NOT NULL
    )
    """,
    "CREATE INDEX post_transitions_of_post ON post_transitions (post_id)",
    "CREATE TABLE post_retention (channel_id int8 PRIMARY KEY, keep_days int8, keep_count int8)",
  ]

  static let health = [
    """
    CREATE TABLE health_changes (
      revision int8 PRIMARY KEY, relay_id int8, server_id int8, from_health text NOT NULL, to_health text NOT NULL, cause text,
      detail text NOT NULL, at int8 NOT NULL
    )
    """,
    "CREATE INDEX health_changes_of_relay ON health_changes (relay_id, revision) WHERE relay_id IS NOT NULL",
    "CREATE INDEX health_changes_of_server ON health_changes (server_id, revision) WHERE server_id IS NOT NULL",
  ]

  /// Every order of a list ends with the id, which only SQLite's indexes contain automatically.
  static let listIndexes = [
    "DROP INDEX channels_by_change", "DROP INDEX channels_by_name",
    "CREATE INDEX channels_by_change ON channels (updated_at, id)",
    "CREATE INDEX channels_by_name ON channels (display_name, id)",
  ]

  static let creationIndex = ["CREATE INDEX channels_by_creation ON channels (created_at, id)"]

  static let decisions = [
    #"""
    CREATE TABLE decisions (
      revision int8 PRIMARY KEY, kind text COLLATE "C" NOT NULL, channel_id int8 NOT NULL, name text COLLATE "C" NOT NULL,
      at int8, network_id text COLLATE "C", UNIQUE (channel_id, name, kind)
    )
    """#
  ]
}
