public import Channels
public import Logging
public import RelayNetwork
public import Store

/// Runs the channels: takes requests and reports in, one after the other, and makes every step durable before anybody hears of it.
public final class Coordinator: Sendable {
  private let storage: any CoordinatorStorage
  private let directory: RelayDirectory
  private let policy: RelayPolicy
  private let clock: any CoordinatorClock
  private let logger: Logger
  private let secrets: SecretBox
  private let inbox = Inbox<Engine.Input>()
  /// Where subscribers get committed changes from.
  public let hub = ChangeHub()

  /// Requests that may wait; more are refused as `busy`.
  public static let requestsMax = 10_000
  private static let batchMax = 512
  public static let mainIdentity = "main"

  /// - Parameters:
  ///   - policy: timers and limits of channel relays.
  ///   - secrets: opens the stored identity keys.
  public init(
    storage: any CoordinatorStorage, networks: [any RelayNetwork], policy: RelayPolicy, clock: any CoordinatorClock,
    secrets: SecretBox, logger: Logger
  ) {
    self.storage = storage
    directory = RelayDirectory(networks: networks)
    self.policy = policy
    self.clock = clock
    self.secrets = secrets
    self.logger = logger
  }

  /// Serves until `stop` is called and everything taken in is done.
  /// - Parameter ready: called once unfinished work was taken up again.
  /// - Throws: `StoreError` when the store cannot be read at the start.
  public func run(ready: @Sendable () -> Void) async throws {
    defer {
      inbox.close()
      inbox.finish()
      hub.finish()
    }
    try await withTaskCancellationHandler {
      try await serve(ready: ready)
    } onCancel: { [inbox] in
      inbox.close()
    }
  }

  private func serve(ready: @Sendable () -> Void) async throws {
    let inbox = inbox
    try await prepareIdentities()
    let failure = await withTaskGroup(of: Void.self) { group -> (any Error)? in
      var failure: (any Error)?
      for network in directory.networks.values {
        group.addTask { await network.run { inbox.put(.report($0)) } }
      }
      do {
        let engine = try Engine(
          storage: storage, directory: directory, policy: policy, clock: clock, logger: logger, hub: hub,
          post: { inbox.put($0) })
        try await engine.resume()
        ready()
        while true {
          let inputs = await inbox.take(max: Self.batchMax)
          if inputs.isEmpty { break }
          await engine.process(inputs)
        }
        engine.stop()
      } catch {
        failure = error
      }
      group.cancelAll()
      return failure
    }
    if let failure { throw failure }
  }

  /// Lets `run` return after what was taken in by now.
  public func stop() { inbox.close() }

  /// Whether `run` has returned.
  public var isStopped: Bool { inbox.isDone }

  /// Makes the identity `main` where it is missing and gives the networks their keys.
  private func prepareIdentities() async throws {
    var rows = try storage.identities()
    var nextID = try storage.counters().identity + 1
    for (kind, network) in directory.networks
    where !rows.contains(where: { $0.network == kind && $0.name == Self.mainIdentity }) {
      let key = try network.makeIdentity(secret: nil)
      let row = IdentityRow(
        id: IdentityID(rawValue: nextID), name: Self.mainIdentity, network: kind, publicKey: key.publicKey,
        sealedKey: try secrets.seal(key.secret, name: Self.mainIdentity), createdAt: clock.now)
      nextID += 1
      try await storage.commit([.insertIdentity(row)])
      rows.append(row)
      logger.info("made the identity '\(row.name)' on \(kind.rawValue): \(key.publicKey)")
    }
    for row in rows {
      let secret = try secrets.open(row.sealedKey, name: row.name)
      if let network = directory.networks[row.network] {
        network.unlock(row.id, key: try network.makeIdentity(secret: secret))
      }
    }
    let known = rows
    directory.write { $0.identities = known }
  }

  // MARK: - Requests

  /// Stores a new channel and starts inviting its relays. Returns once the channel is durable.
  /// - Throws: `BatonError`; then nothing was stored.
  public func create(_ request: ChannelRequest) async throws(BatonError) -> ChannelSnapshot {
    let profile = try request.validatedProfile()
    let relays = directory.relays
    let kind = try network(of: request, relays)
    guard let network = directory.networks[kind] else {
      throw .networkUnavailable(kind, reason: "this daemon does not serve the network '\(kind.rawValue)'")
    }
    let chosen = try choose(request, kind, relays)
    let name = request.identity ?? Self.mainIdentity
    guard let identity = directory.read({ $0.identities }).first(where: { $0.network == kind && $0.name == name }) else {
      throw .noSuchIdentity(name)
    }
    let content: ChannelContent
    do {
      content = try network.prepare(
        ChannelDraft(identity: identity.id, profile: profile, relays: chosen.compactMap { relays[$0]?.address }))
    } catch {
      throw .networkUnavailable(kind, reason: error.description)
    }
    let channel = NewChannel(request: request, profile: profile, network: kind, relays: chosen, content: content)
    return try await ask { .create(channel, $0) }
  }

