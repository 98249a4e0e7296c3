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
  private(set) var user: CoreUser.ID?
  /// Why there is no user.
  private(set) var absence = Trouble(.unreachable, "the chat core was not reached yet")
  /// Whether the core was reached, or found not to be there, at least once.
  private var isDecided = false
  /// Whether it is to be seen first that the core is the one with Baton's channels.
  private var mustRecognise = false
  private var isRecognitionHeld = false

  /// What waits, by channel and relay.
  var pending: [ChannelID: [RelayID: Pending]] = [:]
  /// Channels that were found or made since the program began.
  private(set) var bound: [ChannelID: Bound] = [:]
  private var owners: [String: ChannelID] = [:]
  /// Channels of which the core may have made one without saying so, with when it was asked to.
  var doubtful: [ChannelID: Timestamp] = [:]
  /// When the connection broke over the list of all channels.
  var searchFailed: Timestamp?
  /// When the connection came up: what an earlier one asked for may still be under way.
  private(set) var upSince = Timestamp(milliseconds: 0)
  private var absentSince = Timestamp(milliseconds: 0)
  /// The user of a core that has none of the channels.
  private var strangeUser: CoreUser.ID?
  private(set) var watched: [RelayID: String] = [:]

  private var due = WorkQueue()
  /// Channels that may have lost a relay without being asked about, with their numbers in the core. They come after everything else.
  private var suspects: [ChannelID: CoreGroup.ID] = [:]
  private var suspectsDue = WorkQueue()
  /// Where the look at all channels goes on; nil: it is over.
  private var resynchronised: (after: ChannelID?, isOn: Bool) = (nil, false)
  /// Channels that wait for further invitations, or for time to pass.
  private var waiting: [ChannelID: Timestamp] = [:]
  private var tests: [CoreRelayTestRequest] = []
  private var isTestsTurn = true

  /// Relays as the core lists them; nil: not asked yet.
  var serverGroups: [CoreServerGroup]?
  /// What came with the core when it was last read; nil: never.
  var knownPresets: [PresetOperator]?
  private var mustReadPresets = false
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

  /// The first version of the core that has channels on relays (facts on SimpleX).
  private static let versionMin = 7

  // MARK: - Input

  func take(_ input: SimpleXNetwork.Input) {
    switch input {
    case .operation(let operation):
      pending[operation.channel, default: [:]][operation.relay] = Pending(operation: operation, since: now())
      due.add(operation.channel)
      if user == nil { around.nudge(limits.patience) }
    case .cancelled(let channel, let relay): drop(channel, relay)
    case .watched(let relays): watched = relays
    case .test(let request): tests.append(request)
    case .core(.up(let version, let user)): up(version, user)
    case .core(.down(let reason)): down(reason)
    case .core(.event(let event)): heed(event)
    case .core(.reply): break
    case .nudged: nudged()
    }
  }

  private func up(_ version: CoreVersion, _ user: CoreUser?) {
    isDecided = true
    guard version.isAtLeast(Self.versionMin) else {
      leave(Trouble(.incompatibleVersion, "the chat core has version \(version), channels need \(Self.versionMin).0 or newer"))
      return logger.error("\(absence.detail)")
    }
    guard let user else {
      leave(Trouble(.unreachable, "the chat core has no user: start it with --user-display-name"))
      return logger.warning("\(absence.detail)")
    }
    logger.notice("the chat core \(version) is there, its user is '\(user.displayName)'")
    self.user = user.id
    (strangeUser, isRecognitionHeld) = (nil, false)
    upSince = now()
    mustRecognise = true
    mustReadPresets = true
    serverGroups = nil
    resynchronised = (nil, true)
    for channel in pending.keys.sorted() { due.add(channel) }
  }

  private func down(_ reason: String) {
    isDecided = true
    if user != nil { logger.warning("the chat core is gone: \(reason)") }
    leave(Trouble(.unreachable, "the chat core cannot be reached: \(reason)"))
  }

  private func leave(_ trouble: Trouble) {
    if user != nil || absentSince.milliseconds == 0 { absentSince = now() }
    (user, strangeUser) = (nil, nil)
    absence = trouble
    if !pending.isEmpty { around.nudge(limits.patience) }
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
      finish(operation.operation, .troubled(absence, retryAfter: nil))
    }
    // Perhaps the right user is back.
    if let stranger = strangeUser { (user, strangeUser, mustRecognise) = (stranger, nil, true) }
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

  /// Nothing follows any more. Operations are taken up again by the next start.
  func end() {
    for test in tests { test.finish() }
    tests = []
  }

  // MARK: - Work

  /// Does the next thing: a test and something else by turns, and what nobody asked for when there is nothing else.
  /// - Returns: whether there was one.
  func step() async -> Bool {
    guard isDecided else { return false }
    tests.removeAll(where: \.isOver)
    isTestsTurn.toggle()
    if isTestsTurn || user == nil, !tests.isEmpty {
      await run(tests.removeFirst())
      return true
    }
    if await workOff() { return true }
    guard !tests.isEmpty else { return false }
    await run(tests.removeFirst())
    return true
  }

  private func workOff() async -> Bool {
    guard user != nil else { return false }
    if mustRecognise {
      guard !isRecognitionHeld else { return false }
      mustRecognise = false
      await recognise()
      return true
    }
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

  /// Asks the core. Without a connection the answer is that there is none.
  func ask(_ command: CoreCommand) async -> Result<CoreReply, CoreFailure> {
    let result = await around.ask(command)
    if case .failure(let failure) = result { logger.debug("\(command): \(failure)") }
    return result
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

  /// Channels that are looked at to see whether this is the core that has them.
  private static let recognisedMax = 10
  private static let lookedThroughMax = 200
  private static let recogniseAgain = Duration.seconds(30)
  private static let pageSize = 100

  /// A core that has none of the channels that relays serve is another one, or has another user. Making them anew in it would double
  /// them all.
  private func recognise() async {
    let established = around.served(nil, Self.lookedThroughMax).filter(\.isEstablished).prefix(Self.recognisedMax)
    var missing = 0
    for channel in established {
      guard let group = channel.content.group else { continue }
      switch await ask(.relays(group)) {
      case .success(.relays(let found, _)): if found.isCalled(channel.content.networkID) { return }
      case .failure(.refused(let error)) where error.isGroupMissing: break
      default:
        // Not to be seen now: nothing is done before it is.
        mustRecognise = user != nil
        isRecognitionHeld = true
        return around.nudge(Self.recogniseAgain)
      }
      missing += 1
    }
    guard missing > 0, let stranger = user else { return }
    let words =
      "the chat core has none of Baton's channels on SimpleX: it is another core, or another user of it is active; nothing is done in it"
    let (isKnown, since) = (absence.detail == words, absentSince)
    leave(Trouble(.unreachable, words))
    if isKnown { absentSince = since } else { logger.error("\(words)") }
    strangeUser = stranger
    around.nudge(Self.recogniseAgain)
  }

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
