internal import PostgreSQL
internal import Store

/// The statements that write rows of a table, many at a time. Values come as one array for each column.
struct TableStatements {
  let table: SummedTable
  /// The names of all columns, for a `SELECT`.
  let selection: String
  private let insertion: Text
  private let upsertion: Text

  /// The sequence that gives the revisions of the rows of a table.
  enum Sequence {
    case channels, posts
  }

  /// The commit that gives revisions.
  struct Commit {
    let session: Int64
    let number: Int64
  }

  /// SQL with parameters for some columns, and after them, if it needs them, for the commit.
  private struct Text {
    let sql: String
    let columns: [Int]
    let needsCommit: Bool
  }

  private static let texts: Set<String> = [
    "name", "legal_name", "domains", "declared_in", "declaration", "transport", "address", "fingerprint", "hosts", "health",
    "last_error", "fault", "network", "host", "comparison_key", "profile", "capabilities", "public_key", "kind", "display_name",
    "full_name", "description", "image", "preferences", "network_id", "author", "document", "custom", "idempotency_key",
    "notice_id", "notice", "listed", "notice_earlier", "request_digest", "status", "relay_link", "cause", "detail", "task",
    "from_status", "to_status", "from_health", "to_health", "quotes", "text", "deletion_id", "deletion_author", "deletion",
    "schedule_trouble", "request",
    "about_act", "about_id", "about_author", "key", "value",
  ]
  private static let blobs: Set<String> = ["sealed_password", "sealed_key", "key_salt"]

  /// PostgreSQL's type of a column.
  static func type(of column: String) -> String {
    texts.contains(column) ? "text" : blobs.contains(column) ? "bytea" : "int8"
  }

  private let sequence: Sequence?

  init(_ table: SummedTable, _ sequence: Sequence? = nil) {
    self.table = table
    self.sequence = sequence
    selection = "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)"
    let all = Array(table.columns.indices)
    let insert = "INSERT INTO \(table.name) (\(table.columns.joined(separator: ", "))) "
    let source = Self.source(table, all, sequence)
    insertion = Text(sql: insert + source.sql, columns: all, needsCommit: source.needsCommit)
    let rest = table.columns.filter { !table.key.contains($0) }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    upsertion = Text(
      sql: "\(insert)\(source.sql) ON CONFLICT (\(table.key.joined(separator: ", "))) DO UPDATE SET \(rest)", columns: all,
      needsCommit: source.needsCommit)
  }

  /// A pending revision is taken from the commit.
  private static func value(_ column: String, _ sequence: Sequence?, _ next: Int) -> String {
    guard column == "revision", let sequence else { return "v.\(column)" }
    let base = sequence == .channels ? "base" : "post_base"
    return """
      CASE WHEN v.revision < 0 THEN (SELECT \(base) FROM commits WHERE session = $\(next) AND seq = $\(next + 1)) - v.revision
        ELSE v.revision END
      """
  }

  private static func arrays(_ table: SummedTable, _ columns: [Int]) -> String {
    let arrays = columns.enumerated().map { "$\($0.offset + 1)::\(type(of: table.columns[$0.element]))[]" }
    let names = columns.map { table.columns[$0] }
    return "unnest(\(arrays.joined(separator: ", "))) AS v (\(names.joined(separator: ", ")))"
  }

  private static func source(
    _ table: SummedTable, _ columns: [Int], _ sequence: Sequence?
  ) -> (sql: String, needsCommit: Bool) {
    let values = columns.map { value(table.columns[$0], sequence, columns.count + 1) }
    let needsCommit = sequence != nil && columns.contains { table.columns[$0] == "revision" }
    return ("SELECT \(values.joined(separator: ", ")) FROM \(arrays(table, columns))", needsCommit)
  }

  // MARK: - Statements

  func insert(_ rows: [[Cell]], _ commit: Commit) -> SQLStatement { statement(insertion, rows, commit) }

  /// A row may occur only once in `rows`.
  func upsert(_ rows: [[Cell]], _ commit: Commit) -> SQLStatement { statement(upsertion, rows, commit) }

  /// Changes some columns of existing rows.
  /// - Parameter isComplete: whether it fails (22012) if one of the rows does not exist.
  func update(_ rows: [[Cell]], _ changed: [String], isComplete: Bool, _ commit: Commit) -> SQLStatement {
    let columns = table.columns.indices.filter {
      table.key.contains(table.columns[$0]) || changed.contains(table.columns[$0])
    }
    let names = columns.map { table.columns[$0] }
    let settings = names.filter { !table.key.contains($0) }.map { "\($0) = \(Self.value($0, sequence, columns.count + 1))" }
    let needsCommit = sequence != nil && names.contains("revision")
    var sql = """
      UPDATE \(table.name) t SET \(settings.joined(separator: ", ")) FROM \(Self.arrays(table, columns))
      WHERE \(table.key.map { "t.\($0) = v.\($0)" }.joined(separator: " AND "))
      """
    if isComplete {
      sql = "WITH done AS (\(sql) RETURNING 1) SELECT 1 / (count(*) = array_length($1::int8[], 1))::int FROM done"
    }
    return statement(Text(sql: sql, columns: columns, needsCommit: needsCommit), rows, commit)
  }

  private func statement(_ text: Text, _ rows: [[Cell]], _ commit: Commit) -> SQLStatement {
    var values = text.columns.map { column in self.values(of: column, in: rows) }
    if text.needsCommit { values += [.int(commit.session), .int(commit.number)] }
    return SQLStatement(text.sql, values)
  }

  private func values(of column: Int, in rows: [[Cell]]) -> SQLValue {
    switch Self.type(of: table.columns[column]) {
    case "text": .texts(rows.map { if case .text(let text) = $0[column] { text } else { nil } })
    case "bytea": .byteStrings(rows.map { if case .bytes(let bytes) = $0[column] { bytes } else { nil } })
    default: .ints(rows.map { if case .int(let number) = $0[column] { number } else { nil } })
    }
  }
}

extension TableStatements {
  static let operators = TableStatements(.operators, .channels)
  static let servers = TableStatements(.servers, .channels)
  static let relays = TableStatements(.relays, .channels)
  static let identities = TableStatements(.identities)
  static let channels = TableStatements(.channels, .channels)
  static let channelRelays = TableStatements(.channelRelays)
  static let transitions = TableStatements(.transitions, .channels)
  static let changes = TableStatements(.changes, .channels)
  static let health = TableStatements(.health, .channels)
  static let decisions = TableStatements(.decisions)
  static let posts = TableStatements(.posts, .posts)
  static let deliveries = TableStatements(.deliveries)
  static let postRoutes = TableStatements(.postRoutes)
  static let postTransitions = TableStatements(.postTransitions, .posts)
  static let postRetention = TableStatements(.postRetention)
}
