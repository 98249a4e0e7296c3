internal import Storage

/// Where the fields of a channel are in the database.
enum ListColumn {
  /// A column that is never NULL.
  case integer(String)
  case optionalInteger(String)
  /// 0 or 1, which clients see as a boolean.
  case boolean(String)
  case text(String)
  /// A column that is never NULL.
  case word(String)
  /// Milliseconds, which clients see as RFC 3339 in UTC; never NULL.
  case time(String)
  case optionalTime(String)
  /// A value below a column with JSON, as SQL of the type json.
  case json(String)

  /// The column of a field; `nil` for fields that only the daemon itself knows.
  init?(_ path: [String]) {
    guard let field = ChannelField(path) else { return nil }
    self.init(field)
  }

  init(_ field: ChannelField) {
    switch field {
    case .id: self = .integer("c.id")
    case .edition: self = .integer("c.edition")
    case .revision: self = .integer("c.revision")
    case .wantedRelays: self = .integer("c.wanted_relays")
    case .heal: self = .boolean("c.heal")
    case .isOwned: self = .boolean("(c.wanted_relays > 0)::int::int8")
    case .isLinkUsable:
      self = .boolean("(c.deleted_at IS NULL AND (c.wanted_relays = 0 OR \(Self.has("r.status = 'active'"))))::int::int8")
    case .kind: self = .word("c.kind")
    case .network: self = .word("c.network")
    case .identity:
      self = .word(
        """
        (SELECT CASE WHEN i.removed = 1 THEN 'identity ' || i.id ELSE i.name END COLLATE "C" FROM identities i
          WHERE i.id = c.identity_id)
        """)
    case .key:
      self = .text(
        """
        (CASE WHEN c.network <> 'nostr' OR c.wanted_relays = 0 THEN NULL
          WHEN c.key_salt IS NULL THEN 'identity' ELSE 'own' END COLLATE "C")
        """)
    case .phase: self = .word(Self.phase)
    case .createdAt: self = .time("c.created_at")
    case .updatedAt: self = .time("c.updated_at")
    case .lastPostAt: self = .optionalTime(Self.lastPostTime)
    case .isMuted: self = .boolean("c.muted")
    case .isPinned: self = .boolean("c.pinned")
    case .isFrozen: self = .boolean("c.frozen")
    case .isFollowed: self = .boolean("c.followed")
    case .followDays: self = .optionalInteger("c.follow_days")
    case .followCount: self = .optionalInteger("c.follow_count")
    case .followKeep: self = .optionalInteger("c.follow_keep")
    case .truncatedAt: self = .optionalTime("c.truncated_at")
    // Messages are each daemon's own copy, which the database does not know.
    case .isHidden: self = .boolean("0::int8")
    case .unread, .unreadMentions: self = .integer("0::int8")
    case .memberCount: self = .optionalInteger("NULL::int8")
    case .lastMessageAt: self = .optionalTime("NULL::int8")
    case .displayName: self = .word("c.display_name")
    case .fullName: self = .text("c.full_name")
    case .description: self = .text("c.description")
    case .image: self = .text("c.image")
    case .custom(let names): self = .json(Self.json("c.custom", names))
    case .preferences(let names): self = .json(Self.json("c.preferences", names))
    }
  }

  /// Whether only what the daemon has besides the database says more.
  static func isOfMessages(_ path: [String]) -> Bool {
    switch ChannelField(path) {
    case .isHidden?, .unread?, .unreadMentions?, .memberCount?, .lastMessageAt?: true
    default: false
    }
  }

  var isNullable: Bool {
    switch self {
    case .integer, .boolean, .word, .time: false
    case .text, .optionalTime, .optionalInteger, .json: true
    }
  }

  /// Names are printable ASCII without quotes and backslashes. PostgreSQL also finds elements of lists by their places; names are never
  /// places here, so everything above has to be an object.
  private static func json(_ column: String, _ names: [String]) -> String {
    func path(_ count: Int) -> String {
      let list = names.prefix(count).map { "\"\($0.replacing("'", with: "''"))\"" }.joined(separator: ",")
      return count == 0 ? "\(column)::json" : "(\(column)::json #> '{\(list)}')"
    }
    let objects = (0..<names.count).map { "json_typeof(\(path($0))) = 'object'" }
    return "(CASE WHEN \(objects.joined(separator: " AND ")) THEN \(path(names.count)) END)"
  }

  private static func has(_ condition: String) -> String {
    "EXISTS (SELECT 1 FROM channel_relays r WHERE r.channel_id = c.id AND \(condition))"
  }

  /// The phase, derived as in `PhaseCounts`; tests compare the two.
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
    END COLLATE "C")
    """

  private static let lastPostTime = """
    (SELECT p.created_at FROM posts p WHERE p.channel_id = c.id AND p.deleted_at IS NULL AND p.request IS NULL AND p.is_aside = 0
      ORDER BY p.id DESC LIMIT 1)
    """

  /// A condition that channels in these phases meet and that an index answers; `nil` if there is none.
  static func narrowing(_ phases: Set<String>) -> String? {
    if phases.isSubset(of: ["creating", "partial", "deleting"]) {
      return "c.id IN (SELECT channel_id FROM channel_relays WHERE task IS NOT NULL)"
    }
    // As many relays are members as are wanted, so if one is not active, it is there and is known.
    if phases.isSubset(of: ["degraded", "failed"]) {
      return "c.id IN (SELECT channel_id FROM channel_relays WHERE status IN ('failed', 'inactive'))"
    }
    return nil
  }
}
