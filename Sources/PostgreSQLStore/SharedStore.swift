public import Channels
public import Cluster
public import PostgreSQL
public import Storage
internal import Store

/// The store that several daemons share, in PostgreSQL. Its answers are the same as from the store in a file: tests ask both and compare.
///
/// This daemon writes everything in the name of its session, and writes nothing once that is over.
public struct SharedStore: Sendable {
  public struct Settings: Sendable {
    public var address: PostgreSQLAddress
    /// PostgreSQL's schema with the tables.
    public var schema = DatabaseSchema.name
    /// How many connections read, at most.
    public var readers = 4
    /// The time limit for a question or a commit, and for connecting to each server.
    public var timeout = Duration.seconds(10)
    public var hostTimeout = Duration.seconds(2)
    /// How long this daemon may pause within a transaction, before the server ends it and frees its locks. `nil` for the default of all
    /// connections.
    public var pauseLimit: Duration?

    public init(address: PostgreSQLAddress) { self.address = address }

    /// The number of the lock that orders commits. Each schema has its own.
    var lockKey: Int64 { DatabaseSchema.lock(2, of: schema) }
  }

  let readers: ReaderPool
  private let clientReaders: ReaderPool
  private let writer: CommitWriter
  let known: KnownEnd
  /// Gives the questions of clients their turns. `nil` for the daemon's own.
  private var work: (any BlockingWork)?
  /// How much work a client's question is.
  private var size = WorkSize.much
  /// The messages that this daemon has read, or `nil` if it reads none.
  private(set) var messages: (any MessageReading)?

  /// - Parameters:
  ///   - session: the session in whose name this store writes. Another session needs another store.
  ///   - known: how far the daemon has seen the store come. Its keeper shares it.
  ///   - current: returns the session that the daemon has at this moment, or `nil` while none is trusted. It is called for each commit.
  public init(
    _ settings: Settings, session: SessionMachine.ID, known: KnownEnd = KnownEnd(),
    current: @escaping @Sendable () -> SessionMachine.ID?
  ) {
    self.known = known
    readers = ReaderPool(settings)
    clientReaders = ReaderPool(settings, isForClients: true)
    writer = CommitWriter(settings, session, known, current)
  }

  /// The store as clients ask it: in their turns, over separate connections, and each only for as long as it waits for the answer.
  /// - Parameter messages: the messages that this daemon has read, or `nil` if it reads none.
  public func reading(on work: any BlockingWork, messages: (any MessageReading)?) -> SharedStore {
    var store = self
    store.work = work
    store.messages = messages
    return store
  }

  /// The store for a question of this size.
  func asking(_ size: WorkSize) -> SharedStore {
    var store = self
    store.size = size
    return store
  }

  /// Closes all connections, once earlier questions are done.
  public func close() async {
    await writer.close()
    await readers.close()
    await clientReaders.close()
  }

  // MARK: - Asking

  /// The ends from which numbers continue must not change any more.
  func settle() async throws(StoreError) { try await writer.settle() }

  /// A text to look for. No text in the database has U+0000, and PostgreSQL refuses it even in a comparison.
  static func wanted(_ text: String) -> SQLValue { .text(text.contains("\0") ? nil : text) }
  static func wanted(_ texts: Set<String>) -> SQLValue { .texts(texts.filter { !$0.contains("\0") }.sorted()) }

  func ask(_ statements: [SQLStatement]) async throws -> [SQLRows] {
    guard let work else { return try await readers.ask(statements) }
    return try await work.turn(size) {
      do { return try await clientReaders.ask(statements) } catch {
        try Task.checkCancellation()
        throw error
      }
    }
  }

  func ask(_ sql: String, _ values: [SQLValue] = []) async throws -> SQLRows {
    try await ask([SQLStatement(sql, values)])[0]
  }

  func channelIDs(_ sql: String, _ values: [SQLValue]) async throws -> [ChannelID] {
    try await ask(sql, values).ints().map(ChannelID.init(rawValue:))
  }

  func count(_ sql: String, _ values: [SQLValue] = []) async throws -> Int {
    Int(try await ask(sql, values).int(0, 0) ?? 0)
  }
}

