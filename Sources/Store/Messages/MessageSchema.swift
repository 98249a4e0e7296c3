internal import Filters
internal import GRDB
internal import Storage

/// The tables of messages, as one ordered list of migrations that is only ever appended to.
enum MessageSchema {
  /// Marks the file as Baton's messages: "BATM".
  static let applicationID: Int32 = 0x4241_544D

  /// Why a file is unusable. It is a copy, so a new one replaces it.
  struct Unusable: Error {
    let reason: String
  }

  /// In the indexes that give the order of lists, `absence` (`is_deleted` before migration 3) and `is_own` come first: a list is one range
  /// of them, or a few merged ranges. The conditions that follow the place need no look at the message itself.
  private static let migrations = [
    """
    CREATE TABLE counters (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      message INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      mirrored INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE conversations (
      channel_id INTEGER PRIMARY KEY,
      since INTEGER NOT NULL,
      read_through INTEGER NOT NULL,
      unread INTEGER NOT NULL,
      unread_mentions INTEGER NOT NULL,
      last_id INTEGER,
      last_position INTEGER,
      newest_id INTEGER NOT NULL,
      kept INTEGER NOT NULL,
      revision INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX conversations_by_place ON conversations (last_position, channel_id) WHERE last_position IS NOT NULL;
    CREATE INDEX conversations_unread ON conversations (last_position, channel_id)
      WHERE last_position IS NOT NULL AND unread > 0;
    CREATE INDEX conversations_by_change ON conversations (revision, channel_id);

    CREATE TABLE messages (
      id INTEGER PRIMARY KEY,
      channel_id INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      position INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      minute INTEGER NOT NULL,
      is_own INTEGER NOT NULL,
      is_mention INTEGER NOT NULL,
      counts INTEGER NOT NULL,
      is_deleted INTEGER NOT NULL,
      has_files INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      deleted_at INTEGER,
      edited_at INTEGER,
      post_id INTEGER,
      network_id TEXT,
      reply_to TEXT,
      author TEXT NOT NULL,
      author_name TEXT,
      attachments TEXT,
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX messages_of_channel ON messages (channel_id, is_deleted, is_own, position, id, is_mention, has_files);
    CREATE INDEX messages_by_place ON messages (is_deleted, is_own, position, id, is_mention, has_files);
    CREATE INDEX messages_of_author ON messages (author, is_deleted, is_own, position, id, channel_id, is_mention, has_files);
    CREATE INDEX messages_mentions ON messages (is_deleted, is_own, position, id, has_files) WHERE is_mention = 1;
    CREATE INDEX messages_with_files ON messages (is_deleted, is_own, position, id) WHERE has_files = 1;
    CREATE INDEX messages_of_minute ON messages (channel_id, author, minute) WHERE is_own = 0;
    CREATE UNIQUE INDEX messages_by_name ON messages (channel_id, network_id) WHERE network_id IS NOT NULL;
    CREATE UNIQUE INDEX messages_of_post ON messages (post_id) WHERE post_id IS NOT NULL;
    CREATE INDEX messages_answering ON messages (channel_id, reply_to) WHERE reply_to IS NOT NULL;
    CREATE INDEX messages_counting ON messages (channel_id, id, is_mention) WHERE counts = 1 AND is_deleted = 0;
    CREATE INDEX messages_by_change ON messages (revision, channel_id);

    CREATE TABLE message_relays (
      message_id INTEGER NOT NULL,
      relay_id INTEGER NOT NULL,
      PRIMARY KEY (message_id, relay_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE reactions (
      id INTEGER PRIMARY KEY,
      channel_id INTEGER NOT NULL,
      network_id TEXT,
      post_id INTEGER,
      target TEXT NOT NULL,
      author TEXT NOT NULL,
      text TEXT NOT NULL,
      is_own INTEGER NOT NULL,
      is_waiting INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX reactions_by_name ON reactions (channel_id, network_id) WHERE network_id IS NOT NULL;
    CREATE UNIQUE INDEX reactions_of_post ON reactions (post_id) WHERE post_id IS NOT NULL;
    CREATE INDEX reactions_of_target ON reactions (channel_id, target, text, author, is_own);
    CREATE INDEX reactions_waiting ON reactions (channel_id, id) WHERE is_waiting = 1 AND is_own = 0;

    CREATE TABLE pending_deletions (
      id INTEGER PRIMARY KEY,
      channel_id INTEGER NOT NULL,
      network_id TEXT NOT NULL,
      author TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX pending_deletions_by_name ON pending_deletions (channel_id, network_id, author);
    CREATE INDEX pending_deletions_by_age ON pending_deletions (channel_id, id);

    CREATE TABLE message_syncs (
      channel_id INTEGER NOT NULL,
      relay_id INTEGER NOT NULL,
      complete_at INTEGER,
      asked_at INTEGER NOT NULL,
      cause TEXT,
      detail TEXT,
      PRIMARY KEY (channel_id, relay_id)
    ) STRICT, WITHOUT ROWID;

    -- What can be searched. The channel is a word too, so that those of one channel are found without a look at the others.
    CREATE VIEW message_texts AS
      SELECT id, text, 'c' || channel_id AS channel FROM messages WHERE is_deleted = 0;
    CREATE VIRTUAL TABLE message_words USING fts5 (
      text, channel, content = 'message_texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2'
    );
    """,
    """
    ALTER TABLE conversations ADD COLUMN last_at INTEGER;
    ALTER TABLE conversations ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN is_muted INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN truncated_at INTEGER;
    UPDATE conversations SET last_at = (
      SELECT max(0, min(created_at, received_at)) FROM messages WHERE messages.id = conversations.last_id);
    """,
    """
    -- Why a message is not there for readers: 0 if it is, or a `MessageWriting.Absence`.
    ALTER TABLE messages RENAME COLUMN is_deleted TO absence;
    CREATE TABLE people (
      author TEXT PRIMARY KEY,
      minute INTEGER NOT NULL,
      muted_at INTEGER,
      named_at INTEGER,
      name TEXT,
      folded TEXT
    ) STRICT, WITHOUT ROWID;
    INSERT INTO people (author, minute) SELECT author, max(minute) FROM messages WHERE is_own = 0 GROUP BY author;
    -- Names follow with the next messages: they are compared in a form that only the program makes.
    CREATE INDEX people_by_minute ON people (minute, author);
    CREATE INDEX reactions_of_author ON reactions (author, channel_id, target);
    CREATE INDEX people_muted ON people (minute, author) WHERE muted_at IS NOT NULL;
    """,
    """
    -- Who belongs to a channel, did, or asks to; `lists` has a bit for each list of the network's that names them.
    CREATE TABLE members (
      channel_id INTEGER NOT NULL,
      author TEXT NOT NULL,
      revision INTEGER NOT NULL,
      lists INTEGER NOT NULL,
      is_own INTEGER NOT NULL,
      settled_at INTEGER NOT NULL,
      asked_at INTEGER,
      asked_dated INTEGER,
      asked_text TEXT,
      belonged INTEGER NOT NULL,
      named_at INTEGER,
      name TEXT,
      folded TEXT,
      roles TEXT NOT NULL,
      PRIMARY KEY (channel_id, author)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX members_by_change ON members (revision, channel_id);
    CREATE INDEX members_asking ON members (channel_id, asked_at, author) WHERE asked_at IS NOT NULL;
    CREATE INDEX members_former ON members (channel_id, belonged, revision) WHERE lists = 0 AND asked_at IS NULL;
    CREATE INDEX members_of_author ON members (author);
    CREATE TABLE member_lists (
      channel_id INTEGER NOT NULL,
      list INTEGER NOT NULL,
      count INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (channel_id, list)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE conversations ADD COLUMN member_count INTEGER;
    """,
    """
    -- Whether what somebody writes is kept from everybody.
    ALTER TABLE members ADD COLUMN is_banned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN keep INTEGER;
    -- The name at a domain that somebody claims.
    ALTER TABLE people ADD COLUMN domain_name TEXT;
    -- Messages that are pinned here, and those that answer one, in the order of their places.
    ALTER TABLE messages ADD COLUMN pinned_at INTEGER;
    CREATE INDEX messages_pinned ON messages (channel_id, absence, is_own, position, id) WHERE pinned_at IS NOT NULL;
    DROP INDEX messages_answering;
    CREATE INDEX messages_answering ON messages (channel_id, reply_to, absence, is_own, position, id) WHERE reply_to IS NOT NULL;
    """,
    """
    -- The words of a text that is not ASCII, with a space between them (`MessageTokens`).
    ALTER TABLE messages ADD COLUMN words TEXT;
    DROP TABLE message_words;
    DROP VIEW message_texts;
    CREATE VIEW message_texts AS
      SELECT id, coalesce(words, text) AS text, 'c' || channel_id AS channel FROM messages WHERE absence = 0;
    CREATE VIRTUAL TABLE message_words USING fts5 (
      text, channel, content = 'message_texts', content_rowid = 'id', tokenize = 'ascii', prefix = '1 2'
    );
    UPDATE messages SET words = baton_words(text) WHERE length(CAST(text AS BLOB)) <> length(text);
    INSERT INTO message_words (message_words) VALUES ('rebuild');
    UPDATE people SET folded = baton_folded(name) WHERE name IS NOT NULL;
    UPDATE members SET folded = baton_folded(name) WHERE name IS NOT NULL;
    """,
    """
    -- Whom a message names, one to a line.
    ALTER TABLE messages ADD COLUMN participants TEXT;
    """,
    """
    -- What people have decided, as it is kept with the channels, with the revision from there; 0: it was just made here, -1: it is left over.
    CREATE TABLE decisions (
      channel_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      at INTEGER,
      network_id TEXT,
      revision INTEGER NOT NULL,
      PRIMARY KEY (channel_id, name, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX decisions_by_revision ON decisions (revision);
    INSERT INTO decisions SELECT channel_id, network_id, 'hidden', received_at, NULL, -1
      FROM messages WHERE absence = 2 AND network_id IS NOT NULL;
    INSERT INTO decisions SELECT channel_id, network_id, 'pinned', pinned_at, NULL, -1
      FROM messages WHERE pinned_at IS NOT NULL AND network_id IS NOT NULL;
    INSERT INTO decisions SELECT 0, author, 'muted', muted_at, NULL, -1 FROM people WHERE muted_at IS NOT NULL;
    INSERT INTO decisions SELECT channel_id, author, 'declined', settled_at, NULL, -1
      FROM members WHERE lists = 0 AND asked_at IS NULL AND belonged = 0;
    INSERT INTO decisions SELECT channel_id, '', 'channelHidden', coalesce(last_position, 0), NULL, -1
      FROM conversations WHERE is_hidden = 1;
    INSERT INTO decisions SELECT c.channel_id, '', 'read', max(c.since - 1, min(m.created_at, m.received_at)), m.network_id, -1
      FROM conversations c JOIN messages m ON m.id = (
        SELECT id FROM messages WHERE channel_id = c.channel_id AND id <= c.read_through AND absence = 0
        ORDER BY position DESC, id DESC LIMIT 1)
      WHERE c.read_through > 0;
    """,
  ]

