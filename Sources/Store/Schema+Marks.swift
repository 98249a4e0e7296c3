extension Schema {
  /// The marks of a channel, as migration 13 adds them.
  static let marks = """
    ALTER TABLE channels DROP COLUMN sum;
    ALTER TABLE channels ADD COLUMN muted INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE channels ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE channels ADD COLUMN frozen INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE channels ADD COLUMN truncated_at INTEGER;
    ALTER TABLE channels ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    -- An order by what is said looks at all living channels. Their rows are large, and it needs no more of them than this.
    CREATE INDEX channels_living ON channels (pinned, muted) WHERE deleted_at IS NULL;
    """

  /// Decisions about messages, as migration 21 adds them. A withdrawn decision is kept, without a time.
  static let decisions = """
    CREATE TABLE decisions (
      revision INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      channel_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      at INTEGER,
      network_id TEXT,
      sum INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE UNIQUE INDEX decisions_by_object ON decisions (channel_id, name, kind);
    """

  /// How messages of a channel are read, as migration 17 adds it. NULL: the setting for all channels.
  static let following = """
    ALTER TABLE channels DROP COLUMN sum;
    ALTER TABLE channels ADD COLUMN followed INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE channels ADD COLUMN follow_days INTEGER;
    ALTER TABLE channels ADD COLUMN follow_count INTEGER;
    ALTER TABLE channels ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    """

  /// How many messages of a channel are kept, as migration 18 adds it.
  static let keeping = """
    ALTER TABLE channels DROP COLUMN sum;
    ALTER TABLE channels ADD COLUMN follow_keep INTEGER;
    ALTER TABLE channels ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    -- What was wished of somebody, also what was given up.
    DROP INDEX posts_about_people;
    CREATE INDEX posts_about_people ON posts (channel_id, about_id, id) WHERE about_act = 'membership';
    """
}