extension SharedStore: CoordinatorStorage {
  @discardableResult
  public func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt { try await writer.commit(request) }

  // MARK: - Start of the coordinator

  public func counters() async throws -> StoreCounters {
    try await settle()
    let tables: [SummedTable] = [.channels, .operators, .servers, .relays, .identities]
    let rows = try await asking(.little).ask([CommitScript.end] + tables.map(Self.lastID))
    func value(_ place: Int) -> Int64 { rows[place].int(0, 0) ?? 0 }
    return StoreCounters(
      revision: value(0), channel: value(1), operator: value(2), server: value(3), relay: value(4), identity: value(5))
  }

  /// Finds the highest id of a table that was given out or, by a store that was copied here, left out.
  static func lastID(_ table: SummedTable) -> SQLStatement {
    SQLStatement(
      """
      SELECT greatest((SELECT coalesce(max(id), 0) FROM \(table.name)),
        (SELECT coalesce(max(value::int8), 0) FROM settings WHERE key = '\(Store.lastIDSetting(table))'))
      """)
  }

  private func all<T>(_ table: TableStatements, _ row: (inout AnswerRow) throws -> T) async throws -> [T] {
    try await ask("\(table.selection) ORDER BY \(table.table.key.joined(separator: ", "))").map(row)
  }

  public func operators() async throws -> [OperatorRow] { try await all(.operators) { try OperatorRow(&$0) } }
  public func servers() async throws -> [ServerRow] { try await all(.servers) { try ServerRow(&$0) } }
  public func relays() async throws -> [RelayRow] { try await all(.relays) { try RelayRow(&$0) } }
  public func identities() async throws -> [IdentityRow] {
    try await settle()
    return try await all(.identities) { try IdentityRow(&$0) }.compactMap { $0 }
  }

  public func unfinishedChannels(among slots: SlotSet) async throws -> [ChannelID] {
    try await channelIDs(
      "SELECT DISTINCT channel_id FROM channel_relays WHERE task IS NOT NULL\(slots.condition("channel_id", 1)) ORDER BY channel_id",
      slots.parameters)
  }

  public func channelCounts(among slots: SlotSet) async throws -> [RelayID: Int] {
    Self.counts(
      try await ask(
        """
        SELECT relay_id, count(*) FROM channel_relays WHERE status <> 'removed'\(slots.condition("channel_id", 1))
        GROUP BY relay_id
        """, slots.parameters))
  }

  static func counts(_ rows: SQLRows) -> [RelayID: Int] {
    var counts: [RelayID: Int] = [:]
    for row in 0..<rows.count { counts[RelayID(rawValue: rows.int(row, 0) ?? 0)] = Int(rows.int(row, 1) ?? 0) }
    return counts
  }

  public func lastSignOfLife() async throws -> SignOfLife? { try await writer.lastSignOfLife() }

  // MARK: - Channels

  public func channel(_ id: ChannelID) async throws -> StoredChannel? {
    let channels = try await asking(.little).channels([id])
    if let error = channels.unreadable[id] { throw error }
    return channels.found[id]
  }

  public func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels {
    guard !ids.isEmpty else { return StoredChannels() }
    let wanted = SQLValue.ints(ids.map(\.rawValue).sorted())
    let rows = try await ask([
      SQLStatement("\(TableStatements.channels.selection) WHERE id = ANY($1)", [wanted]),
      SQLStatement(
        "\(TableStatements.channelRelays.selection) WHERE channel_id = ANY($1) ORDER BY channel_id, position", [wanted]),
    ])
    return try Self.channels(rows[0], rows[1])
  }

