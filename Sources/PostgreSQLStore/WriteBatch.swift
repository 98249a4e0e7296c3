internal import Channels
internal import PostgreSQL
internal import Storage
internal import Store

/// The writes of some parts of a request, gathered by table: of several writes of one row the last one counts, in the form of the most
/// far-reaching one.
struct WriteBatch {
  /// How a row is written, the least first.
  private enum Form: Int, Comparable {
    case touch, rewrite, insert
    static func < (a: Form, b: Form) -> Bool { a.rawValue < b.rawValue }
  }

  /// Rows of a table, each once, in the order of their first write.
  private struct Rows {
    private(set) var places: [[Cell]: Int] = [:]
    private(set) var rows: [(form: Form, cells: [Cell])] = []
    /// Whether a row was inserted although it was there, which must fail.
    private(set) var isDoubled = false

    mutating func put(_ cells: [Cell], _ form: Form) {
      if form == .insert, places[[cells[0]]] != nil { isDoubled = true }
      put(cells, key: 1, form)
    }

    mutating func put(_ cells: [Cell], key: Int, _ form: Form = .insert) {
      let key = Array(cells.prefix(key))
      guard let place = places[key] else {
        places[key] = rows.count
        return rows.append((form, cells))
      }
      rows[place] = (max(form, rows[place].form), cells)
    }

    func cells(_ form: Form) -> [[Cell]] { rows.filter { $0.form == form }.map(\.cells) }
    var all: [[Cell]] { rows.map(\.cells) }
  }

  private var upserted: [String: Rows] = [:]
  private var inserted: [String: [[Cell]]] = [:]
  private var channels = Rows()
  private var posts = Rows()
  /// Separate statements, in their order, and which of them report how much was forgotten.
  private var others: [(statement: SQLStatement, forgets: Bool)] = []
  /// How many revisions of each sequence the writes use, and the highest that they name themselves, or 0 without one.
  private(set) var places = (channels: 0 as Int64, posts: 0 as Int64)
  private(set) var named = (channels: 0 as Int64, posts: 0 as Int64)
  /// Whether something of posts is written.
  private(set) var isOfPosts = false

  private let session: Int64

  init(session: Int64) { self.session = session }

  // MARK: - Gathering

  mutating func add(_ mutation: StoreMutation) {
    switch mutation {
    case .insertChannel(let row): channels.put(RowCells.of { row.bind(to: &$0) }, .insert)
    case .touchChannel(let row): channels.put(RowCells.of { row.bind(to: &$0) }, .touch)
    case .rewriteChannel(let row): channels.put(RowCells.of { row.bind(to: &$0) }, .rewrite)
    case .saveChannelRelay(let channel, let position, let row):
      upsert(.channelRelays, RowCells.of { row.bind(to: &$0, channel, position) })
    case .appendTransition(let row):
      use(row.revision)
      insert(.transitions, RowCells.of { row.bind(to: &$0) })
    case .appendChange(let row):
      use(row.revision)
      insert(.changes, RowCells.of { row.bind(to: &$0) })
    case .appendHealth(let row):
      use(row.revision)
      insert(.health, RowCells.of { row.bind(to: &$0) })
      others += SingleWrites.statements(for: mutation, session: session)
    case .saveOperator(let row): upsert(.operators, RowCells.of { row.bind(to: &$0) })
    case .saveServer(let row): upsert(.servers, RowCells.of { row.bind(to: &$0) })
    case .saveRelay(let row): upsert(.relays, RowCells.of { row.bind(to: &$0) })
    case .insertIdentity(let row): insert(.identities, RowCells.of { row.bind(to: &$0) })
    case .insertPost(let row):
      useOfPosts(row.revision)
      posts.put(RowCells.of { row.bind(to: &$0) }, .insert)
    case .updatePost(let row):
      useOfPosts(row.revision)
      posts.put(RowCells.of { row.bind(to: &$0) }, row.schedule == nil ? .touch : .rewrite)
    case .rewritePost(let row):
      useOfPosts(row.revision)
      posts.put(RowCells.of { row.bind(to: &$0) }, .rewrite)
    case .saveDelivery(let post, let row):
      isOfPosts = true
      upsert(.deliveries, RowCells.of { row.bind(to: &$0, post) })
    case .appendPostTransition(let row):
      useOfPosts(row.revision)
      insert(.postTransitions, RowCells.of { row.bind(to: &$0) })
    case .savePostRoute(let row):
      isOfPosts = true
      upsert(.postRoutes, RowCells.of { row.bind(to: &$0) })
    case .savePostRetention(let row):
      isOfPosts = true
      upsert(.postRetention, RowCells.of { row.bind(to: &$0) })
    case .recordRoundTrip, .removeIdentity, .probe, .quarantine, .clampTimes, .forgetHistory, .compactChanges,
      .forgetPostHistory, .decide:
      others += SingleWrites.statements(for: mutation, session: session)
    }
  }

