internal import Channels
internal import Logging
internal import RelayNetwork

/// Looks after Baton's channels in one core: one thing at a time, by one task.
///
/// Operations wait here until what the core lists answers them. An event only makes the worker look again, and so does every new
/// connection, because what the core said to a broken one is lost.
final class CoreWorker {
  struct Pending {
    let operation: RelayOperation
    var isHandedOver = false
    /// Whether the relay was invited for this very operation, so that what the core lists of it is the answer.
    var isInvited = false
    /// What a test made for it says of the relay; nil: none yet.
    var verdict: Verdict?
    /// What all spellings of the relay's address have in common.
    let key: String?
    let since: Timestamp
  }

  /// A channel of Baton's in the core.
  struct Bound: Hashable {
    let name: String
    let group: CoreGroup.ID
    let link: String
  }

  /// What the worker is told, and whom it asks, beside the core.
  struct Surroundings {
    let now: @Sendable () -> Timestamp
    /// The channel that the store knows under a name of the core's; throws when the store cannot say.
    let known: @Sendable (_ name: String) throws -> KnownChannel?
    /// Channels in the core that relays serve, by id, from the first after another one on.
    let served: @Sendable (_ after: ChannelID?, _ limit: Int) -> [KnownChannel]
    /// Whether a name of Baton's own was given since the program began, so that no earlier run can have made the channel.
    let isNew: @Sendable (_ name: String) -> Bool
    let ask: @Sendable (CoreCommand) async -> Result<CoreReply, CoreFailure>
    /// Tests a relay over a lane; the answer comes as an input.
    let test: @Sendable (_ lane: Int, CoreUser.ID, CoreRelayAddress) -> Void
    /// Takes out what has arrived for the worker meanwhile.
    let arrived: @Sendable () -> [SimpleXNetwork.Input]
    let report: @Sendable (NetworkReport) -> Void
    /// Has `take(.nudged)` called after a while.
    let nudge: @Sendable (Duration) -> Void
    /// Takes what comes with the core; nil: nobody wants to know.
    var presets: (@Sendable ([PresetOperator]) -> Void)?
  }

  let limits: SimpleXLimits
  let logger: Logger
  let around: Surroundings

  /// Whose channels these are; nil while nothing can be done.
  var user: CoreUser.ID?
  /// Why there is no user.
  var absence = NetworkTrouble(.absent, "the chat core was not reached yet")
  /// Whether the core was reached, or found not to be there, at least once.
  var isDecided = false
  /// The core that the connection leads to; nil while there is none, or one that has no channels.
  var version: CoreVersion?
  /// Who is active in it, as far as it said so by itself.
  var arrived: CoreUser?
  /// The last user who had Baton's channels.
  var home: CoreUser.ID?
  /// Whether it is to be seen first that the core is the one with Baton's channels.
  var mustRecognise = false
  var isRecognitionHeld = false
  /// What was last told of the network as a whole.
  var told: NetworkState?

  /// What waits, by channel and relay.
  var pending: [ChannelID: [RelayID: Pending]] = [:]
  /// Channels that were found or made since the program began.
  private(set) var bound: [ChannelID: Bound] = [:]
  private var owners: [String: ChannelID] = [:]
  /// Channels of which the core may have made one without saying so, with when it was asked to.
  var doubtful: [ChannelID: Timestamp] = [:]
  /// When the connection broke over a list of channels, by the text that was searched for.
  var searchesFailed: [String: Timestamp] = [:]
  /// When the connection came up: what an earlier one asked for may still be under way.
  var upSince = Timestamp(milliseconds: 0)
  var absentSince = Timestamp(milliseconds: 0)
  /// Connections so far, broken ones too.
  var connections = 0
  private(set) var watched: [RelayID: String] = [:]

  var due = WorkQueue()
  /// Channels that may have lost a relay without being asked about, with their numbers in the core. They come after everything else.
  private var suspects: [ChannelID: CoreGroup.ID] = [:]
  private var suspectsDue = WorkQueue()
  /// Where the look at all channels goes on; nil: it is over.
  var resynchronised: (after: ChannelID?, isOn: Bool) = (nil, false)
  /// Channels that wait for further invitations, or for time to pass.
  private var waiting: [ChannelID: Timestamp] = [:]
  /// Tests that somebody waits for.
  var tests: [CoreRelayTestRequest] = []
  /// Relays that channels wait for.
  var wantedTests: [CoreRelayAddress] = []
  /// Connections for tests that stand, by number.
  var lanes: Set<Int> = []
  /// What is under way on each.
  var testing: [Int: (address: CoreRelayAddress, began: Timestamp)] = [:]
  var isTestsTurn = false

