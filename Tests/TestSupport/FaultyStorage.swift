public import Channels
internal import Coordinator
internal import PostgreSQLStore
public import Storage
public import Store
public import StrictJSON
internal import Synchronization

/// A real store whose writes can be made to fail, as with a full disk.
public final class FaultyStorage: CoordinatorStorage, DecisionStorage {
  struct State {
    /// The writes about posts that cannot be stored.
    var refusedPosts: @Sendable (StoreMutation) -> Bool = { _ in false }
    var arePostsUnreadable = false
    var damagedRoutes: Set<ChannelID> = []
    var damagedPosts: Set<PostID> = []
    var isBroken = false
    var isDoubtful = false
    var isFenced = false
    /// The upkeep that cannot be stored.
    var refused: @Sendable (StoreMutation) -> Bool = { _ in false }
    /// What the next write to a channel finds there instead of its custom data.
    var conflicts: [ChannelID: JSONValue] = [:]
    var commits = 0
    var channelsRead: [Int] = []
    var isHolding = false
    /// The commits that wait, the earliest first.
    var held: [CheckedContinuation<Void, Never>] = []
  }
  let store: Store
  let state = Mutex(State())
  let twin: Twin?

  public init(_ store: Store) {
    self.store = store
    twin = Self.hasTwin ? Twin(of: store.databaseID) : nil
  }

  /// Whether stores that are made now have a twin in PostgreSQL, which is given and asked the same.
  @TaskLocal public static var hasTwin = Twin.isWanted

  /// Where the two stores differed, for people.
  public static var differences: [String] { Twin.found }

  /// The databases of stores that were emptied by hand, so that their twins have to be emptied, too.
  static let emptied = Mutex<Set<String>>([])

  /// Says that everything was removed from a store, past this.
  public static func wasEmptied(_ store: Store) { emptied.withLock { _ = $0.insert(store.databaseID) } }

  /// Asks the store, and its twin if there is one.
  func both<Value: Sendable>(
    _ question: String = #function, ask: (any TestedStorage) async throws -> Value
  ) async throws -> Value {
    guard let twin else { return try await ask(store) }
    return try await twin.turns.one {
      let answer: Result<Value, any Error>
      do { answer = .success(try await ask(store)) } catch { answer = .failure(error) }
      await twin.ask(question, ask, answer)
      return answer
    }.get()
  }

  /// Makes writes durable, whatever is to go wrong otherwise.
  @discardableResult
  public func write(_ mutations: [StoreMutation]) async throws(CommitFailure) -> CommitReceipt {
    try await write(CommitRequest(mutations))
  }

  /// Has the store make a request durable, and its twin if there is one, whatever is to go wrong otherwise.
  @discardableResult
  public func write(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    guard let twin else { return try await store.commit(request) }
    return try await twin.turns.one {
      let answer: Result<CommitReceipt, CommitFailure>
      do throws(CommitFailure) { answer = .success(try await store.commit(request)) } catch { answer = .failure(error) }
      await twin.commit(request, answer)
      return answer
    }.get()
  }

  public var isBroken: Bool {
    get { state.withLock { $0.isBroken } }
    set { state.withLock { $0.isBroken = newValue } }
  }
  /// Whether commits become durable and fail all the same, as when only the answer is lost.
  public var isDoubtful: Bool {
    get { state.withLock { $0.isDoubtful } }
    set { state.withLock { $0.isDoubtful = newValue } }
  }
  /// Whether someone else owns what is stored.
  public var isFenced: Bool {
    get { state.withLock { $0.isFenced } }
    set { state.withLock { $0.isFenced = newValue } }
  }

  /// Refuses upkeep from now on as the store does: a request of one part fails, and of others the parts that cannot be stored are left out.
  public func refuseUpkeep(_ isMeant: @escaping @Sendable (StoreMutation) -> Bool) { state.withLock { $0.refused = isMeant } }

  /// Lets someone else set the custom data of a channel just before the next commit that writes the channel, or expects something of it.
  public func conflictOnce(_ channel: ChannelID, custom: JSONValue) { state.withLock { $0.conflicts[channel] = custom } }

  public var commits: Int { state.withLock { $0.commits } }

  /// The number of channels in each read of several channels.
  public var channelsRead: [Int] { state.withLock { $0.channelsRead } }

  /// Lets all commits but upkeep wait until `release`, so that what arrives meanwhile forms one batch.
  public func hold() { state.withLock { $0.isHolding = true } }
  public var isCommitWaiting: Bool { state.withLock { !$0.held.isEmpty } }
  public func release() {
    let held = state.withLock { state in
      state.isHolding = false
      defer { state.held = [] }
      return state.held
    }
    for commit in held { commit.resume() }
  }

