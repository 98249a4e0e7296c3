extension Schema {
  /// Posts about other people's messages, as migration 14 adds them. `is_aside` is set for reactions of all sorts, which lists of posts
  /// leave out.
  static let about = """
    ALTER TABLE posts DROP COLUMN sum;
    ALTER TABLE posts ADD COLUMN about_act TEXT;
    ALTER TABLE posts ADD COLUMN about_id TEXT;
    ALTER TABLE posts ADD COLUMN about_author TEXT;
    ALTER TABLE posts ADD COLUMN is_aside INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE posts ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    UPDATE posts SET is_aside = 1 WHERE reaction_to IS NOT NULL;
    DROP INDEX posts_of_channel;
    DROP INDEX posts_alive;
    CREATE INDEX posts_of_channel ON posts (channel_id, id, deleted_at, is_aside);
    CREATE INDEX posts_alive ON posts (id, is_aside) WHERE deleted_at IS NULL;
    CREATE INDEX posts_about ON posts (channel_id, about_id, text) WHERE about_act = 'reaction' AND deleted_at IS NULL;
    """
}
