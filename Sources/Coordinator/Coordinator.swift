public import Channels
public import Logging
public import Meters
public import RelayNetwork
public import Storage
internal import Synchronization

/// Runs the channels: handles requests and reports one after the other, and makes every step durable before it has any effect outside.
public final class Coordinator: Sendable {
  let storage: any CoordinatorStorage
  /// Posts. `nil` if the daemon publishes none.
  let posts: (any PostStorage & CoordinatorStorage)?
  /// The reading of messages. `nil` if the daemon reads none.
  let messages: MessageParts?
  let directory: RelayDirectory
  /// The initial rules.
  let rules: Rules
  let clock: any CoordinatorClock
  let logger: Logger
  let secrets: SecretBox
  let inbox: Inbox<Engine.Input>
  let postInbox = Inbox<PostInput>()
  let messageInbox = Inbox<MessageInput>()
  let syncNumbers = SyncNumbers()
  let prober: Prober
  /// Counts what happens.
  public let metrics = MetricBook.ofDaemon()
  /// The store, if other daemons commit to it, too.
  private let shared: (any SharedReading)?
  private let tail = Mutex<RevisionTail?>(nil)
  /// Identities whose keys were passed to networks, at the start or since another daemon has added them.
  let unlocked = Mutex<Set<IdentityID>>([])
  /// The hub that passes committed changes to subscribers.
  public let hub: ChangeHub
  /// The hub that announces changes of posts.
  public let postHub = PostHub()
  /// The hub that announces changes of messages and conversations.
  public let messageHub = MessageHub()
  let requestsMax: Int
  let earlyMin: Int
  /// The channels for which it acts at first.
  let slots: SlotSet
  /// Whether anything may be published now.
  let mayAct: @Sendable () -> Bool
  private let seed: UInt64

  static let batchMax = 512
  public static let mainIdentity = "main"
  /// The feature that a test finds at relays that offer groups (NIP-29).
  static let groupCapability = "nip29"

  /// - Parameters:
  ///   - posts: the same storage, for posts and their data about channels, so that neither waits for the other's queries. `nil` if no posts
  ///     are published.
  ///   - messages: the parts for reading messages. `nil` if none are read.
  ///   - shared: the same storage, if other daemons commit to it, too.
  ///   - slots: the channels for which it acts at first. `gain` and `lose` change that.
  ///   - mayAct: whether anything may be published now. See `suspend`.
  ///   - coreSlots: the slots of the channels in the daemon's chat core, whether or not it acts for them now.
  ///   - addressing: networks whose relays can be managed though they are not served.
  ///   - servers: message and file servers. `nil` if they cannot be managed.
  ///   - rules: the initial rules.
  ///   - hub: passes changes to subscribers.
  ///   - earlyMin: the number of waiting inputs at which the engine decides during a commit. To wake it for each input would cost more than
  ///     it saves.
  ///   - requestsMax: the number of waiting requests at which others are refused as `busy`.
  ///   - secrets: opens the stored identity keys, and seals the passwords of servers.
  ///   - seed: the seed of random choices, above all among equal relays for channels.
  public init(
    storage: any CoordinatorStorage, posts: (any PostStorage & CoordinatorStorage)? = nil,
    messages: MessageParts? = nil, shared: (any SharedReading)? = nil, slots: SlotSet = .all,
    mayAct: @escaping @Sendable () -> Bool = { true },
    networks: [any RelayNetwork], coreSlots: SlotSet = .all, addressing: [any RelayAddressing] = [],
    servers: (any ServerNetwork)? = nil, rules: Rules, clock: any CoordinatorClock, secrets: SecretBox, logger: Logger,
    hub: ChangeHub = ChangeHub(), requestsMax: Int = 10_000, earlyMin: Int = 64, seed: UInt64 = .random(in: 0 ... .max)
  ) {
    let inbox = Inbox<Engine.Input>()
    self.inbox = inbox
    prober = Prober { peer, address, verdict in inbox.put(.tested(peer, address: address, verdict, nil)) }
    self.hub = hub
    self.requestsMax = requestsMax
    self.earlyMin = earlyMin
    self.seed = seed
    self.storage = storage
    self.posts = posts
    self.messages = messages
    self.shared = shared
    self.slots = slots
    self.mayAct = mayAct
    directory = RelayDirectory(
      networks: networks, addressing: addressing, servers: servers, coreSlots: coreSlots, seed: seed)
    self.rules = rules
    self.clock = clock
    self.secrets = secrets
    self.logger = logger
  }