  /// Relays as the core lists them; nil: not asked yet.
  var serverGroups: [CoreServerGroup]?
  /// What came with the core when it was last read; nil: never.
  var knownPresets: [PresetOperator]?
  var mustReadPresets = false
  /// When relays passed a test, by normal form.
  var passed: [String: Timestamp] = [:]
  /// Relays whose latest tests failed, by comparison key: how many in a row, why the last, and when.
  var failing: [String: (count: Int, trouble: Trouble, at: Timestamp)] = [:]

  init(limits: SimpleXLimits, logger: Logger, around: Surroundings) {
    self.limits = limits
    self.logger = logger
    self.around = around
  }

  func now() -> Timestamp { around.now() }

  // MARK: - Input

  func take(_ input: SimpleXNetwork.Input) {
    switch input {
    case .operation(let operation):
      pending[operation.channel, default: [:]][operation.relay] = Pending(
        operation: operation, key: (try? SimpleXLink(operation.address))?.comparisonKey, since: now())
      due.add(operation.channel)
      if user == nil { around.nudge(limits.patience) }
    case .cancelled(let channel, let relay): drop(channel, relay)
    case .watched(let relays): watched = relays
    case .test(let request):
      tests.append(request)
      startTests()
    case .lane(let lane, let isUp): self.lane(lane, isUp: isUp)
    case .tested(let lane, let address, let result): tested(lane, address, result)
    case .core(.up(let version, let user)): up(version, user)
    case .core(.down(let reason)): down(reason)
    case .core(.event(let event)): heed(event)
    case .core(.reply): break
    case .nudged: nudged()
    case .eventsMissed: resynchronised = (nil, true)
    }
  }

  /// Time has passed.
  private func nudged() {
    isRecognitionHeld = false
    for (channel, time) in waiting.sorted(by: { $0.key < $1.key }) {
      // Timers and this clock may differ a little.
      let rest = time - now()
      if rest <= .milliseconds(20) || rest > Self.waitMax {
        waiting[channel] = nil
        due.add(channel)
      }
    }
    guard user == nil else { return }
    // The attempt is over; the coordinator has its own patience, and names the reason.
    let all = pending.values.flatMap(\.values).sorted { $0.operation.number < $1.operation.number }
    for operation in all where now() - max(operation.since, absentSince) >= limits.patience - .milliseconds(20) {
      finish(operation.operation, .troubled(absence.trouble, retryAfter: nil))
    }
    // Perhaps the right user is back, or there is one at last.
    if version != nil { mustRecognise = true }
  }

  private func heed(_ event: CoreEvent) {
    switch event {
    case .relayUpdated(let group, _, _), .memberConnected(let group, _): suspect(group)
    case .linkUpdated(let group, _, _, _), .memberUpdated(let group, _, _), .memberLeft(let group, _),
      .memberRemoved(let group, _, _), .userRemoved(let group, _), .groupDeleted(let group, _), .groupUpdated(_, let group):
      suspect(group)
    case .error(let error):
      guard let group = error.place?.group else { return }
      for (channel, known) in bound where known.group == group { suspect(channel, group) }
    case .unreadable(let tag, let fault): logger.debug("an event of the chat core cannot be read: \(tag): \(fault)")
    case .hostConnected, .hostDisconnected, .refusal, .messageError, .other: break
    }
  }

  private func suspect(_ group: CoreGroup) {
    if case .ours(let channel) = owner(of: group.name) { suspect(channel, group.id) }
  }

  private func suspect(_ channel: ChannelID, _ group: CoreGroup.ID) {
    suspects[channel] = group
    if pending[channel] == nil { suspectsDue.add(channel) } else { due.add(channel) }
  }

  func look(at channel: ChannelID) { due.add(channel) }

  /// Looks at `channel` when `wait` is over. A clock that was set back makes nobody wait longer than meant.
  func look(at channel: ChannelID, after wait: Duration, atMost longest: Duration) {
    let wait = min(wait, longest)
    waiting[channel] = min(waiting[channel] ?? now() + wait, now() + wait)
    around.nudge(wait)
  }