  /// Channels from their rows and their relays' rows, which are in order.
  static func channels(_ channels: SQLRows, _ members: SQLRows) throws -> StoredChannels {
    var found = StoredChannels()
    var relays: [ChannelID: [Result<ChannelRelayRow, any Error>]] = [:]
    for place in 0..<members.count {
      var (row, position) = (AnswerRow(members, place), 0 as Int64)
      let channel = ChannelID(rawValue: members.int(place, 0) ?? 0)
      let member = Result { try ChannelRelayRow(of: channel, at: &position, &row) }
      relays[channel, default: []].append(member)
    }
    for place in 0..<channels.count {
      var values = AnswerRow(channels, place)
      let id = ChannelID(rawValue: channels.int(place, 0) ?? 0)
      do {
        found.found[id] = try StoredChannel(try ChannelRow(id, &values), relays[id] ?? [])
      } catch let error as StoreError where error.code == .corrupt {
        found.unreadable[id] = error
      }
    }
    return found
  }

  public func channel(idempotencyKey: String) async throws -> ChannelID? {
    try await channelIDs("SELECT id FROM channels WHERE idempotency_key = $1", [Self.wanted(idempotencyKey)]).first
  }

  public func livingChannels(named name: ChannelName, limit: Int) async throws -> [ChannelID] {
    let other = name.network == .simplex ? "=" : "<>"
    return try await channelIDs(
      """
      SELECT id FROM channels
      WHERE network_id = $1 AND network = $2 AND deleted_at IS NULL AND network \(other) 'simplex' ORDER BY id LIMIT $3
      """, [Self.wanted(name.networkID), .text(name.network.rawValue), .int(Int64(limit))])
  }

  public func channels(
    of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [ChannelID] {
    try await channelIDs(
      """
      SELECT channel_id FROM channel_relays
      WHERE relay_id = $1 AND status = $2 AND channel_id > $3\(slots.condition("channel_id", 5)) ORDER BY channel_id LIMIT $4
      """,
      [.int(relay.rawValue), .text(status.rawValue), .int(after?.rawValue ?? 0), .int(Int64(limit))]
        + slots.parameters)
  }

  public func channelsToVerify(
    on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet
  ) async throws -> [ChannelID] {
    try await channelIDs(
      """
      SELECT channel_id FROM channel_relays
      WHERE relay_id = $1 AND status = 'active' AND (task IS NULL OR task = 'announce' AND under_way = 0) AND check_due <= $2
        AND channel_id NOT IN (SELECT channel_id FROM quarantine)\(slots.condition("channel_id", 4))
      ORDER BY check_due, channel_id LIMIT $3
      """, [.int(relay.rawValue), .int(now.milliseconds), .int(Int64(limit))] + slots.parameters)
  }

  public func lostRelays(
    before: Timestamp, after: (ChannelID, RelayID)?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, RelayID)] {
    let rows = try await ask(
      """
      SELECT r.channel_id, r.relay_id FROM channel_relays r JOIN channels c ON c.id = r.channel_id
      WHERE r.status IN ('failed', 'inactive') AND (r.status = 'failed' OR r.since <= $1) AND c.heal = 1
        AND c.deleted_at IS NULL AND (r.channel_id, r.relay_id) > ($2, $3)\(slots.condition("r.channel_id", 5))
      ORDER BY r.channel_id, r.relay_id LIMIT $4
      """,
      [.int(before.milliseconds), .int(after?.0.rawValue ?? 0), .int(after?.1.rawValue ?? 0), .int(Int64(limit))]
        + slots.parameters)
    return (0..<rows.count).map {
      (ChannelID(rawValue: rows.int($0, 0) ?? 0), RelayID(rawValue: rows.int($0, 1) ?? 0))
    }
  }

