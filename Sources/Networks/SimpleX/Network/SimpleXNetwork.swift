public import Channels
internal import DequeModule
public import Logging
public import RelayNetwork
public import Secrets
internal import Synchronization

/// Channels on SimpleX chat relays, through a chat core that owns them.
///
/// The core gets one command at a time, and its events only mean that a look makes sense: every decision follows from the lists that the
/// core gives then. So nothing depends on an event that may be lost. Only messages are taken from events, and read again where some may be
/// missing.
public final class SimpleXNetwork: RelayNetwork {
  public let kind = NetworkKind.simplex
  /// The core forgets a relay that is removed from a channel.
  public let takesRemovedRelaysAgain = true
  public let readsAsMember = true

  enum Input: Sendable {
    case operation(RelayOperation)
    case post(DeliveryOperation)
    case turn(DeliveryTurn)
    case follow(FollowedChannel)
    case unfollow(ChannelID)
    /// A batch of messages was taken.
    case taken(MessageBatch.ID)
    case sync(ChannelID)
    case cancelled(ChannelID, RelayID)
    case core(CoreReport)
    case watched([RelayID: String])
    case test(CoreRelayTestRequest)
    case errand(CoreErrand)
    /// The errand under way ended.
    case errandDone(CoreErrand, CoreErrand.End)
    /// A connection for tests came up or went away.
    case lane(Int, isUp: Bool)
    /// A test of a relay ended.
    case tested(lane: Int, CoreRelayAddress, Result<CoreReply, CoreFailure>)
    /// It is time to look again.
    case nudged
    /// The core has sent more events than are kept: any channel may have changed.
    case eventsMissed
  }

  private struct State {
    var inputs = InputQueue()
    var nudgeTimes = NudgeTimes()
    var nudges: [Duration: Task<Void, Never>] = [:]
    var answers: [CoreRequestID: CheckedContinuation<Result<CoreReply, CoreFailure>, Never>] = [:]
    var requests = 0
    /// Names that were given since the program started, the oldest first.
    var prepared: Deque<String> = []
    var preparedSet: Set<String> = []
    /// Whether inputs are no longer processed.
    var isOver = false
  }

  private static let preparedMax = 10_000

  private let client: CoreClient
  /// Connections to the same core that are used for tests only.
  private let lanes: [CoreClient]
  private let limits: SimpleXLimits
  private let logger: Logger
  let now: @Sendable () -> Timestamp
  private let known: @Sendable (_ networkID: String) async throws -> KnownChannel?
  private let presets: (@Sendable ([PresetOperator]) -> Void)?
  /// The folder whose files posts may have, or `nil` if posts have no files.
  let files: FileFolder?
  private let served: @Sendable (_ after: ChannelID?, _ limit: Int) async throws -> [KnownChannel]
  private let state = Mutex(State())
  let reports = ReportBuffer<NetworkReport>()
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation
  private let began = ContinuousClock.now

  /// - Parameters:
  ///   - client: the connection to the core. No one else may use the core.
  ///   - lanes: further connections to it, for tests of relays, each of which may occupy its connection for a minute. As many tests run
  ///     simultaneously. The core sends each event to one of all these connections.
  ///   - known: returns the channel that the store has under a name in the core, with the relays that serve it. Throws if the store cannot
  ///     be read.
  ///   - presets: receives the operators, servers and relays that come with the core, after each connect if they have changed, or `nil` if
  ///     they are not needed.
  ///   - files: the folder whose files posts may have, on the core's machine, or `nil` if posts have no files.
  ///   - served: returns channels that relays serve, by id, starting after a given one. Throws if the store cannot be read.
  public init(
    client: CoreClient, lanes: [CoreClient], limits: SimpleXLimits = SimpleXLimits(), logger: Logger,
    now: @escaping @Sendable () -> Timestamp,
    known: @escaping @Sendable (_ networkID: String) async throws -> KnownChannel?,
    served: @escaping @Sendable (_ after: ChannelID?, _ limit: Int) async throws -> [KnownChannel],
    presets: (@Sendable ([PresetOperator]) -> Void)? = nil, files: FileFolder? = nil
  ) {
    self.client = client
    self.lanes = lanes
    self.limits = limits
    self.logger = logger
    self.now = now
    self.known = known
    self.served = served
    self.presets = presets
    self.files = files
    (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  public func parse(address: String) throws(InvalidAddress) -> RelayAddress {
    try SimpleXAddressing().parse(address: address)
  }

  // MARK: - Identities

  /// Returns an identity without a key: the core keeps the keys, and the identity `main` is its active user.
  public func makeIdentity(secret: Secret?) throws(NetworkFailure) -> IdentityKey {
    guard secret?.isEmpty ?? true else {
      throw NetworkFailure("on simplex keys are the chat core's and cannot be imported", isUnsupported: true)
    }
    return IdentityKey(publicName: "the active user of the chat core", secret: Secret([UInt8]()))
  }

  public func secret(from text: String) throws(NetworkFailure) -> Secret {
    throw NetworkFailure("on simplex keys are the chat core's and cannot be imported", isUnsupported: true)
  }

  public func unlock(_ identity: IdentityID, key: IdentityKey) {}
  public func lock(_ identity: IdentityID) {}

  // MARK: - Channels

  public func check(_ profile: Profile) throws(ProfileRefusal) {
    if let refusal = ChannelDocument(profile, preparedAt: 0).refusal { throw refusal }
  }

  public func prepare(_ draft: ChannelDraft) async throws(NetworkFailure) -> ChannelContent {
    guard draft.kind == .channel else {
      throw NetworkFailure("simplex does not offer groups on one relay", isUnsupported: true)
    }
    let document = ChannelDocument(draft.profile, preparedAt: now().milliseconds)
    // This name holds until the core has created the channel and given it a number.
    let name = "new-" + String(UInt64.random(in: 0 ... .max), radix: 16)
    state.withLock { state in
      state.prepared.append(name)
      state.preparedSet.insert(name)
      if state.prepared.count > Self.preparedMax, let oldest = state.prepared.popFirst() { state.preparedSet.remove(oldest) }
    }
    return ChannelContent(identity: draft.identity, networkID: name, trustAnchor: "", document: document.text)
  }

  public func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition {
    let document = ChannelDocument(draft.profile, preparedAt: ChannelDocument(text: content.document)?.preparedAt ?? 0)
    return ChannelEdition(networkID: "", document: document.text, signedAt: now().milliseconds / 1000)
  }

  public func link(of content: ChannelContent, activeRelays: [String]) -> String { content.trustAnchor }

  public func perform(_ operation: RelayOperation) { put(.operation(operation)) }
  public func cancel(_ channel: ChannelID, at relay: RelayID) { put(.cancelled(channel, relay)) }
  /// Does nothing: a core belongs to one machine, so no other daemon can act in it.
  public func abandon(_ slots: SlotSet) async {}
  /// Looks at all of its channels again. A core may be there before its slot.
  public func gained(_ slots: SlotSet) { if !slots.pinned.isEmpty { put(.eventsMissed) } }
  public func watch(_ relays: [RelayID: String]) { put(.watched(relays)) }

  public func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep> {
    AsyncStream { continuation in
      do throws(InvalidAddress) {
        put(.test(CoreRelayTestRequest(try CoreRelayAddress(address.text), continuation)))
      } catch {
        continuation.yield(ProbeStep(name: "address", duration: .zero, failure: Trouble(.protocol, error.reason)))
        continuation.finish()
      }
    }
  }

  // MARK: - Running

  public func run(report: @escaping @Sendable (NetworkReport) -> Void) async {
    reports.start(report)
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await self.client.run { self.heard($0) } }
      for (lane, client) in self.lanes.enumerated() {
        tasks.addTask { await client.run { self.heard($0, on: lane) } }
      }
      tasks.addTask { await self.work() }
      await tasks.waitForAll()
    }
    state.withLock { state in
      for nudge in state.nudges.values { nudge.cancel() }
      (state.nudges, state.nudgeTimes) = ([:], NudgeTimes())
    }
  }

