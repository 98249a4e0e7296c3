extension Schema {
  /// The tables of posts, as migration 12 makes them.
  ///
  /// The columns that select a page or a list come before the long texts. A delivery has entries in the indexes of waiting, failed or
  /// unfinished deliveries only while it belongs there. No change of its state moves its entry in `deliveries_of_relay`.
  static let posts = """
    CREATE TABLE posts (
      id INTEGER PRIMARY KEY,
      channel_id INTEGER NOT NULL REFERENCES channels(id),
      revision INTEGER NOT NULL,
      reply_to INTEGER REFERENCES posts(id),
      replaces INTEGER REFERENCES posts(id),
      replaced_by INTEGER REFERENCES posts(id),
      reaction_to INTEGER REFERENCES posts(id),
      edition INTEGER NOT NULL,
      delivery_count INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      forgotten_at INTEGER,
      deleted_at INTEGER,
      idempotency_key TEXT UNIQUE,
      request_digest TEXT,
      quotes TEXT,
      network_id TEXT NOT NULL,
      author TEXT NOT NULL,
      text TEXT NOT NULL,
      document TEXT NOT NULL,
      deletion_id TEXT,
      deletion_author TEXT,
      deletion TEXT,
      publish_at INTEGER,
      tolerance INTEGER,
      schedule_trouble TEXT,
      request TEXT,
      sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX posts_of_channel ON posts (channel_id, id, deleted_at, reaction_to);
    CREATE INDEX posts_alive ON posts (id, reaction_to) WHERE deleted_at IS NULL;
    CREATE INDEX posts_reactions ON posts (reaction_to, id, deleted_at) WHERE reaction_to IS NOT NULL;
    CREATE INDEX posts_reacted ON posts (reaction_to, text) WHERE reaction_to IS NOT NULL AND deleted_at IS NULL;
    CREATE INDEX posts_awaiting ON posts (id) WHERE replaced_by IS NOT NULL AND deletion_id IS NOT NULL AND deleted_at IS NULL;
    CREATE INDEX posts_by_name ON posts (network_id, channel_id);
    CREATE INDEX posts_kept ON posts (channel_id, created_at, id, forgotten_at) WHERE forgotten_at IS NULL;
    CREATE INDEX posts_by_change ON posts (revision, channel_id);
    CREATE INDEX posts_scheduled ON posts (publish_at, id)
      WHERE request IS NOT NULL AND schedule_trouble IS NULL AND deleted_at IS NULL;

    CREATE TABLE deliveries (
      post_id INTEGER NOT NULL REFERENCES posts(id),
      relay_id INTEGER NOT NULL REFERENCES relays(id),
      status TEXT NOT NULL,
      since INTEGER NOT NULL,
      operation INTEGER NOT NULL,
      left_edition INTEGER NOT NULL,
      shown_edition INTEGER NOT NULL,
      deletion_requested INTEGER NOT NULL,
      cause TEXT,
      detail TEXT,
      task TEXT,
      attempt INTEGER NOT NULL,
      repair INTEGER NOT NULL,
      started_at INTEGER,
      under_way INTEGER NOT NULL,
      timer_at INTEGER,
      departed INTEGER NOT NULL,
      sum INTEGER NOT NULL,
      PRIMARY KEY (post_id, relay_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deliveries_of_relay ON deliveries (relay_id, post_id);
    CREATE INDEX deliveries_waiting ON deliveries (relay_id, timer_at, post_id)
      WHERE task IS NOT NULL AND under_way = 0 AND departed = 0;
    CREATE INDEX deliveries_under_way ON deliveries (post_id) WHERE under_way = 1;
    CREATE INDEX deliveries_by_status ON deliveries (relay_id, status, post_id) WHERE status <> 'verified' AND departed = 0;
    CREATE INDEX deliveries_troubled ON deliveries (relay_id, cause, post_id) WHERE cause IS NOT NULL AND departed = 0;

    CREATE TABLE post_routes (
      channel_id INTEGER NOT NULL REFERENCES channels(id),
      relay_id INTEGER NOT NULL REFERENCES relays(id),
      status TEXT NOT NULL,
      cursor INTEGER NOT NULL,
      compare_at INTEGER,
      compared_at INTEGER,
      sum INTEGER NOT NULL,
      PRIMARY KEY (channel_id, relay_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX post_routes_of_relay ON post_routes (relay_id);
    CREATE INDEX post_routes_to_compare ON post_routes (compare_at) WHERE status = 'joined' AND compare_at IS NOT NULL;
    CREATE INDEX post_routes_under_way ON post_routes (channel_id) WHERE status IN ('joining', 'leaving');

    CREATE TABLE post_transitions (
      revision INTEGER PRIMARY KEY,
      post_id INTEGER NOT NULL,
      relay_id INTEGER NOT NULL,
      from_status TEXT NOT NULL,
      to_status TEXT NOT NULL,
      cause TEXT,
      detail TEXT NOT NULL,
      attempt INTEGER NOT NULL,
      at INTEGER NOT NULL,
      sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX post_transitions_of_post ON post_transitions (post_id);

    CREATE TABLE post_retention (
      channel_id INTEGER PRIMARY KEY REFERENCES channels(id),
      keep_days INTEGER,
      keep_count INTEGER,
      sum INTEGER NOT NULL
    ) STRICT;
    """

  /// Posts that wait to be published on demand, as migration 19 finds them. There are few.
  static let drafts = """
    CREATE INDEX posts_drafts ON posts (channel_id, id)
      WHERE request IS NOT NULL AND schedule_trouble = '' AND deleted_at IS NULL;
    """
}