  /// Nobody waits longer; a time that is further away comes from a clock that was set back.
  private static let waitMax = Duration.seconds(300)

  func drop(_ channel: ChannelID, _ relay: RelayID) {
    pending[channel]?[relay] = nil
    if pending[channel]?.isEmpty == true { pending[channel] = nil }
  }

  /// Whether somebody still waits for the operation: it was neither taken back nor replaced.
  func isWanted(_ operation: RelayOperation) -> Bool {
    pending[operation.channel]?[operation.relay]?.operation.number == operation.number
  }

  /// Nothing follows any more. Operations are taken up again by the next start.
  func end() {
    for test in tests { test.finish() }
    tests = []
  }

  // MARK: - Work

  /// Does the next thing, and what nobody asked for when there is nothing else. Tests of relays are under way meanwhile.
  /// - Returns: whether there was one.
  func step() async -> Bool {
    guard isDecided else { return false }
    if mustRecognise, !isRecognitionHeld {
      mustRecognise = false
      await recognise()
      return true
    }
    guard user != nil else { return refuseTests() }
    return await workOff()
  }

  private func workOff() async -> Bool {
    if mustReadPresets {
      mustReadPresets = false
      await readPresets()
      return true
    }
    if let channel = due.next() {
      await serve(channel, suspect: suspects.removeValue(forKey: channel))
      return true
    }
    if let channel = suspectsDue.next() {
      await serve(channel, suspect: suspects.removeValue(forKey: channel))
      return true
    }
    return resynchronise()
  }

  // MARK: - Which channel is which

  /// Whose a group of the core's is.
  enum Owner: Equatable {
    case ours(ChannelID)
    case nobodys
    /// The store cannot say.
    case unknown
  }

  func owner(of name: String) -> Owner {
    if let channel = owners[name] { return .ours(channel) }
    do {
      return try around.known(name).map { .ours($0.id) } ?? .nobodys
    } catch {
      return .unknown
    }
  }

  /// Binds a channel of Baton's to one of the core's, and tells the store.
  func adopt(_ group: CoreGroup, link: CoreGroupLink?, for channel: ChannelID) {
    forget(channel)
    let link = link?.short ?? group.profile.publicLink ?? link?.full ?? ""
    bound[channel] = Bound(name: group.name, group: group.id, link: link)
    owners[group.name] = channel
    doubtful[channel] = nil
    report(.named(channel: channel, networkID: group.name, author: link))
  }

  /// The core does not have it any more.
  func forget(_ channel: ChannelID) {
    if let old = bound.removeValue(forKey: channel) { owners[old.name] = nil }
  }

  func report(_ what: NetworkReport) { around.report(what) }

  // MARK: - Without being asked

  private static let pageSize = 100

  /// Looks at all channels, some at a time: what the core said while nobody listened is lost.
  private func resynchronise() -> Bool {
    guard resynchronised.isOn else { return false }
    let page = around.served(resynchronised.after, Self.pageSize)
    for channel in page { if let group = channel.content.group { suspect(channel.id, group) } }
    resynchronised = (page.last?.id, !page.isEmpty)
    return true
  }

  /// Finds relays that do not serve a channel any more, and those that took it after they were given up.
  /// - Parameter listing: nil: the core does not have the channel.
  func tellNews(of channel: ChannelID, called name: String, _ listing: GroupListing?) {
    guard let known = try? around.known(name), known.id == channel else { return }
    let gone = Trouble(.missing, "the core does not have the channel any more")
    for (relay, address) in known.relays.sorted(by: { $0.key < $1.key }) where pending[channel]?[relay] == nil {
      guard let loss = listing.map({ $0.standing(of: address).loss }) ?? gone else { continue }
      report(.lost(channel: channel, relay: relay, loss))
    }
    guard let listing else { return }
    for (relay, address) in known.lapsed.sorted(by: { $0.key < $1.key }) where pending[channel]?[relay] == nil {
      switch listing.standing(of: address) {
      // Late is not never. No operation has asked for it: those are numbered from 1.
      case .accepted(_, let link, _), .active(_, let link):
        report(.outcome(channel: channel, relay: relay, number: 0, .accepted(link: link)))
      case .absent, .stuck, .invited, .lost: break
      }
    }
  }
}
