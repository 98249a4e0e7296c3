public import Channels
internal import Coordinator
public import Storage
public import Store
public import StrictJSON
internal import Synchronization

/// A real store whose writes can be made to fail, as with a full disk.
public final class FaultyStorage: CoordinatorStorage {
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

  public init(_ store: Store) { self.store = store }

  public var isBroken: Bool {
    get { state.withLock { $0.isBroken } }
    set { state.withLock { $0.isBroken = newValue } }
  }
  /// Whether commits become durable and fail all the same, as when only the answer is lost.
  public var isDoubtful: Bool {
    get { state.withLock { $0.isDoubtful } }
    set { state.withLock { $0.isDoubtful = newValue } }
  }
  /// Whether somebody else owns what is stored.
  public var isFenced: Bool {
    get { state.withLock { $0.isFenced } }
    set { state.withLock { $0.isFenced = newValue } }
  }

  /// Refuses upkeep from now on as the store does: a request of one part fails, and of others the parts that cannot be stored are left out.
  public func refuseUpkeep(_ isMeant: @escaping @Sendable (StoreMutation) -> Bool) { state.withLock { $0.refused = isMeant } }

  /// Lets somebody else set the custom data of a channel just before the next commit that writes the channel, or expects something of it.
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
    // Nobody asked for upkeep: it is not counted, and nothing waits for it.
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
    var receipt = try await store.commit(CommitRequest(rest))
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
        .insertIdentity, .removeIdentity, .probe, .quarantine, .clampTimes, .forgetHistory, .compactChanges,
        .insertPost, .updatePost, .rewritePost, .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention,
        .forgetPostHistory:
        nil
      }
    }
    return (part.expected.map { [$0.channel] } ?? []) + written
  }

  /// Commits what somebody else is to change in a channel, if anything.
  private func writeElsewhere(_ channel: ChannelID) async throws(CommitFailure) {
    guard let custom = state.withLock({ $0.conflicts.removeValue(forKey: channel) }) else { return }
    guard var row = (try? store.channel(channel))?.row else { return }
    row.custom = custom
    row.revision = PendingRevision.at(1)
    try await store.commit([
      .rewriteChannel(row), .appendChange(ChangeRow(revision: row.revision, at: row.updatedAt, object: .channel(channel))),
    ])
  }

  public func counters() throws -> StoreCounters { try store.counters() }
  public func operators() throws -> [OperatorRow] { try store.operators() }
  public func servers() throws -> [ServerRow] { try store.servers() }
  public func relays() throws -> [RelayRow] { try store.relays() }
  public func identities() throws -> [IdentityRow] { try store.identities() }
  public func channel(_ id: ChannelID) throws -> StoredChannel? { try store.channel(id) }
  public func channels(_ ids: Set<ChannelID>) throws -> StoredChannels {
    state.withLock { $0.channelsRead.append(ids.count) }
    return try store.channels(ids)
  }
  public func channel(idempotencyKey: String) throws -> ChannelID? { try store.channel(idempotencyKey: idempotencyKey) }
  public func livingChannels(named name: ChannelName, limit: Int) throws -> [ChannelID] {
    try store.livingChannels(named: name, limit: limit)
  }
  public func unfinishedChannels() throws -> [ChannelID] { try store.unfinishedChannels() }
  public func channels(of relay: RelayID, in status: RelayStatus, after: ChannelID?, limit: Int) throws -> [ChannelID] {
    try store.channels(of: relay, in: status, after: after, limit: limit)
  }
  public func channelsToVerify(on relay: RelayID, at now: Timestamp, limit: Int) throws -> [ChannelID] {
    try store.channelsToVerify(on: relay, at: now, limit: limit)
  }
  public func lostRelays(before: Timestamp, after: (ChannelID, RelayID)?, limit: Int) throws -> [(ChannelID, RelayID)] {
    try store.lostRelays(before: before, after: after, limit: limit)
  }
  public func failedChannels(
    on relay: RelayID, for causes: [Cause], before: Timestamp, after: ChannelID?, limit: Int
  ) throws -> [(ChannelID, mayReturn: Bool)] {
    try store.failedChannels(on: relay, for: causes, before: before, after: after, limit: limit)
  }
  public func replacements(of channel: ChannelID, since: Timestamp, until now: Timestamp) throws -> Int {
    try store.replacements(of: channel, since: since, until: now)
  }
  public func neighbour(of channel: ChannelID, sharing identity: IdentityID, on relay: RelayID) throws -> ChannelID? {
    try store.neighbour(of: channel, sharing: identity, on: relay)
  }
  public func dependentCount(of relay: RelayID) throws -> Int { try store.dependentCount(of: relay) }
  public func lastSignOfLife() throws -> SignOfLife? { try store.lastSignOfLife() }
  public func channelCount(of relay: RelayID) throws -> Int { try store.channelCount(of: relay) }
  public func channelCount(of identity: IdentityID) throws -> Int { try store.channelCount(of: identity) }
  public func channelCounts() throws -> [RelayID: Int] { try store.channelCounts() }
}
