internal import Channels
internal import Logging
internal import RelayNetwork

/// Looks after Baton's channels in one core: one thing at a time, by one task.
///
/// Operations wait here until what the core lists answers them. An event only makes the worker look again, and so does every new
/// connection, because what the core said to a broken one is lost (facts on SimpleX, §1.4).
final class CoreWorker {
  struct Pending {
    let operation: RelayOperation
    var isHandedOver = false
    let since: Timestamp
  }

  let limits: SimpleXLimits
  let logger: Logger
  let now: @Sendable () -> Timestamp
  let known: @Sendable (_ networkID: String) -> KnownChannel?
  private let send: @Sendable (CoreCommand) async -> Result<CoreReply, CoreFailure>
  let report: @Sendable (NetworkReport) -> Void
  /// Has `step` called again after a while.
  let nudge: @Sendable (Duration) -> Void

  /// Whose channels these are; nil while there is no connection.
  private(set) var user: CoreUser.ID?
  /// Why there is no user.
  private(set) var absence = Trouble(.unreachable, "the chat core was not reached yet")
  /// What waits, by channel and relay.
  var pending: [ChannelID: [RelayID: Pending]] = [:]
  /// Channels of the core that belong to Baton's, also while the store has not been told yet.
  private(set) var groups: [ChannelID: CoreGroup.ID] = [:]
  private var channels: [CoreGroup.ID: ChannelID] = [:]
  private(set) var watched: [RelayID: String] = [:]
  /// Channels to look at, in order.
  private var due: [ChannelID] = []
  /// Channels that wait for further invitations.
  private var gathering: [ChannelID] = []
  /// Channels that may have lost a relay without being asked about, with their numbers in the core.
  private var suspects: [ChannelID: CoreGroup.ID] = [:]
  private var tests: [(address: CoreRelayAddress, steps: AsyncStream<ProbeStep>.Continuation)] = []
  private var mustResynchronise = false
  /// Relays as the core lists them; nil: not asked yet.
  var serverGroups: [CoreServerGroup]?
  /// When relays passed a test, by comparison key.
  var passed: [String: Timestamp] = [:]

  init(
    limits: SimpleXLimits, logger: Logger, now: @escaping @Sendable () -> Timestamp,
    known: @escaping @Sendable (_ networkID: String) -> KnownChannel?,
    ask: @escaping @Sendable (CoreCommand) async -> Result<CoreReply, CoreFailure>,
    report: @escaping @Sendable (NetworkReport) -> Void, nudge: @escaping @Sendable (Duration) -> Void
  ) {
    self.limits = limits
    self.logger = logger
    self.now = now
    self.known = known
    send = ask
    self.report = report
    self.nudge = nudge
  }

  // MARK: - Input

  func take(_ input: SimpleXNetwork.Input) {
    switch input {
    case .operation(let operation):
      pending[operation.channel, default: [:]][operation.relay] = Pending(operation: operation, since: now())
      look(at: operation.channel)
    case .cancelled(let channel, let relay): drop(channel, relay)
    case .watched(let relays): watched = relays
    case .test(let address, let steps): tests.append((address, steps))
    case .core(.up(let version, let user)): up(version, user)
    case .core(.down(let reason)): down(reason)
    case .core(.event(let event)): heed(event)
    case .core(.reply): break
    case .nudged:
      for channel in gathering { look(at: channel) }
      gathering = []
    }
  }

  /// Whether the core was reached, or found not to be there, at least once.
  private var isDecided = false

  private func up(_ version: CoreVersion, _ user: CoreUser?) {
    isDecided = true
    guard let user else {
      absence = Trouble(.unreachable, "the chat core has no user: start it with --user-display-name")
      logger.warning("\(absence.detail)")
      return
    }
    logger.notice("the chat core \(version) is there, its user is '\(user.displayName)'")
    self.user = user.id
    serverGroups = nil
    mustResynchronise = true
    for channel in pending.keys.sorted() { look(at: channel) }
  }

  private func down(_ reason: String) {
    isDecided = true
    if user != nil { logger.warning("the chat core is gone: \(reason)") }
    user = nil
    absence = Trouble(.unreachable, "the chat core cannot be reached: \(reason)")
  }

  private func heed(_ event: CoreEvent) {
    switch event {
    case .relayUpdated(let group, _, _), .memberConnected(let group, _): suspect(group.id)
    case .linkUpdated(let group, _, _, _), .memberUpdated(let group, _, _), .memberLeft(let group, _),
      .memberRemoved(let group, _, _), .userRemoved(let group, _), .groupDeleted(let group, _), .groupUpdated(_, let group):
      suspect(group.id)
    case .error(let error): if let group = error.place?.group { suspect(group) }
    case .unreadable(let tag, let fault): logger.debug("an event of the chat core cannot be read: \(tag): \(fault)")
    case .hostConnected, .hostDisconnected, .refusal, .messageError, .other: break
    }
  }