  private func work() async {
    let worker = CoreWorker(
      limits: limits, logger: logger,
      around: .init(
        now: now, known: known, served: served,
        isNew: { name in self.state.withLock { $0.preparedSet.contains(name) } },
        ask: { await self.ask($0, self.client) },
        test: { lane, user, address in
          Task {
            let result = await self.ask(.testRelay(user, address), self.lanes[lane])
            self.put(.tested(lane: lane, address, result))
          }
        }, arrived: { self.takeInputs() }, report: { self.reports.add($0) },
        nudge: { self.nudge(after: $0) }, presets: presets, files: files,
        errand: { lane, user, errand in
          Task {
            let end = await errand.run(as: user) { await self.ask($0, self.lanes[lane]) }
            self.put(.errandDone(errand, end))
          }
        }))
    for await _ in wakes {
      while true {
        let inputs = takeInputs()
        for input in inputs { worker.take(input) }
        guard await worker.step() || !inputs.isEmpty else { break }
        if Task.isCancelled { return end(worker) }
      }
    }
    end(worker)
  }

  private func end(_ worker: CoreWorker) {
    worker.end()
    refuseErrands()
  }

  private func takeInputs() -> [Input] {
    state.withLock { $0.inputs.take() }
  }

  private func nudge(after wait: Duration) {
    state.withLock { state in
      guard let time = state.nudgeTimes.add(wait, at: ContinuousClock.now - began) else { return }
      state.nudges[time] = Task {
        guard (try? await Task.sleep(until: began + time, clock: .continuous)) != nil else { return }
        self.state.withLock { state in
          state.nudgeTimes.passed(time)
          state.nudges[time] = nil
        }
        put(.nudged)
      }
    }
  }

  private func heard(_ what: CoreReport) {
    guard case .reply(let id, let result) = what else { return put(.core(what)) }
    state.withLock { $0.answers.removeValue(forKey: id) }?.resume(returning: result)
  }

  /// Handles a report of a lane. Only its events matter, and whether it can be used: the active user is known from the first connection.
  private func heard(_ what: CoreReport, on lane: Int) {
    switch what {
    case .reply, .event: heard(what)
    case .up: put(.lane(lane, isUp: true))
    case .down: put(.lane(lane, isUp: false))
    }
  }

  private func ask(_ command: CoreCommand, _ client: CoreClient) async -> Result<CoreReply, CoreFailure> {
    await withCheckedContinuation { continuation in
      let id = state.withLock { state in
        state.requests += 1
        let id = CoreRequestID(rawValue: state.requests)
        state.answers[id] = continuation
        return id
      }
      client.submit(id, command)
    }
  }

  func put(_ input: Input) {
    state.withLock { $0.inputs.put(input) }
    waker.yield(())
  }

  /// Hands an errand to the worker. It is answered in any case.
  func put(_ errand: CoreErrand) {
    let isOver = state.withLock { state in
      if !state.isOver { state.inputs.put(.errand(errand)) }
      return state.isOver
    }
    if isOver { errand.refuse("Baton ends") } else { waker.yield(()) }
  }

  /// Refuses the errands that no one will do.
  private func refuseErrands() {
    let left = state.withLock { state in
      state.isOver = true
      return state.inputs.take()
    }
    for case .errand(let errand) in left { errand.refuse("Baton ends") }
  }
}
