internal import Storage

/// The differences between databases in the SQL of lists.
package enum ListDialect: Sendable {
  case sqlite, postgreSQL

  /// A truth value as a number.
  func flag(_ sql: String) -> String { self == .sqlite ? sql : "(\(sql))::int::int8" }

  /// A text that is compared byte by byte.
  func word(_ sql: String) -> String { self == .sqlite ? sql : "(\(sql) COLLATE \"C\")" }

  /// A table that SQLite reads through a certain index.
  func table(_ name: String, through index: String) -> String { self == .sqlite ? "\(name) INDEXED BY \(index)" : name }
}

/// Where the fields of a channel are in the database.
package enum ChannelColumn {
  /// A column that is never NULL.
  case integer(String)
  /// A column that is NULL where the field is absent.
  case optionalInteger(String)
  /// 0 or 1, which clients see as a boolean.
  case boolean(String)
  /// A column that is NULL where the field is absent.
  case text(String)
  /// A column that is never NULL.
  case word(String)
  /// Milliseconds, which clients see as RFC 3339 in UTC. Never NULL.
  case time(String)
  /// The same where the field may be absent, as NULL.
  case optionalTime(String)
  /// A value below a column with JSON, at a path of names.
  case json(String, names: [String])

  /// The column of a field, or `nil` for fields that only the daemon itself knows.
  package init?(_ path: [String], in dialect: ListDialect = .sqlite) {
    guard let field = ChannelField(path) else { return nil }
    self.init(field, in: dialect)
  }

  private init(_ field: ChannelField, in dialect: ListDialect) {
    switch field {
    case .id: self = .integer("c.id")
    case .edition: self = .integer("c.edition")
    case .revision: self = .integer("c.revision")
    case .wantedRelays: self = .integer("c.wanted_relays")
    case .heal: self = .boolean("c.heal")
    case .isOwned: self = .boolean(dialect.flag("(c.wanted_relays > 0)"))
    case .isLinkUsable:
      self = .boolean(dialect.flag("(c.deleted_at IS NULL AND (c.wanted_relays = 0 OR \(Self.has("r.status = 'active'"))))"))
    case .kind: self = .word("c.kind")
    case .network: self = .word("c.network")
    case .identity:
      self = .word(
        dialect.word(
          """
          (SELECT CASE WHEN i.removed = 1 THEN 'identity ' || i.id ELSE i.name END FROM identities i WHERE i.id = c.identity_id)
          """))
    case .key:
      self = .text(
        dialect.word(
          """
          (CASE WHEN c.network <> 'nostr' OR c.wanted_relays = 0 THEN NULL
            WHEN c.key_salt IS NULL THEN 'identity' ELSE 'own' END)
          """))
    case .phase: self = .word(dialect.word(Self.phase))
    case .createdAt: self = .time("c.created_at")
    case .updatedAt: self = .time("c.updated_at")
    case .lastPostAt: self = .optionalTime(Store.lastPostTime(in: dialect))
    case .isMuted: self = .boolean("c.muted")
    case .isPinned: self = .boolean("c.pinned")
    case .isFrozen: self = .boolean("c.frozen")
    case .isFollowed: self = .boolean("c.followed")
    case .followDays: self = .optionalInteger("c.follow_days")
    case .followCount: self = .optionalInteger("c.follow_count")
    case .followKeep: self = .optionalInteger("c.follow_keep")
    case .truncatedAt: self = .optionalTime("c.truncated_at")
    // The statement joins conversations as `v`.
    case .isHidden: self = .boolean("coalesce(v.is_hidden, 0)")
    case .unread: self = .integer("coalesce(v.unread, 0)")
    case .unreadMentions: self = .integer("coalesce(v.unread_mentions, 0)")
    case .memberCount: self = .optionalInteger("v.member_count")
    case .lastMessageAt: self = .optionalTime("v.last_at")
    case .displayName: self = .word("c.display_name")
    case .fullName: self = .text("c.full_name")
    case .description: self = .text("c.description")
    case .image: self = .text("c.image")
    case .custom(let names): self = .json("c.custom", names: names)
    case .preferences(let names): self = .json("c.preferences", names: names)
    }
  }

  /// SQLite compares names byte by byte and cannot quote all of them. A field has only names that it can quote.
  static func jsonPath(_ names: [String]) -> String { "$" + names.map { ".\"\($0)\"" }.joined() }

  /// Whether channels may lack the field.
  package var isNullable: Bool {
    switch self {
    case .integer, .boolean, .word, .time: false
    case .text, .optionalTime, .optionalInteger, .json: true
    }
  }

  private static func has(_ condition: String) -> String {
    "EXISTS (SELECT 1 FROM channel_relays r WHERE r.channel_id = c.id AND \(condition))"
  }

  /// The phase, derived as in `PhaseCounts`. Tests compare the two.
  private static let phase = """
    (CASE
      WHEN c.deleted_at IS NOT NULL THEN
        CASE WHEN \(has("r.status = 'removed' AND r.task IS NOT NULL")) THEN 'deleting' ELSE 'deleted' END
      WHEN c.wanted_relays = 0 THEN 'followed'
      WHEN \(has("r.status = 'inactive'")) THEN 'degraded'
      WHEN \(has("r.status IN ('new', 'invited', 'accepted')")) THEN
        CASE WHEN \(has("r.status = 'active'")) THEN 'partial' ELSE 'creating' END
      ELSE (SELECT CASE WHEN count(*) = 0 THEN 'failed' WHEN count(*) >= c.wanted_relays THEN 'active' ELSE 'degraded' END
        FROM channel_relays r WHERE r.channel_id = c.id AND r.status = 'active')
    END)
    """

  /// A condition that channels in these phases meet and that an index answers, or `nil` without one.
  static func narrowing(_ phases: Set<String>, in dialect: ListDialect = .sqlite) -> String? {
    if phases.isSubset(of: ["creating", "partial", "deleting"]) {
      return "c.id IN (SELECT channel_id FROM channel_relays WHERE task IS NOT NULL)"
    }
    // As many relays are members as are wanted, so a relay that is not active has a row in this table.
    if phases.isSubset(of: ["degraded", "failed"]) {
      let table = dialect.table("channel_relays", through: "channel_relays_lost")
      return "c.id IN (SELECT channel_id FROM \(table) WHERE status IN ('failed', 'inactive'))"
    }
    return nil
  }
}