  public func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, mayReturn: Bool)] {
    let rows = try await ask(
      """
      SELECT r.channel_id, r.cause, r.since < $1 AND c.heal = 1 AND c.deleted_at IS NULL
      FROM channel_relays r JOIN channels c ON c.id = r.channel_id
      WHERE r.relay_id = $2 AND r.status = 'failed' AND r.channel_id > $3\(slots.condition("r.channel_id", 5))
      ORDER BY r.channel_id LIMIT $4
      """,
      [.int(before.milliseconds), .int(relay.rawValue), .int(after?.rawValue ?? 0), .int(Int64(limit))]
        + slots.parameters)
    return (0..<rows.count).map { row in
      let cause = rows.text(row, 1).flatMap(Cause.init(rawValue:))
      return (
        ChannelID(rawValue: rows.int(row, 0) ?? 0), rows.bool(row, 2) == true && cause.map(causes.contains) == true
      )
    }
  }

  public func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) async throws -> Int {
    try await count(
      """
      SELECT count(*) FROM transitions
      WHERE channel_id = $1 AND cause = 'replaced' AND to_status = 'removed' AND at BETWEEN $2 AND $3
      """, [.int(channel.rawValue), .int(since.milliseconds), .int(now.milliseconds)])
  }

  public func neighbour(
    of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID
  ) async throws -> ChannelID? {
    try await channelIDs(
      """
      SELECT c.id FROM (
        SELECT id, notice_at FROM channels
        WHERE identity_id = $1 AND key_salt IS NULL AND notice_at IS NOT NULL AND deleted_at IS NULL AND kind = 'channel' AND id <> $2
        ORDER BY notice_at DESC, id DESC LIMIT 64) c
      JOIN channel_relays r ON r.channel_id = c.id AND r.relay_id = $3
      WHERE r.status = 'active' AND r.shown > 1
      ORDER BY c.notice_at DESC, c.id DESC LIMIT 1
      """, [.int(identity.rawValue), .int(channel.rawValue), .int(relay.rawValue)]
    ).first
  }

  // MARK: - Counts

  /// How many followed channels are read from relay $1.
  static let channelsOfOthers = """
    (SELECT count(*) FROM channels WHERE wanted_relays = 0 AND deleted_at IS NULL AND strpos(' ' || listed || ' ', ' ' || $1::int8 || ' ') > 0)
    """

  public func dependentCount(of relay: RelayID) async throws -> Int {
    try await count(
      """
      SELECT count(*) + \(Self.channelsOfOthers) FROM channel_relays
      WHERE relay_id = $1 AND (status <> 'removed' OR task IS NOT NULL)
      """, [.int(relay.rawValue)])
  }

  public func channelCount(of relay: RelayID) async throws -> Int {
    try await count(
      "SELECT count(*) + \(Self.channelsOfOthers) FROM channel_relays WHERE relay_id = $1 AND status <> 'removed'",
      [.int(relay.rawValue)])
  }

  /// SQL for the channels of identities that an array names, without deleted channels that have told all relays.
  static let channelsOfIdentities = """
    FROM channels c WHERE identity_id = ANY($1) AND (deleted_at IS NULL OR EXISTS
      (SELECT 1 FROM channel_relays r WHERE r.channel_id = c.id AND r.task IS NOT NULL))
    """

  public func channelCount(of identity: IdentityID) async throws -> Int {
    try await count("SELECT count(*) \(Self.channelsOfIdentities)", [.ints([identity.rawValue])])
  }
}

extension SharedStore: KnownChannelStorage {
  public func channel(onSimpleX networkID: String, among slots: SlotSet) async throws -> ChannelID? {
    try await channelIDs(
      """
      SELECT id FROM channels WHERE network = 'simplex' AND network_id = $1\(slots.condition("id", 2)) ORDER BY id DESC LIMIT 1
      """, [Self.wanted(networkID)] + slots.parameters
    ).first
  }

  public func channelsServedOnSimpleX(after: ChannelID?, limit: Int, among slots: SlotSet) async throws -> [ChannelID] {
    try await channelIDs(
      """
      SELECT id FROM channels
      WHERE network = 'simplex' AND deleted_at IS NULL AND id > $1\(slots.condition("id", 3))
        AND (
          wanted_relays = 0
          OR EXISTS (
            SELECT 1 FROM channel_relays WHERE channel_id = channels.id AND status IN ('active', 'inactive', 'failed')))
      ORDER BY id LIMIT $2
      """, [.int(after?.rawValue ?? 0), .int(Int64(limit))] + slots.parameters)
  }

  public func livingChannels(after: ChannelID?, limit: Int) async throws -> [ChannelID] {
    try await channelIDs(
      "SELECT id FROM channels WHERE deleted_at IS NULL AND id > $1 ORDER BY id LIMIT $2",
      [.int(after?.rawValue ?? 0), .int(Int64(limit))])
  }
}
