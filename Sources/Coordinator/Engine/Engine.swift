internal import Channels
internal import Logging
internal import Meters
internal import RelayNetwork
internal import Storage

/// The coordinator's task: the shell of the decider for channels, operators, servers and relays. `Shell` defines the order of steps,
/// `Questions` the reads from storage for inputs, and `Effects` the consequences of a decision.
final class Engine {
  var decider: Decider
  let storage: any CoordinatorStorage
  private let questions: Questions
  let directory: RelayDirectory
  let clock: any CoordinatorClock
  let hub: ChangeHub
  let prober: Prober?
  /// Whether anything may be published now.
  let mayAct: @Sendable () -> Bool
  /// Called when a channel got a relay or left one, or a relay has lost it, once that is durable.
  let tellPosts: @Sendable (PostInput, ChannelID) -> Void
  /// Called when a channel's relays have changed, a channel was created or deleted, or a relay has changed, once that is durable.
  let tellMessages: @Sendable (MessageInput) -> Void
  /// Puts an input of the engine's own into the inbox.
  let post: @Sendable (Input) -> Void
  var commits: Commits
  var journal: Journal
  private let metrics: MetricBook
  var meter: EngineMeter
  private let waker: Waker
  /// When `timersDue` will come in. `nil` if it was not requested, or is on its way.
  var wakeAt: Timestamp? { waker.due }

  /// - Parameters:
  ///   - slots: the channels that it acts for at first.
  ///   - seed: the seed of random choices. The same seed and inputs give the same commits, actions and words, in the same order.
  ///   - isEager: whether commits begin immediately. Otherwise they begin with `land`.
  ///   - mayAct: whether anything may be published now. Otherwise that is left out until `resumed` comes in.
  ///   - poke: called when a commit is over, so that `process` is called soon.
  ///   - tellPosts: called when a channel got a relay or left one, or a relay has lost it, once that is durable.
  ///   - tellMessages: called when channels or relays have changed, once that is durable.
  init(
    storage: any CoordinatorStorage, slots: SlotSet = .all, directory: RelayDirectory, rules: Rules,
    clock: any CoordinatorClock, logger: Logger, hub: ChangeHub, prober: Prober?, metrics: MetricBook = MetricBook(),
    seed: UInt64, isEager: Bool = true,
    mayAct: @escaping @Sendable () -> Bool = { true }, poke: @escaping @Sendable () -> Void = {},
    tellPosts: @escaping @Sendable (PostInput, ChannelID) -> Void = { _, _ in },
    tellMessages: @escaping @Sendable (MessageInput) -> Void = { _ in },
    post: @escaping @Sendable (Input) -> Void
  ) async throws {
    self.storage = storage
    questions = Questions(storage, directory)
    self.directory = directory
    self.clock = clock
    journal = Journal(logger)
    self.metrics = metrics
    meter = EngineMeter(metrics)
    self.hub = hub
    self.prober = prober
    commits = Commits(isEager: isEager, whenOver: poke)
    self.post = post
    self.mayAct = mayAct
    waker = Waker(clock: clock) { post(.timersDue) }
    self.tellPosts = tellPosts
    self.tellMessages = tellMessages
    decider = Decider(
      directory: directory, slots: slots, rules: rules, hasTests: prober != nil, seed: seed,
      counters: try await storage.counters(), catalog: try await Catalog(stored: storage, addressing: directory.addressing),
      now: clock.now)
    hub.start(at: decider.base.counters.revision)
  }

  /// Resumes the work that was unfinished when the daemon last stopped. It follows from the stored state alone.
  func resume() async throws {
    let loads = try await storage.channelCounts(among: decider.slots)
    directory.write { $0.loads.begin(with: loads) }
    decider.begin(Set(loads.keys), at: clock.now)
    await depart()
    // This precedes reading any channel, because memory must match the store.
    // If daemons share a store, their clocks are compared instead, because its times come from several machines.
    if decider.slots.isAll {
      let latestVerifyDue = clock.now + decider.rules.verifyIntervalMax * 2
      try await storage.commit([.clampTimes(now: clock.now, latestVerifyDue: latestVerifyDue)])
    }
    let off = try await storage.lastSignOfLife().map { clock.now - $0.at } ?? .zero
    let unfinished = try await storage.unfinishedChannels(among: decider.slots)
    decider.absence = Absence(off, unfinished)
    for start in stride(from: 0, to: unfinished.count, by: Decider.sweepMax) {
      let some = unfinished[start..<min(start + Decider.sweepMax, unfinished.count)]
      await take([.takeUp(Array(some))])
      await rest()
    }
    if let fenced { throw fenced }
    journal.write([JournalEntry(level: .info, message: "resumed \(unfinished.count) unfinished channels")])
    scheduleWake()
  }

  /// Handles inputs, and a commit that is over.
  func process(_ inputs: [Input]) async {
    meter.hears(inputs, at: clock.now, decider.base.catalog.relays)
    await advance()
    if inputs.contains(where: \.isWaking) { waker.heard() }
    for batch in Self.batches(inputs, standsAlone: \.standsAlone) { await take(batch) }
  }

  /// Records when the daemon stops, so that waiting times continue after the next start.
  func noteEnd() async {
    guard decider.isAwake, decider.doubt == nil, fenced == nil else { return }
    do throws(CommitFailure) { try await storage.commit([.probe(clock.now)]) } catch {
      let words = "the time of the stop could not be stored: \(error). After the next start, waits continue from the last write"
      journal.write([JournalEntry(level: .warning, message: words)])
    }
  }

  func stop() {
    waker.stop()
    journal.sumUp(at: nil)
  }
}

extension Engine: Shell {
  var committer: @Sendable (CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    { [storage, metrics] request throws(CommitFailure) in
      try await metrics.timing(request) { request throws(CommitFailure) in try await storage.commit(request) }
    }
  }

  func answer(_ reads: Reads) async -> Facts {
    let timeOfDay = clock.timeOfDay
    var facts = reads.isEmpty ? Facts() : await questions.answer(reads)
    facts.timeOfDay = timeOfDay
    return facts
  }

  func follow(_ input: Input) { post(input) }

  func scheduleWake() { waker.set(decider.alarms.next()) }

  func refuse(_ inputs: [Input], _ failure: CommitFailure) {
    for input in inputs { input.refuse(.storageUnavailable(reason: failure.description)) }
  }

  func abandon(_ effects: Effects, _ failure: CommitFailure) { refuse(effects.inputs, failure) }
}