  /// Serves until `stop` is called and all inputs are done.
  /// - Parameter ready: called once unfinished work was resumed.
  /// - Throws: `StoreError` when the store is unusable at the start, or another process has become its owner.
  public func run(ready: @Sendable () -> Void) async throws {
    defer {
      inbox.close()
      inbox.finish()
      postInbox.close()
      postInbox.finish()
      messageInbox.close()
      messageInbox.finish()
      hub.finish()
      postHub.finish()
      messageHub.finish()
    }
    do {
      try await withTaskCancellationHandler {
        try await serve(ready: ready)
      } onCancel: { [inbox] in
        inbox.close()
      }
    } catch let failure as CommitFailure {
      throw StoreError(failure)
    }
  }

  private func serve(ready: @Sendable () -> Void) async throws {
    let inbox = inbox
    do { try await prepareIdentities() } catch {
      await refuseAll()
      throw error
    }
    let failure = await withTaskGroup(of: Void.self) { group -> (any Error)? in
      var failure: (any Error)?
      for network in directory.networks.values {
        group.addTask { await network.run { self.take($0) } }
      }
      defer { prober.stop() }
      do {
        let stoppedAt = try await storage.lastSignOfLife()?.at
        let engine = try await Engine(
          storage: storage, slots: slots, directory: directory, rules: rules, clock: clock, logger: logger, hub: hub,
          prober: prober, metrics: metrics,
          seed: ~seed, mayAct: mayAct, poke: { inbox.poke() }, tellPosts: { self.tellPosts($0, about: $1) },
          tellMessages: { self.tellMessages($0) },
          post: { if !inbox.put($0) { $0.refuse(.busy) } })
        try await engine.resume()
        let posting = try await startPosts(stoppedAt: stoppedAt)
        let reading = startMessages()
        if let shared {
          let follower = RevisionTail(shared, self)
          tail.withLock { $0 = follower }
          group.addTask { await follower.run() }
        }
        ready()
        while engine.fenced == nil,
          let inputs = await inbox.take(max: Self.batchMax, atLeast: engine.flight == nil ? 1 : earlyMin)
        {
          await engine.process(inputs)
        }
        await engine.rest()
        postInbox.close()
        messageInbox.close()
        let delivered = await posting?.result
        await reading?.value
        await engine.noteEnd()
        engine.stop()
        try delivered?.get()
        if let fenced = engine.fenced { throw fenced }
      } catch {
        failure = error
        await refuseAll()
      }
      group.cancelAll()
      return failure
    }
    if let failure { throw failure }
  }

  /// Returns once everything that other daemons have committed by now was read, or could not be. Returns immediately if the store is not
  /// shared.
  public func catchUp() async { await tail.withLock { $0 }?.catchUp() }

  /// Puts a report into the inbox of channels.
  func inboxPut(_ report: NetworkReport) { inbox.put(.report(report)) }

  /// Answers waiting requests when nothing else will.
  private func refuseAll() async {
    inbox.close()
    while let inputs = await inbox.take(max: Self.batchMax) { for input in inputs { input.refuse(.busy) } }
    await refusePosts()
    await refuseMessages()
  }

  /// Makes `run` return once all inputs so far are done.
  public func stop() { inbox.close() }

  /// Whether `run` has returned.
  public var isStopped: Bool { inbox.isDone }

  // MARK: - Requests

  /// Stores a new channel and starts inviting its relays. Returns once the channel is durable.
  /// - Throws: `BatonError`, and nothing was stored.
  public func create(_ request: ChannelRequest) async throws(BatonError) -> ChannelSnapshot {
    do {
      return try await createOrRefuse(request)
    } catch BatonError.elsewhere(let channel) {
      // Another daemon creates it.
      throw .elsewhere(channel)
    } catch {
      // The only trace of a refused creation. The request may contain anything, and the reason describes it well enough.
      logger.event(
        .channelRefused, .notice, "the creation of a channel was refused: \(Trouble(.rejected, "\(error)").detail)", [:])
      throw error
    }
  }

