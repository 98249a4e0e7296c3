internal import Channels
internal import Logging
internal import RelayNetwork

/// Manages Baton's channels in one core: one task does one thing at a time.
///
/// Operations wait here until the core's lists answer them. An event only makes the worker look again, and so does every new
/// connection, because events sent over a broken one are lost.
final class CoreWorker {
  struct Pending {
    let operation: RelayOperation
    var isHandedOver = false
    /// Whether the relay was invited for this operation, so that its status in the core is the answer.
    var isInvited = false
    /// The verdict of the test for this operation, or `nil` before the test.
    var verdict: Verdict?
    /// The key that is equal for all spellings of the relay's address.
    let key: String?
    let since: Timestamp
  }

  /// A channel in the core, by its name and number there.
  struct Place: Hashable {
    let name: String
    let group: CoreGroup.ID
  }

  /// A channel in the core that belongs to Baton.
  struct Bound: Hashable {
    let name: String
    let group: CoreGroup.ID
    let link: String

    var place: Place { Place(name: name, group: group) }
  }

  /// The worker's surroundings, apart from the core: its inputs and the functions that it calls.
  struct Surroundings {
    let now: @Sendable () -> Timestamp
    /// The channel that the store has under a name in the core. Throws if the store cannot be read. The worker does nothing else before the
    /// answer is there, and inputs that arrive keep their order.
    let known: @Sendable (_ name: String) async throws -> KnownChannel?
    /// Channels in the core that relays serve, by id, starting after a given one. The store is asked in the same way.
    let served: @Sendable (_ after: ChannelID?, _ limit: Int) async throws -> [KnownChannel]
    /// Whether Baton gave the name since the program started, so that no earlier run can have created the channel.
    let isNew: @Sendable (_ name: String) -> Bool
    let ask: @Sendable (CoreCommand) async -> Result<CoreReply, CoreFailure>
    /// Tests a relay over a lane. The answer comes as an input.
    let test: @Sendable (_ lane: Int, CoreUser.ID, CoreRelayAddress) -> Void
    /// Returns and removes the inputs that have arrived.
    let arrived: @Sendable () -> [SimpleXNetwork.Input]
    let report: @Sendable (NetworkReport) -> Void
    /// Has `take(.nudged)` called after a while.
    let nudge: @Sendable (Duration) -> Void
    /// Receives the operators that come with the core, or `nil` if they are not needed.
    var presets: (@Sendable ([PresetOperator]) -> Void)?
    /// The folder whose files posts may have, or `nil` if posts have no files.
    var files: FileFolder?
    /// Does an errand over a lane. `take(.errandDone)` follows.
    var errand: @Sendable (_ lane: Int, CoreUser.ID, CoreErrand) -> Void = { $2.refuse("no connection for it") }
  }

  let limits: SimpleXLimits
  let logger: Logger
  let around: Surroundings

  /// The user who owns the channels, or `nil` while nothing can be done.
  var user: CoreUser.ID?
  /// The reason why `user` is `nil`.
  var absence = NetworkTrouble(.absent, "the chat core was not reached yet")
  /// Whether the core was reached, or found to be absent, at least once.
  var isDecided = false
  /// The version of the connected core. `nil` without a connection, or if the core is too old for channels.
  var version: CoreVersion?
  /// The active user, as far as the core has reported it.
  var arrived: CoreUser?
  /// The last user who had Baton's channels.
  var home: CoreUser.ID?
  /// Whether the core must still be recognised as the one with Baton's channels.
  var mustRecognise = false
  var isRecognitionHeld = false
  /// The last reported state of the network as a whole.
  var told: NetworkState?