  private mutating func upsert(_ table: SummedTable, _ cells: [Cell]) {
    upserted[table.name, default: Rows()].put(cells, key: table.key.count)
  }

  private mutating func insert(_ table: SummedTable, _ cells: [Cell]) { inserted[table.name, default: []].append(cells) }

  private mutating func use(_ revision: Int64) {
    if revision < 0 {
      places.channels = max(places.channels, -revision)
    } else {
      named.channels = max(named.channels, revision)
    }
  }

  private mutating func useOfPosts(_ revision: Int64) {
    isOfPosts = true
    if revision < 0 { places.posts = max(places.posts, -revision) } else { named.posts = max(named.posts, revision) }
  }

  /// Whether rows are written that other daemons write too. They do so one after the other, in the order of commits.
  var needsLock: Bool {
    needsPlace || !others.isEmpty || inserted[SummedTable.identities.name] != nil
      || [SummedTable.operators, .servers, .relays].contains { upserted[$0.name] != nil }
  }

  /// Whether the commit needs a place in the order of all.
  var needsPlace: Bool { places != (0, 0) || named != (0, 0) }

  // MARK: - Statements

  /// Rows without a revision, which need no place in the order.
  func unordered(_ commit: TableStatements.Commit) -> [SQLStatement] {
    upserts([.channelRelays, .deliveries, .postRoutes, .postRetention], commit)
  }

  /// The rest, and which of these statements report how much was forgotten.
  func ordered(_ commit: TableStatements.Commit) -> (statements: [SQLStatement], forgetting: [Int]) {
    var statements = upserts([.operators, .servers, .relays], commit)
    statements += inserts([.identities], commit)
    statements += writes(channels, .channels, ChangingColumns.ofTouchedChannel, nil, isComplete: false, commit)
    statements += inserts([.transitions, .changes, .health], commit)
    statements += writes(posts, .posts, ChangingColumns.ofPost, ChangingColumns.ofRewrittenPost, isComplete: true, commit)
    statements += inserts([.postTransitions], commit)
    // The same row twice: the second is refused, and so are both.
    if channels.isDoubled || posts.isDoubled { statements.append(SQLStatement("SELECT 1 / 0")) }
    let forgetting = others.indices.filter { others[$0].forgets }.map { statements.count + $0 }
    return (statements + others.map(\.statement), forgetting)
  }

  private func upserts(_ tables: [TableStatements], _ commit: TableStatements.Commit) -> [SQLStatement] {
    tables.compactMap { table in upserted[table.table.name].map { table.upsert($0.all, commit) } }
  }

  private func inserts(_ tables: [TableStatements], _ commit: TableStatements.Commit) -> [SQLStatement] {
    tables.compactMap { table in inserted[table.table.name].map { table.insert($0, commit) } }
  }

  /// - Parameter rewritten: the columns that a rewrite changes, or `nil` for all.
  private func writes(
    _ rows: Rows, _ table: TableStatements, _ touched: [String], _ rewritten: [String]?, isComplete: Bool,
    _ commit: TableStatements.Commit
  ) -> [SQLStatement] {
    var statements: [SQLStatement] = []
    let (new, changed, touchedRows) = (rows.cells(.insert), rows.cells(.rewrite), rows.cells(.touch))
    if !new.isEmpty { statements.append(table.insert(new, commit)) }
    if !changed.isEmpty {
      statements.append(table.update(changed, rewritten ?? table.table.columns, isComplete: isComplete, commit))
    }
    if !touchedRows.isEmpty { statements.append(table.update(touchedRows, touched, isComplete: isComplete, commit)) }
    return statements
  }
}