  /// Tries one relay again (nil: all that are not active).
  public func retry(_ channel: ChannelID, relay: RelayID?) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .retry(channel, relay, $0) }
  }

  /// Verifies the channel on all of its relays now.
  public func verify(_ channel: ChannelID) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .verify(channel, $0) }
  }

  /// Removes the channel from all of its relays. The channel stays known as deleted.
  public func delete(_ channel: ChannelID) async throws(BatonError) -> ChannelSnapshot {
    try await ask { .delete(channel, $0) }
  }

  /// Adds a relay. The address of a removed relay brings that relay back.
  /// - Parameter name: nil uses the host.
  public func addRelay(
    network kind: NetworkKind, address: String, name: String?, isEnabled: Bool
  ) async throws(BatonError) -> RelayRow {
    guard let network = directory.networks[kind] else {
      throw .networkUnavailable(kind, reason: "this daemon does not serve the network '\(kind.rawValue)'")
    }
    let normal = try parse(address, network)
    var displayName = normal.displayHost
    if let name {
      do { displayName = try DisplayName.validated(name) } catch { throw .invalidDisplayName(reason: error.reason) }
    }
    let row = RelayRow(
      id: RelayID(rawValue: 0), network: kind, address: normal.text, name: displayName, isEnabled: isEnabled, revision: 0)
    return try await ask { .addRelay(row, $0) }
  }

  /// Removes a relay from the choice for new channels. Refused while channels use it unless `force` is set; they then keep it.
  public func removeRelay(_ relay: RelayID, force: Bool) async throws(BatonError) -> RelayRow {
    try await ask { .removeRelay(relay, force: force, $0) }
  }

  /// Tests a relay step by step and remembers the verdict once the stream is read to its end.
  public func testRelay(_ id: RelayID) throws(BatonError) -> AsyncStream<RelayTestStep> {
    guard let row = directory.relays[id], !row.isDeleted, let network = directory.networks[row.network] else {
      throw .noSuchRelay(id)
    }
    let steps = try testRelay(address: row.address, network: row.network, network)
    return AsyncStream { continuation in
      let task = Task {
        var failure: String?
        for await step in steps {
          if let trouble = step.failure { failure = failure ?? "\(step.name): \(trouble.detail)" }
          continuation.yield(step)
        }
        let error = failure
        if !Task.isCancelled { _ = try? await ask { .recordTest(id, passed: error == nil, error: error, $0) } }
        continuation.finish()
      }
      continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
    }
  }

  /// Tests an address that need not be known.
  public func testRelay(address: String, network kind: NetworkKind) throws(BatonError) -> AsyncStream<RelayTestStep> {
    guard let network = directory.networks[kind] else {
      throw .networkUnavailable(kind, reason: "this daemon does not serve the network '\(kind.rawValue)'")
    }
    return try testRelay(address: address, network: kind, network)
  }

  private func testRelay(
    address: String, network kind: NetworkKind, _ network: any RelayNetwork
  ) throws(BatonError) -> AsyncStream<RelayTestStep> {
    let normal = try parse(address, network)
    let identity = directory.read { $0.identities }.first { $0.network == kind && $0.name == Self.mainIdentity }
    return network.test(address: normal, identity: identity?.id ?? IdentityID(rawValue: 0))
  }

  /// Returns once everything that was asked for before is done; a sign of life of coordinator and store.
  public func barrier() async throws(BatonError) { try await ask { .barrier($0) } }

  // MARK: - Reading

  /// Relays as they are now, deleted ones included.
  public var relays: [RelayRow] { directory.relays.values.sorted { $0.id < $1.id } }

  public var networks: [NetworkKind] { directory.networks.keys.sorted { $0.rawValue < $1.rawValue } }

  /// Why changes are refused at present; nil when storage works.
  public var storageTrouble: String? { directory.read { $0.storageTrouble } }

  /// Channels that have something left to do.
  public var liveChannelCount: Int { directory.read { $0.liveChannels } }

  /// What clients see of a stored channel.
  public func snapshot(_ stored: StoredChannel) -> ChannelSnapshot { directory.snapshot(stored.row, stored.relays) }

  // MARK: - Helpers

  private func ask<Value>(_ input: (Reply<Value>) -> Engine.Input) async throws(BatonError) -> Value {
    let result: Result<Value, BatonError> = await withCheckedContinuation { continuation in
      let reply = Reply<Value> { continuation.resume(returning: $0) }
      if !inbox.put(input(reply), limit: Self.requestsMax) { continuation.resume(returning: .failure(.busy)) }
    }
    return try result.get()
  }

  private func parse(_ address: String, _ network: any RelayNetwork) throws(BatonError) -> RelayAddress {
    do {
      return try network.parse(address: address)
    } catch {
      throw .invalidAddress(address: error.address, reason: error.reason)
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

  private func choose(
    _ request: ChannelRequest, _ kind: NetworkKind, _ relays: [RelayID: RelayRow]
  ) throws(BatonError) -> [RelayID] {
    if let named = request.relays, !named.isEmpty {
      var seen: Set<RelayID> = []
      let unique = named.filter { seen.insert($0).inserted }
      guard unique.count <= ChannelRequest.relaysMax else {
        throw .notEnoughRelays(wanted: unique.count, available: ChannelRequest.relaysMax)
      }
      return unique
    }
    let candidates = relays.values.filter { $0.network == kind && $0.isEnabled && !$0.isDeleted }.map { row in
      SelectionPolicy.Candidate(
        relay: row.id, relayOperator: row.relayOperator, reliability: SelectionPolicy.Reliability(row))
    }
    guard !candidates.isEmpty else { throw .noEnabledRelays(kind) }
    let wanted = request.pick ?? min(ChannelRequest.pickDefault, candidates.count)
    guard wanted >= 1, wanted <= candidates.count, wanted <= ChannelRequest.relaysMax else {
      throw .notEnoughRelays(wanted: wanted, available: candidates.count)
    }
    return Array(SelectionPolicy.order(candidates, seed: .random(in: 0 ... .max)).prefix(wanted))
  }
}

extension SelectionPolicy.Reliability {
  /// What the relay's health and last test say.
  init(_ row: RelayRow) {
    switch (row.health, row.tested) {
    case (.down, _), (.degraded, _), (_, false?): self = .failing
    case (.up, _), (_, true?): self = .good
    case (.unknown, nil): self = .untested
    }
  }
}