  private func suspect(_ group: CoreGroup.ID) {
    guard let channel = owner(of: group) else { return }
    suspects[channel] = group
    look(at: channel)
  }

  func look(at channel: ChannelID) {
    if !due.contains(channel) { due.append(channel) }
  }

  /// Looks at `channel` when `wait` is over.
  func look(at channel: ChannelID, after wait: Duration) {
    if !gathering.contains(channel) { gathering.append(channel) }
    nudge(wait)
  }

  private func drop(_ channel: ChannelID, _ relay: RelayID) {
    pending[channel]?[relay] = nil
    if pending[channel]?.isEmpty == true { pending[channel] = nil }
  }

  /// Nothing follows any more. Operations are taken up again by the next start.
  func end() {
    for test in tests { test.steps.finish() }
    tests = []
  }

  // MARK: - Work

  /// Does the next thing.
  /// - Returns: whether there was one.
  func step() async -> Bool {
    if isDecided, !tests.isEmpty {
      let test = tests.removeFirst()
      await run(test.address, test.steps)
      return true
    }
    guard user != nil else { return false }
    if mustResynchronise {
      mustResynchronise = false
      await resynchronise()
      return true
    }
    guard !due.isEmpty else { return false }
    let channel = due.removeFirst()
    await serve(channel, suspect: suspects.removeValue(forKey: channel))
    return true
  }

  /// Asks the core. Without a connection the answer is that there is none.
  func ask(_ command: CoreCommand) async -> Result<CoreReply, CoreFailure> {
    let result = await send(command)
    if case .failure(let failure) = result { logger.debug("\(command): \(failure)") }
    return result
  }

  /// An operation is over.
  func finish(_ operation: RelayOperation, _ outcome: RelayOutcome) {
    guard pending[operation.channel]?[operation.relay]?.operation.number == operation.number else { return }
    drop(operation.channel, operation.relay)
    report(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome))
  }

  func handOver(_ operation: RelayOperation) {
    guard let known = pending[operation.channel]?[operation.relay], known.operation.number == operation.number,
      !known.isHandedOver
    else { return }
    pending[operation.channel]?[operation.relay]?.isHandedOver = true
    report(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, .handedOver))
  }

  /// The core cannot do this now, or could not and said why.
  /// - Returns: what that means for an operation; nil: it waits for the connection.
  func outcome(of failure: CoreFailure) -> RelayOutcome? {
    switch failure {
    case .refused(let error) where error.kind == .temporary: .troubled(error.trouble, retryAfter: nil)
    case .refused(let error): .refused(error.trouble)
    case .unreadable: .troubled(Trouble(.protocol, failure.description), retryAfter: nil)
    case .notSent(.tooMany): .troubled(Trouble(.storage, failure.description), retryAfter: nil)
    // Whether it was carried out is seen when the connection is back.
    case .notSent, .unknown: nil
    }
  }

  func fail(_ operations: [RelayOperation], _ failure: CoreFailure) {
    guard let outcome = outcome(of: failure) else { return }
    for operation in operations { finish(operation, outcome) }
  }

  // MARK: - Which channel is which

  /// Binds a channel of Baton's to one of the core's, and tells the store.
  func adopt(_ group: CoreGroup, link: CoreGroupLink?, for channel: ChannelID, author: String) {
    if let old = groups[channel] { channels[old] = nil }
    groups[channel] = group.id
    channels[group.id] = channel
    let link = link?.short ?? link?.full ?? group.profile.publicLink ?? author
    report(.named(channel: channel, networkID: group.id.description, author: link))
  }

  /// The core does not have it any more.
  func forget(_ channel: ChannelID) {
    if let group = groups.removeValue(forKey: channel) { channels[group] = nil }
  }

  /// Whose channel a group of the core's is.
  func owner(of group: CoreGroup.ID) -> ChannelID? { channels[group] ?? known(group.description)?.id }

  // MARK: - Without being asked

  /// Looks at everything that the core has of ours: what it said while nobody listened is lost.
  private func resynchronise() async {
    guard let user, case .success(.groups(let all)) = await ask(.groups(user)) else { return }
    for group in all where group.usesRelays && owner(of: group.id) != nil { suspect(group.id) }
  }

  /// Finds relays that do not serve a channel any more.
  func tellLosses(of channel: ChannelID, _ listing: GroupListing) {
    guard let known = known(listing.group.id.description) else { return }
    if let link = listing.link, link != known.content.author, !known.content.author.isEmpty {
      report(.named(channel: channel, networkID: listing.group.id.description, author: link))
    }
    for (relay, address) in known.relays.sorted(by: { $0.key < $1.key }) where pending[channel]?[relay] == nil {
      guard let loss = listing.standing(of: address).loss else { continue }
      report(.lost(channel: channel, relay: relay, loss))
    }
  }
}