  @discardableResult
  public func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    // No one asked for upkeep: it is not counted, and nothing waits for it.
    if request.mutations.allSatisfy(\.isUpkeep) {
      try fail(isBroken: isBroken)
      return try await commitUpkeep(request)
    }
    let isBroken = state.withLock { state in
      state.commits += 1
      return state.isBroken
    }
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isHolding else { return true }
        state.held.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    try fail(isBroken: isBroken)
    for part in request.parts {
      for channel in Self.channels(part) { try await writeElsewhere(channel) }
    }
    let receipt = try await commitPosts(request)
    if isDoubtful { throw CommitFailure.inDoubt("the answer was lost") }
    return receipt
  }

  private func commitUpkeep(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    let isMeant = state.withLock { $0.refused }
    let refused = request.parts.indices.filter { request.parts[$0].mutations.contains(where: isMeant) }
    let reason = "a row is damaged"
    guard request.parts.count > 1 || refused.isEmpty else { throw .refused(reason) }
    let rest = request.parts.indices.filter { !refused.contains($0) }.map { request.parts[$0] }
    var receipt = try await write(CommitRequest(rest))
    receipt.rejections = Dictionary(uniqueKeysWithValues: refused.map { ($0, .refused(reason)) })
    return receipt
  }

  private func fail(isBroken: Bool) throws(CommitFailure) {
    if isFenced { throw .fenced("another daemon owns what is stored") }
    if isBroken { throw .unavailable("database or disk is full") }
  }

  /// The channels that a part writes, or expects something of.
  private static func channels(_ part: CommitPart) -> [ChannelID] {
    let written = part.mutations.compactMap { mutation -> ChannelID? in
      switch mutation {
      case .touchChannel(let row), .rewriteChannel(let row): row.id
      case .saveChannelRelay(let id, _, _): id
      case .insertChannel, .appendTransition, .appendChange, .saveOperator, .saveServer, .saveRelay, .recordRoundTrip,
        .appendHealth,
        .insertIdentity, .removeIdentity, .probe, .quarantine, .clampTimes, .forgetHistory, .compactChanges,
        .insertPost, .updatePost, .rewritePost, .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention,
        .forgetPostHistory, .decide:
        nil
      }
    }
    return (part.expected.map { [$0.channel] } ?? []) + written
  }

  /// Commits what someone else is to change in a channel, if anything.
  private func writeElsewhere(_ channel: ChannelID) async throws(CommitFailure) {
    guard let custom = state.withLock({ $0.conflicts.removeValue(forKey: channel) }) else { return }
    guard var row = (try? store.channel(channel))?.row else { return }
    row.custom = custom
    row.revision = PendingRevision.at(1)
    try await write(
      CommitRequest([
        .rewriteChannel(row), .appendChange(ChangeRow(revision: row.revision, at: row.updatedAt, object: .channel(channel))),
      ]))
  }

  public func decisions(after revision: Int64, limit: Int) async throws -> [PersonalDecision] {
    try await both { try await $0.decisions(after: revision, limit: limit) }
  }
  public func counters() async throws -> StoreCounters { try await both { try await $0.counters() } }
  public func operators() async throws -> [OperatorRow] { try await both { try await $0.operators() } }
  public func servers() async throws -> [ServerRow] { try await both { try await $0.servers() } }
  public func relays() async throws -> [RelayRow] { try await both { try await $0.relays() } }
  public func identities() async throws -> [IdentityRow] { try await both { try await $0.identities() } }
  public func channel(_ id: ChannelID) async throws -> StoredChannel? { try await both { try await $0.channel(id) } }
  public func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels {
    state.withLock { $0.channelsRead.append(ids.count) }
    return try await both { try await $0.channels(ids) }
  }
  public func channel(idempotencyKey: String) async throws -> ChannelID? {
    try await both { try await $0.channel(idempotencyKey: idempotencyKey) }
  }
  public func livingChannels(named name: ChannelName, limit: Int) async throws -> [ChannelID] {
    try await both { try await $0.livingChannels(named: name, limit: limit) }
  }
  public func unfinishedChannels(among slots: SlotSet) async throws -> [ChannelID] {
    try await both { try await $0.unfinishedChannels(among: slots) }
  }
  public func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int, among slots: SlotSet)
    async throws -> [ChannelID]
  {
    try await both { try await $0.channels(of: relay, in: status, after: after, limit: limit, among: slots) }
  }
  public func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) async throws
    -> [ChannelID]
  {
    try await both { try await $0.channelsToVerify(on: relay, at: now, limit: limit, among: slots) }
  }
  public func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int, among slots: SlotSet) async throws -> [(
    ChannelID, RelayID
  )] {
    try await both { try await $0.lostRelays(before: before, after: after, limit: limit, among: slots) }
  }
  public func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [(ChannelID, mayReturn: Bool)] {
    try await both {
      try await $0.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit, among: slots)
    }
  }
  public func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) async throws -> Int {
    try await both { try await $0.replacements(of: channel, since: since, until: now) }
  }
  public func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) async throws -> ChannelID? {
    try await both { try await $0.neighbour(of: channel, sharing: identity, on: relay) }
  }
  public func dependentCount(of relay: RelayID) async throws -> Int {
    try await both { try await $0.dependentCount(of: relay) }
  }
  public func lastSignOfLife() async throws -> SignOfLife? { try await both { try await $0.lastSignOfLife() } }
  public func channelCount(of relay: RelayID) async throws -> Int { try await both { try await $0.channelCount(of: relay) } }
  public func channelCount(of identity: IdentityID) async throws -> Int {
    try await both { try await $0.channelCount(of: identity) }
  }
  public func channelCounts(among slots: SlotSet) async throws -> [RelayID: Int] {
    try await both { try await $0.channelCounts(among: slots) }
  }
}