  private func createOrRefuse(_ request: ChannelRequest) async throws(BatonError) -> ChannelSnapshot {
    let profile = try request.validatedProfile()
    // A channel that was created exists already, whatever happened to its relays since.
    if let known = try await answered(request, profile) { return known }
    var attempts = 0
    while true {
      let network = try network(for: request, profile)
      let relays = try directory.choose(for: request, on: network.kind, at: clock.now)
      // They count from their choice on, so that simultaneous creations see each other's choices.
      defer { directory.release(relays) }
      let channel = try await prepare(request, profile, on: network, relays)
      let result = await answer { .create(channel, $0) }
      guard case .failure(let error) = result, attempts < 5 else { return try result.get() }
      switch error {
      // The slot for the chat core was pinned a moment ago, and its previous owner is releasing it.
      case .networkUnavailable(let kind, _) where kind.isInCore && shared != nil:
        guard (try? await clock.sleep(until: clock.now + .seconds(1))) != nil else { throw error }
      // A picked relay was disabled at the same moment, so pick again.
      case .choiceChanged: break
      // Another daemon has created it with the same key since.
      case .elsewhere(nil): throw error
      case .elsewhere: if let known = try await answered(request, profile) { return known }
      default: throw error
      }
      attempts += 1
    }
  }

  /// The channel that this request has created already, if it has.
  private func answered(_ request: ChannelRequest, _ profile: Profile) async throws(BatonError) -> ChannelSnapshot? {
    guard let key = request.idempotencyKey, let stored = try await storedChannel(idempotencyKey: key) else { return nil }
    if let conflict = stored.row.conflict(with: request.digest(profile)) { throw conflict }
    return snapshot(stored)
  }

  /// The channel that was created with this key, if there is one.
  func storedChannel(idempotencyKey key: String) async throws(BatonError) -> StoredChannel? {
    do {
      guard let id = try await storage.channel(idempotencyKey: key) else { return nil }
      return try await storage.channel(id)
    } catch {
      throw BatonError(reading: error)
    }
  }

  /// The network of a new channel.
  func network(of request: ChannelRequest) throws(BatonError) -> any RelayNetwork {
    let kind = try network(of: request, directory.relays)
    guard let network = directory.networks[kind] else {
      throw unserved(kind)
    }
    return network
  }

  /// Why a network that this daemon does not serve is unusable.
  func unserved(_ kind: NetworkKind) -> BatonError {
    let isElsewhere = shared != nil && kind.isInCore
    return .networkUnavailable(
      kind,
      reason: "this daemon does not serve the network '\(kind.rawValue)'"
        + (isElsewhere ? ". Ask a daemon that has a chat core: batonctl cluster shows which do" : ""))
  }

  /// The network of a new channel, if it accepts the channel.
  private func network(for request: ChannelRequest, _ profile: Profile) throws(BatonError) -> any RelayNetwork {
    let network = try network(of: request)
    let kind = network.kind
    try directory.check(profile, on: kind)
    try check(request.key, of: request.kind, on: kind)
    return network
  }

  private func prepare(
    _ request: ChannelRequest, _ profile: Profile, on network: any RelayNetwork, _ chosen: [RelayID]
  ) async throws(BatonError) -> NewChannel {
    let kind = network.kind
    if request.kind == .group, chosen.count != 1 { throw .groupNeedsOneRelay }
    guard request.access.isEmpty || request.kind == .group else {
      throw .post(.notSupported(kind, reason: "anyone may join a channel, and on Nostr write in it. Create a group"))
    }
    let name = request.identity ?? Self.mainIdentity
    guard let identity = directory.read({ $0.identities }).first(where: { $0.network == kind && $0.name == name }) else {
      throw .noSuchIdentity(name)
    }
    let relays = directory.relays
    let rows = chosen.compactMap { relays[$0] }
    // Only these relays have known descriptions.
    let tested = rows.filter { $0.profile != nil || $0.condition.tested == true }
    let content: ChannelContent
    do {
      content = try await network.prepare(
        ChannelDraft(
          kind: request.kind, access: request.access, identity: identity.id, profile: profile, relays: rows.map(\.address),
          key: request.key,
          capabilities: Dictionary(tested.map { ($0.address, $0.capabilities) }) { first, _ in first }))
    } catch {
      if error.isUnsupported, let relay = chosen.first { throw .noGroupSupport(relay, reason: error.description) }
      throw .networkUnavailable(kind, reason: error.description)
    }
    return NewChannel(
      request: request, profile: profile, network: kind, relays: chosen, isPicked: request.relays?.isEmpty ?? true,
      content: content)
  }