  /// The computations of migrations that SQLite cannot do.
  private static let functions = [
    DatabaseFunction("baton_words", argumentCount: 1) { String.fromDatabaseValue($0[0]).flatMap(MessageTokens.stored) },
    DatabaseFunction("baton_folded", argumentCount: 1) { String.fromDatabaseValue($0[0])?.folded },
  ]

  static var version: Int32 { Int32(migrations.count) }

  /// The tables that may be damaged.
  private static let tables = [
    "conversations", "messages", "message_relays", "reactions", "pending_deletions", "message_syncs", "message_words",
    "people", "members", "member_lists", "decisions",
  ]

  /// Brings the file up to date.
  /// - Parameter firstID: the id of the first message of a new file.
  /// - Throws: `Unusable`, among others.
  static func migrate(_ db: Database, firstID: Int64) throws {
    let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
    guard isEmpty || application == applicationID else { throw Unusable(reason: "it is a database of another program") }
    guard version <= self.version, version >= 0 else {
      throw Unusable(reason: "it has schema \(version), and this program supports schemas up to \(self.version)")
    }
    let begun = isEmpty ? 0 : Int(version)
    for function in functions { db.add(function: function) }
    for index in begun..<migrations.count { try db.execute(sql: migrations[index]) }
    if isEmpty {
      // JSON keeps numbers up to 2^53.
      let last = min(max(firstID, 1), 1 << 52) - 1
      try db.execute(sql: "INSERT INTO counters (id, message, revision, mirrored) VALUES (1, ?, 0, 0)", arguments: [last])
    }
    if begun < migrations.count {
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(self.version)")
    }
    try check(db)
  }

  /// Looks at the beginning of each table, and whether numbers would be given out twice.
  private static func check(_ db: Database) throws {
    for table in tables { _ = try Int.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1") }
    let counters = try MessageStore.counters(db)
    let message = try Int64.fetchOne(db, sql: "SELECT max(id) FROM messages") ?? 0
    let revision = try max(
      Int64.fetchOne(db, sql: "SELECT max(revision) FROM messages") ?? 0,
      Int64.fetchOne(db, sql: "SELECT max(revision) FROM conversations") ?? 0,
      Int64.fetchOne(db, sql: "SELECT max(revision) FROM members") ?? 0)
    guard message <= counters.message, revision <= counters.revision else {
      throw Unusable(reason: "its numbers contradict each other")
    }
  }
}