  /// The waiting operations, by channel and relay.
  var pending: [ChannelID: [RelayID: Pending]] = [:]
  /// Channels that were found or created since the program started.
  private(set) var bound: [ChannelID: Bound] = [:]
  private var owners: [String: ChannelID] = [:]
  /// Channels that the core may have created without reporting it, with the time of the command.
  var doubtful: [ChannelID: Timestamp] = [:]
  /// When the connection broke because of a list of channels, by the text that was searched for.
  var searchesFailed: [String: Timestamp] = [:]
  /// When the connection was opened: commands of an earlier one may still be under way.
  var upSince = Timestamp(milliseconds: 0)
  var absentSince = Timestamp(milliseconds: 0)
  /// The number of connections so far, including broken ones.
  var connections = 0
  private(set) var watched: [RelayID: String] = [:]

  var due = WorkQueue<ChannelID>()
  /// Channels that may have lost a relay. Channels without operations come after everything else.
  private var suspects: [ChannelID: Place] = [:]
  private var suspectsDue = WorkQueue<ChannelID>()
  /// Channels in the core that have news. Only the store shows whether they are Baton's.
  private var strangers = WorkQueue<Place>()
  /// Channels about which the store could not answer. It is asked again after a while.
  private var unplaced = WorkQueue<Place>()
  /// Channels whose news could not be reported, because the store could not be read or the core did not give the states of the relays. They
  /// are looked at again after a while. However much happens, there is one entry for each.
  private var untold: [ChannelID: Place] = [:]
  /// The channel after which the look at all channels continues, and whether that look is under way.
  var resynchronised: (after: ChannelID?, isOn: Bool) = (nil, false)
  /// Whether that look waits for a while, because the store is unreadable.
  private var isLookHeld = false
  /// Channels that wait for further invitations, or for a time.
  private var waiting: [ChannelID: Timestamp] = [:]
  /// Tests for which someone waits.
  var tests: [CoreRelayTestRequest] = []
  /// Relays for whose tests channels wait.
  var wantedTests: [CoreRelayAddress] = []
  /// The open connections for tests, by number.
  var lanes: Set<Int> = []
  /// The test under way on each of them.
  var testing: [Int: (address: CoreRelayAddress, began: Timestamp)] = [:]
  var isTestsTurn = false
  /// Errands that wait, in order, and the lane of the one under way.
  var errands: [(errand: CoreErrand, since: Timestamp)] = []
  var errandLane: Int?
  /// Links whose joining the core may still be at, and since when.
  var doubtfulJoins: [String: Timestamp] = [:]

  /// The operations for posts, by channel.
  var desks: [ChannelID: PostDesk] = [:]
  var knownPosts = KnownPosts()
  /// Since when posts wait for relays that are just getting their channels.
  var joining = JoiningRelays()
  var postsDue = WorkQueue<ChannelID>()
  private var isPostsTurn = false

  /// The channels whose messages are read.
  var readings = Readings()
  var outbox = NewsOutbox()
  var knownMembers = KnownMembers()
  /// Groups whose list of members has broken the connection: how often in a row, and until when they are not listed.
  var unlisted: [CoreGroup.ID: (count: Int, until: Timestamp)] = [:]
  /// Orders whose answers were lost, by the member that they are about.
  var lostOrders = LostOrders()
  /// Events about messages that came while a page is on its way, or `nil` if none is.
  var heldEvents: [CoreEvent]?