  /// Retries one relay, or all relays that are not active if `relay` is `nil`.
  public func retry(_ channel: ChannelID, relay: RelayID?) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .retry(channel, relay, $0) }
  }

  /// Verifies the channel on all of its relays now, and compares its posts with theirs.
  public func verify(_ channel: ChannelID) async throws(BatonError) -> ChannelSnapshot {
    let snapshot = try await ask { .verify(channel, $0) }
    tellPosts(.doubted(channel, nil), about: channel)
    return snapshot
  }

  /// Adds relays to the channel, and raises the number of wanted active relays accordingly.
  /// - Parameter pick: the number of relays that the daemon picks in addition to the named ones.
  public func addRelays(
    _ relays: [RelayID], pick: Int = 0, to channel: ChannelID
  ) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .joinRelays(channel, relays, pick: pick, $0) }
  }

  /// Changes the channel. Returns once that is durable. The relays that serve the channel get the new profile after that.
  public func update(_ channel: ChannelID, _ edit: ChannelEdit) async throws(BatonError) -> ChannelSnapshot {
    let snapshot: ChannelSnapshot = try await ask { .update(channel, edit, $0) }
    // Posts that were due while it was frozen wait for that.
    if edit.isFrozen == false { postInbox.put(.lookAtSchedules) }
    return snapshot
  }

  /// Removes the channel from a relay, which is told, and lowers the number of wanted active relays by one.
  public func removeRelay(_ relay: RelayID, from channel: ChannelID) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .leaveRelay(channel, relay, $0) }
  }

  /// Removes the channel from all of its relays. The channel remains known as deleted.
  public func delete(_ channel: ChannelID) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .delete(channel, $0) }
  }

  /// Applies new rules. Running timers keep their time.
  public func adopt(_ rules: Rules) async throws(BatonError) { try await ask(limit: .max) { .adopt(rules, $0) } }

  /// Returns once coordinator and store have made a round trip: a write succeeded, or its failure has a known reason. The limit on waiting
  /// requests does not apply to it.
  /// - Throws: `storageUnavailable` after a failed write, and `busy` when the coordinator has stopped.
  public func heartbeat() async throws(BatonError) { try await ask(limit: .max) { .heartbeat($0) } }

  /// Returns once all earlier requests are done.
  public func barrier() async throws(BatonError) { try await ask { .barrier($0) } }

  /// Refuses a key that a channel of this kind cannot have.
  private func check(_ key: ChannelKey?, of kind: ChannelKind, on network: NetworkKind) throws(BatonError) {
    guard let key else { return }
    guard network == .nostr else {
      throw .invalidProfile(field: "key", reason: "on \(network.rawValue) keys are not Baton's to choose")
    }
    guard kind == .channel || key == .identity else {
      throw .invalidProfile(field: "key", reason: "a group identifies its admins by their keys, so the identity signs")
    }
  }

  private func network(of request: ChannelRequest, _ relays: [RelayID: RelayRow]) throws(BatonError) -> NetworkKind {
    guard let named = request.relays, !named.isEmpty else { return request.network ?? .nostr }
    var kind = request.network
    for id in named {
      guard let row = relays[id], !row.isDeleted else { throw .noSuchRelay(id) }
      guard kind == nil || kind == row.network else { throw .networkMismatch(id) }
      kind = row.network
    }
    return kind ?? .nostr
  }
}
