import Channels
import Filters
import Foundation
import GRDB
import Storage
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// How SQLite answers what the store asks: through indexes, and no index is kept for nothing.
struct QueryPlanTests {
  private struct Plan {
    let sql: String
    let steps: [String]
  }

  private static let now = Timestamp(milliseconds: 1_750_000_000_123)
  private static let channel = ChannelID(rawValue: 1)
  private static let relay = RelayID(rawValue: 1)
  private static let identity = IdentityID(rawValue: 1)

  /// What may walk through all rows, and why: it is asked once after a start, or by a person who wants totals.
  private static let walks: Set<String> = [
    "SELECT count(*) FROM transitions", "SELECT count(*) FROM post_transitions",
    "SELECT relay_id, count(*) FROM channel_relays WHERE status <> 'removed' GROUP BY relay_id",
    "SELECT status, count(*) AS n FROM channel_relays GROUP BY status",
    "SELECT count(*) FROM channels WHERE deleted_at IS NULL",
    Self.onOneLine(Store.censusOfChannels(in: .sqlite)), Self.onOneLine(Store.censusOfMembers),
    Self.onOneLine(Store.censusOfCauses),
    // Ends after as many lines as count.
    Self.onOneLine(Store.floorOfOutcomes),
    // Ends after as many as may be forgotten at once.
    "SELECT max(revision) FROM (SELECT revision, at, row_number() OVER (ORDER BY revision) AS number "
      + "FROM transitions ORDER BY revision LIMIT ?) WHERE at < ? OR number <= ?",
    "SELECT max(revision) FROM (SELECT revision, at, row_number() OVER (ORDER BY revision) AS number "
      + "FROM post_transitions ORDER BY revision LIMIT ?) WHERE at < ? OR number <= ?",
    "SELECT DISTINCT channel_id FROM post_routes",
    "SELECT p.channel_id FROM (SELECT DISTINCT channel_id FROM post_routes) p WHERE EXISTS ( "
      + "SELECT 1 FROM channel_relays m LEFT JOIN post_routes r ON r.channel_id = m.channel_id AND r.relay_id = m.relay_id "
      + "WHERE m.channel_id = p.channel_id AND (m.status <> 'removed') <> "
      + "(r.status IS NOT NULL AND r.status IN ('joining', 'joined'))) ORDER BY p.channel_id",
  ]

  /// An order by what is said in channels looks at all that live, but not at their rows, which are large.
  private static let bySayings =
    "SELECT c.id FROM channels c WHERE c.deleted_at IS NULL ORDER BY c.pinned DESC, "
    + "(SELECT v.last_at FROM channel_conversations v WHERE v.channel_id = c.id) DESC, c.id LIMIT ?"

  /// Tables of which there are as many rows as someone has configured.
  private static let small: Set<String> = [
    "operators", "servers", "relays", "identities", "settings", "quarantine", "round_trips", "json_each", "health_changes",
  ]

  /// Indexes with few of a table's rows: what is unfinished, what is lost, channels on SimpleX, and routes that change.
  private static let partial: Set<String> = [
    "channel_relays_unfinished", "channel_relays_lost", "channels_by_core_name", "post_routes_under_way",
    "posts_drafts",
  ]