  /// The relays in the core's list, or `nil` if it was not read yet.
  var serverGroups: [CoreServerGroup]?
  /// The operators that came with the core when its list was last read, or `nil` if it was never read.
  var knownPresets: [PresetOperator]?
  var mustReadPresets = false
  /// When relays passed a test, by the normal form of their addresses.
  var passed: [String: Timestamp] = [:]
  /// Relays whose latest tests failed, by comparison key: how many in a row, and the reason and time of the last.
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
    case .post(let operation): take(operation)
    case .turn(let turn): take(turn)
    case .follow(let channel): follow(channel)
    case .unfollow(let channel): unfollow(channel)
    case .taken(let batch): taken(batch)
    case .sync(let channel): sync(channel)
    case .cancelled(let channel, let relay): drop(channel, relay)
    case .watched(let relays): watched = relays
    case .test(let request):
      tests.append(request)
      startTests()
    case .errand(let errand): take(errand)
    case .errandDone(let errand, let end): errandDone(errand, end)
    case .lane(let lane, let isUp): self.lane(lane, isUp: isUp)
    case .tested(let lane, let address, let result): tested(lane, address, result)
    case .core(.up(let version, let user)): up(version, user)
    case .core(.down(let reason)): down(reason)
    case .core(.event(let event)): heed(event)
    case .core(.reply): break
    case .nudged: nudged()
    case .eventsMissed:
      resynchronised = (nil, true)
      missedMessages()
    }
  }

  /// Does the work that is due.
  private func nudged() {
    (isRecognitionHeld, isLookHeld) = (false, false)
    while let stranger = unplaced.next() { strangers.add(stranger) }
    for (channel, place) in untold.sorted(by: { $0.key < $1.key }) where suspects[channel] == nil { suspect(channel, place) }
    untold = [:]
    lookAtPosts()
    lookAtReadings()
    lookAtErrands()
    for (channel, time) in waiting.sorted(by: { $0.key < $1.key }) {
      // Timers and this clock may differ a little.
      let rest = time - now()
      if rest <= .milliseconds(20) || rest > Self.waitMax {
        waiting[channel] = nil
        due.add(channel)
      }
    }
    guard user == nil else { return }
    // The attempt is over. The coordinator has its own timeout, and names the reason.
    let all = pending.values.flatMap(\.values).sorted { $0.operation.number < $1.operation.number }
    for operation in all where now() - max(operation.since, absentSince) >= limits.patience - .milliseconds(20) {
      finish(operation.operation, .troubled(absence.trouble, retryAfter: nil))
    }
    // The right user may be back, or there may be one now.
    if version != nil { mustRecognise = true }
  }

  private func heed(_ event: CoreEvent) {
    switch event {
    case .relayUpdated(let group, _, _), .linkUpdated(let group, _, _, _), .userRemoved(let group, _),
      .groupDeleted(let group, _), .groupUpdated(_, let group):
      suspect(group)
    case .memberConnected(let group, let member), .memberUpdated(let group, _, let member), .memberLeft(let group, let member),
      .memberRemoved(let group, _, let member):
      suspect(group)
      if member.role.known != .relay { membersChanged(in: group) }
    case .membersChanged(let group): membersChanged(in: group)
    case .error(let error):
      guard let group = error.place?.group else { return }
      for (channel, known) in bound where known.group == group { suspect(channel, known.place) }
    case .unreadable(let tag, let fault): logger.debug("unreadable event of the chat core: \(tag): \(fault)")
    case .itemsReceived, .itemUpdated, .itemsDeleted, .itemsGone, .reaction: hear(event)
    case .itemStatuses, .hostConnected, .hostDisconnected, .refusal, .messageError, .other: break
    }
  }

  /// Inputs are processed without waiting for the store, so that an input that cancels an operation is never too late because of news. Any
  /// number of events of one channel lead to one question.
  private func suspect(_ group: CoreGroup) {
    let place = Place(name: group.name, group: group.id)
    if let channel = owners[group.name] { suspect(channel, place) } else { strangers.add(place) }
  }

  private func suspect(_ channel: ChannelID, _ place: Place) {
    suspects[channel] = place
    lookAtPosts(of: channel)
    if pending[channel] == nil { suspectsDue.add(channel) } else { due.add(channel) }
  }

  /// Keeps news of a channel that cannot be reported now. Without a user this is not needed: once there is one, all channels are looked at.
  func keepNews(of channel: ChannelID, at place: Place) {
    guard user != nil else { return }
    if untold.isEmpty { around.nudge(limits.recogniseAgain) }
    untold[channel] = place
  }

  func look(at channel: ChannelID) { due.add(channel) }

  /// Schedules a look at `channel` after `wait`. A clock that was set back does not make the wait longer.
  func look(at channel: ChannelID, after wait: Duration, atMost longest: Duration) {
    let wait = min(wait, longest)
    waiting[channel] = min(waiting[channel] ?? now() + wait, now() + wait)
    around.nudge(wait)
  }

  /// The longest wait. A time that is further away comes from a clock that was set back.
  private static let waitMax = Duration.seconds(300)

  func drop(_ channel: ChannelID, _ relay: RelayID) {
    pending[channel]?[relay] = nil
    if pending[channel]?.isEmpty == true { pending[channel] = nil }
  }

  /// Whether the operation is still wanted: it was neither cancelled nor replaced.
  func isWanted(_ operation: RelayOperation) -> Bool {
    pending[operation.channel]?[operation.relay]?.operation.number == operation.number
  }

  /// Ends the worker. Operations are resumed after the next start.
  func end() {
    for test in tests { test.finish() }
    for (errand, _) in errands { errand.refuse("Baton ends") }
    (tests, errands) = ([], [])
  }

  // MARK: - Work

  /// Does the next step, or, if nothing was requested, a part of the look at all channels. Tests of relays run alongside.
  /// - Returns: whether there was anything to do.
  func step() async -> Bool {
    sendNews()
    guard isDecided else { return false }
    if mustRecognise, !isRecognitionHeld {
      mustRecognise = false
      await recognise()
      return true
    }
    guard user != nil else { return refuseErrands() || refuseTests() }
    return await workOff()
  }

  private func workOff() async -> Bool {
    if mustReadPresets {
      mustReadPresets = false
      await readPresets()
      return true
    }
    if let stranger = strangers.next() {
      switch await owner(of: stranger.name) {
      case .ours(let channel): suspect(channel, stranger)
      case .nobodys: break
      case .unknown:
        if unplaced.isEmpty { around.nudge(limits.recogniseAgain) }
        unplaced.add(stranger)
      }
      return true
    }
    if let channel = due.next() {
      await serve(channel, suspect: suspects.removeValue(forKey: channel))
      return true
    }
    // Posts and news of relays alternate, so that neither waits for all of the other.
    isPostsTurn.toggle()
    if isPostsTurn, await servePosts() { return true }
    if let channel = suspectsDue.next() {
      await serve(channel, suspect: suspects.removeValue(forKey: channel))
      return true
    }
    if await resynchronise() { return true }
    if await servePosts() { return true }
    // Other people's messages hold up nothing else.
    if await readMessages() { return true }
    return await readMembers()
  }

  // MARK: - Which channel is which

  /// The owner of a group in the core.
  enum Owner: Equatable {
    case ours(ChannelID)
    case nobodys
    /// The store cannot be read.
    case unknown
  }

  func owner(of name: String) async -> Owner {
    if let channel = owners[name] { return .ours(channel) }
    do {
      return try await around.known(name).map { .ours($0.id) } ?? .nobodys
    } catch {
      return .unknown
    }
  }

  /// Binds a channel to its group in the core, and reports that to the store.
  func adopt(_ group: CoreGroup, link: CoreGroupLink?, for channel: ChannelID) {
    forget(channel)
    let link = link?.short ?? group.profile.publicLink ?? link?.full ?? ""
    bound[channel] = Bound(name: group.name, group: group.id, link: link)
    owners[group.name] = channel
    doubtful[channel] = nil
    lookAtPosts(of: channel)
    report(.named(channel: channel, networkID: group.name, trustAnchor: link))
  }

  /// Unbinds a channel that the core no longer has.
  func forget(_ channel: ChannelID) {
    if let old = bound.removeValue(forKey: channel) { owners[old.name] = nil }
  }

  func report(_ what: NetworkReport) { around.report(what) }

  // MARK: - Without operations

  private static let pageSize = 100

  /// Looks at all channels, some at a time, because events from before the connection are lost.
  private func resynchronise() async -> Bool {
    guard resynchronised.isOn, !isLookHeld else { return false }
    guard let page = try? await around.served(resynchronised.after, Self.pageSize) else {
      isLookHeld = true
      around.nudge(limits.recogniseAgain)
      return false
    }
    for channel in page {
      if let group = channel.content.group { suspect(channel.id, Place(name: channel.content.networkID, group: group)) }
    }
    resynchronised = (page.last?.id, !page.isEmpty)
    return true
  }
}