  @Test func everyIndexServesAQuery() async throws {
    let (store, plans, folder) = try await asked()
    let used = (plans.filter { !Self.walks.contains($0.sql) } + (try Self.plans(store, [Self.bySayings]))).flatMap(\.steps)
      .flatMap { $0.matches(of: /\bINDEX (\w+)/).map { String($0.1) } }
    let indexes = try Self.indexes(store)
    #expect(indexes.count > 8)
    #expect(
      indexes.subtracting(used).isEmpty, "these serve no query that the store runs; drop them, or ask here what they serve")
    #expect(Self.partial.isSubset(of: indexes))
    store.close()
    withExtendedLifetime(folder) {}
  }

  @Test func noQueryWalksThroughLargeTables() async throws {
    let (store, plans, folder) = try await asked()
    for plan in plans where !Self.walks.contains(plan.sql) {
      let walks = Self.walks(plan)
      #expect(walks.isEmpty, "\(plan.sql)\n\(plan.steps.joined(separator: "\n"))")
    }
    #expect(Self.walks.subtracting(plans.map(\.sql)).isEmpty, "these are not asked any more")
    for table in [
      "channels", "channel_relays", "transitions", "changes", "posts", "deliveries", "post_routes", "post_transitions",
      "post_retention",
    ] {
      #expect(
        plans.contains { $0.sql.hasPrefix("INSERT INTO \(table) ") } && plans.contains { $0.sql.contains("FROM \(table) ") })
    }
    store.close()
    withExtendedLifetime(folder) {}
  }

  /// The test itself: a query without an index is one that walks.
  @Test func walksAreRecognized() async throws {
    let (store, _, folder) = try await asked()
    let bad = [
      "SELECT id FROM channels WHERE author = ?", "SELECT id FROM channels ORDER BY network_id LIMIT ?",
      "SELECT c.id FROM channels c WHERE c.id IN (SELECT channel_id FROM channel_relays WHERE status = ?) ORDER BY c.id LIMIT ?",
      "UPDATE transitions SET attempt = 1 WHERE detail = ?", "DELETE FROM changes WHERE at < ?",
      "SELECT count(*) FROM channel_relays WHERE status = ?",
    ]
    for plan in try Self.plans(store, bad) { #expect(!Self.walks(plan).isEmpty, "\(plan.sql): \(plan.steps)") }
    store.close()
    withExtendedLifetime(folder) {}
  }

  /// Whatever a list is sorted by, an index has the order, also behind a channel.
  @Test func listsGoThroughIndexes() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    try await store.commit(Self.writes())
    let filter = try Filter(nil, known: nil)
    func texts(_ order: ListOrder, _ withDeleted: Bool, _ after: [JSONValue]?) throws -> [String] {
      try store.pool.read { db in
        try ChannelListPlan(matching: filter, in: order, withDeleted: withDeleted, after: after, indexes: [:], db)
          .statements.map(\.sql)
      }
    }
    for name in ChannelField.named.keys.map({ $0.joined(separator: ".") })
    where !ChannelRows.fieldsWithoutIndex.contains(name) {
      for (direction, withDeleted) in [(1, false), (-1, true), (-1, false)] as [(JSONValue, Bool)] {
        let order = try ListOrder([["field": .string(name), "direction": direction]], known: nil)
        let first = try store.channels(matching: filter, in: order, withDeleted: withDeleted, after: nil, limit: 1)
        let last = try #require(first.last)
        for after in [nil, last] {
          let texts = try texts(order, withDeleted, after)
          for plan in try Self.plans(store, texts) {
            #expect(!plan.steps.contains { $0.contains("TEMP B-TREE") } && Self.walks(plan).isEmpty, "\(name): \(plan.steps)")
          }
        }
      }
    }
    store.close()
    withExtendedLifetime(folder) {}
  }

  /// SQLite refuses to be told an index where nothing can match.
  @Test func noStatusIsNoFault() async throws {
    let (store, _, folder) = try await asked()
    let filter = try Filter(["relays": ["$elemMatch": ["status": ["$in": []]]]], known: nil)
    let part = try store.channels(
      matching: filter, in: try ListOrder([], known: nil), withDeleted: false, after: nil, limit: 5)
    #expect(part.channels.isEmpty && part.unreadable.isEmpty)
    store.close()
    withExtendedLifetime(folder) {}
  }

  /// A relay that many channels have is looked for at each channel, in the order of the list, which ends with the page; where few have it,
  /// these are found first, and sorted. Both find the same.
  @Test(arguments: [["relayId": 1], ["operatorId": 1], ["relayId": 1, "status": "new"]] as [JSONValue])
  func channelsOfALargeRelayAreNotSorted(condition: JSONValue) async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    try await store.commit(Self.writes())
    var operated = RelayRow(id: Self.relay, network: .nostr, address: "ws://r", name: "r", revision: 2)
    operated.relayOperator = OperatorID(rawValue: 1)
    try await store.commit([.saveRelay(operated)])
    let order = try ListOrder([["field": "updatedAt", "direction": -1]], known: nil)
    let filter = try Filter(["relays": ["$elemMatch": condition]], known: nil)
    func found(fewMax: Int) throws -> (ids: [Int64], steps: String) {
      try store.pool.read { db in
        let plan = try ChannelListPlan(
          matching: filter, in: order, withDeleted: false, after: nil, indexes: [:], fewMax: fewMax, db)
        let statement = try #require(plan.statements.first)
        let arguments = StatementArguments(statement.arguments + [5.databaseValue])
        let steps = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement.sql, arguments: arguments)
        let ids = try Row.fetchAll(db, sql: statement.sql, arguments: arguments).map { $0["id"] as Int64 }
        return (ids, steps.map { $0["detail"] as String }.joined(separator: "; "))
      }
    }
    let (few, many) = (try found(fewMax: 3), try found(fewMax: 2))
    #expect(few.ids == many.ids, "\(few.ids), \(many.ids)")
    #expect(few.steps.contains("TEMP B-TREE") && few.steps.contains("LIST SUBQUERY"), "\(few.steps)")
    #expect(!many.steps.contains("TEMP B-TREE") && many.steps.contains("CORRELATED"), "\(many.steps)")
    #expect(few.ids.count == 3, "\(few.ids)")
    store.close()
    withExtendedLifetime(folder) {}
  }

  /// The steps of a plan that go through all rows of a large table.
  private static func walks(_ plan: Plan) -> [String] {
    let temporary = Set(
      plan.steps.compactMap { $0.firstMatch(of: /^(?:MATERIALIZE|CO-ROUTINE) (\w+)$/).map { String($0.1) } })
    // What comes in the order of an index ends with its limit.
    let isBounded =
      plan.sql.hasSuffix("LIMIT ?")
      && !plan.steps.contains { $0 == "USE TEMP B-TREE FOR ORDER BY" || $0 == "USE TEMP B-TREE FOR GROUP BY" }
    return plan.steps.enumerated().filter { index, step in
      guard let scan = step.firstMatch(of: /^SCAN ([a-z_]\w*)(?: USING (?:COVERING )?INDEX (\w+))?/) else { return false }
      let (name, key) = (String(scan.1), scan.2.map(String.init) ?? "")
      guard !small.contains(name), !temporary.contains(name), !partial.contains(key) else { return false }
      return index > 0 || !isBounded
    }.map(\.element)
  }

  private static func indexes(_ store: Store) throws -> Set<String> {
    // Without those that SQLite makes for what must be unique.
    try store.pool.read { db in
      try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    }
  }

  /// A text without the breaks between its lines.
  private static func onOneLine(_ sql: String) -> String { sql.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  private static func plans(_ store: Store, _ texts: [String]) throws -> [Plan] {
    try store.pool.writeWithoutTransaction { db -> [Plan] in
      try texts.map { sql in
        let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
        statement.setUncheckedArguments(StatementArguments())
        return Plan(sql: sql, steps: try Row.fetchAll(statement).map { $0["detail"] as String })
      }
    }
  }

  // MARK: - What the store asks

  /// The texts of all statements that ran on the connections that are traced.
  private final class Trace: @unchecked Sendable {
    private let lock = NSLock()
    private var found: Set<String> = []

    private func add(_ sql: String) {
      let text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      guard ["SELECT", "INSERT", "UPDATE", "DELETE"].contains(where: text.hasPrefix), !text.contains("sqlite_") else { return }
      lock.withLock { _ = found.insert(text) }
    }

    var texts: [String] { lock.withLock { found.sorted() } }

    /// The writer, and the one reader that there is while questions come one after the other.
    func begin(_ store: Store) throws {
      let note: (Database.TraceEvent) -> Void = { [self] event in
        if case .statement(let statement) = event { add(statement.sql) }
      }
      store.pool.writeWithoutTransaction { db in db.trace(note) }
      try store.pool.read { db in db.trace(note) }
    }
  }

  /// A store that was asked everything, with the plans of all that it ran.
  private func asked() async throws -> (Store, [Plan], TemporaryFolder) {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    let trace = Trace()
    try trace.begin(store)
    try await store.commit(Self.writes())
    try Self.ask(store)
    try Self.list(store)
    try await store.commit(Self.postWrites())
    try Self.askForPosts(store)
    try await store.commit([
      .clampTimes(now: Self.now, latestVerifyDue: Self.now), .compactChanges(through: 12),
      .forgetHistory(before: Self.now, rowsMax: 1, limit: 10), .probe(Self.now),
      .quarantine(ChannelID(rawValue: 3), reason: "x", at: Self.now),
    ])
    try await store.commit([.forgetHistory(before: Self.now, rowsMax: 1, limit: 10), .removeIdentity(Self.identity)])
    for _ in 1...2 { try await store.commit([.forgetPostHistory(before: Self.now, rowsMax: 1, limit: 10)]) }
    return (store, try Self.plans(store, trace.texts), folder)
  }

  private static func writes() -> [StoreMutation] {
    var mutations: [StoreMutation] = [
      .insertIdentity(
        IdentityRow(id: identity, name: "main", network: .nostr, publicName: "ab", sealedKey: [1], createdAt: now)),
      .saveOperator(OperatorRow(id: OperatorID(rawValue: 1), name: "Example", domains: [], revision: 1)),
      .saveServer(
        ServerRow(id: ServerID(rawValue: 1), transport: .smp, address: "smp://a@b", fingerprint: "a", hosts: ["b"])),
      .saveRelay(RelayRow(id: relay, network: .nostr, address: "ws://r", name: "r", revision: 1)),
      .recordRoundTrip(.relay(relay), at: now, milliseconds: 5),
      .appendHealth(HealthRow(revision: 2, peer: .relay(relay), from: .up, to: .down, cause: nil, detail: "", at: now)),
      .appendHealth(
        HealthRow(revision: 3, peer: .server(ServerID(rawValue: 1)), from: .up, to: .down, cause: nil, detail: "", at: now)),
      .decide(PersonalDecision(.muted, name: "ann", at: now)),
    ]
    for id in 1...Int64(3) {
      let row = ChannelRow(
        id: ChannelID(rawValue: id), kind: .channel, network: .nostr, identity: identity,
        profile: Profile(displayName: "News \(id)"), preferences: nil, networkID: "id\(id)", trustAnchor: "ab", document: "{}",
        wantedRelays: 1, heal: true, custom: nil, idempotencyKey: "k\(id)", createdAt: now, updatedAt: now, revision: 9 + id)
      let transition = TransitionRow(
        revision: 9 + id, channel: row.id, relay: relay,
        transition: .init(from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: now))
      let record = ChannelRelayRecord(ChannelRelayMachine(salt: 0, now: now))
      mutations += [
        .insertChannel(row), .saveChannelRelay(row.id, position: 0, ChannelRelayRow(relay: relay, record: record)),
        .appendTransition(transition), .touchChannel(row), .rewriteChannel(row),
        .appendChange(ChangeRow(revision: 20 + id, at: now, object: .channel(row.id))),
      ]
    }
    return mutations
  }

  private static func ask(_ store: Store) throws {
    _ = try store.counters()
    _ = (try store.operators(), try store.servers(), try store.relays(), try store.identities())
    _ = (try store.unfinishedChannels(), try store.channelCounts(), try store.lastSignOfLife(), try store.oldestRevision())
    _ = (try store.channel(channel), try store.channels([channel, ChannelID(rawValue: 2)]))
    _ = (try store.channel(idempotencyKey: "k1"), try store.channels(named: "News 1", limit: 2))
    _ = try store.livingChannels(named: ChannelName(network: .nostr, networkID: "a"), limit: 5)
    _ = try store.livingChannels(named: ChannelName(network: .simplex, networkID: "a"), limit: 5)
    _ = (try store.channel(onSimpleX: "3"), try store.channelsServedOnSimpleX(after: channel, limit: 5))
    _ = try store.channels(of: relay, in: .active, after: nil, limit: 5)
    _ = try store.channelsToVerify(on: relay, at: now, limit: 5)
    _ = try store.lostRelays(before: now, after: (channel, relay), limit: 5)
    _ = try store.failedChannels(on: relay, for: [.timeout], before: now, after: channel, limit: 5)
    _ = try store.replacements(of: channel, since: now, until: now)
    _ = try store.neighbour(of: channel, sharing: identity, on: relay)
    _ = (try store.dependentCount(of: relay), try store.channelCount(of: relay), try store.channelCount(of: identity))
    _ = (try store.channelCounts(of: [relay, RelayID(rawValue: 2)]), try store.channelCounts(of: [identity]))
    _ = (try store.totals(), try store.losses(), try store.failedChannelCount(), try store.roundTrips(of: .relay(relay)))
    _ = try store.transitions(of: channel, limit: 5)
    var seek = TransitionSeek()
    _ = try store.transitions(matching: seek, before: 40, limit: 5)
    (seek.channels, seek.relays, seek.causes) = ([channel], [relay], ["timeout"])
    _ = try store.transitions(matching: seek, before: 40, limit: 5)
    _ = (try store.census(), try store.outcomes(), try store.roundTripsOfRelays())
    _ = try store.decisions(after: 0, limit: 5)
    _ = (try store.health(of: nil, before: 9, limit: 5), try store.health(of: [.relay(relay)], before: 9, limit: 5))
    _ = (try store.changes(after: 9, limit: 5), try store.newestChanges(after: 9, through: 30, limit: 5))
    _ = try store.installationSeed { 7 }
  }

  /// The lists that are said to be fast: by what stands in an index, and filtered by what one finds.
  private static func list(_ store: Store) throws {
    let orders: [[JSONValue]] = [
      [], [["field": "updatedAt", "direction": -1]], [["field": "createdAt", "direction": -1]],
      [["field": "profile.displayName"]],
    ]
    for order in orders {
      for withDeleted in [false, true] {
        let order = try ListOrder(order, known: nil)
        let filter = try Filter(nil, known: nil)
        let first = try store.channels(matching: filter, in: order, withDeleted: withDeleted, after: nil, limit: 1)
        let last = try #require(first.last)
        _ = try store.channels(matching: filter, in: order, withDeleted: withDeleted, after: last, limit: 1)
      }
    }
    let filters: [JSONValue] = [
      ["phase": "creating"], ["phase": ["$in": ["degraded", "failed"]]], ["profile.displayName": "News 1"],
      ["relays": ["$elemMatch": ["relayId": 1]]],
      ["relays": ["$elemMatch": ["status": "failed"]]], ["relays": ["$elemMatch": ["operatorId": 1]]],
      ["relays": ["$elemMatch": ["cause": "timeout", "status": ["$in": ["active", "failed"]]]]],
      ["relays": ["$elemMatch": ["relayId": 1, "status": ["$in": ["failed", "inactive"]]]]],
    ]
    for filter in filters {
      _ = try store.channels(
        matching: try Filter(filter, known: nil), in: try ListOrder([], known: nil), withDeleted: false, after: nil, limit: 5)
    }
  }
}
