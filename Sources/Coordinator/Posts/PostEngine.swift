internal import Channels
internal import Logging
internal import Meters
internal import RelayNetwork
internal import Storage

/// The task that delivers posts: the shell of `PostDecider`. It shares only storage with the engine of channels, so that commits of both
/// may share a sync: a flood of posts delays no channel.
final class PostEngine {
  var decider: PostDecider
  private let storage: any PostStorage
  private let channels: any CoordinatorStorage
  private let questions: PostQuestions
  private let directory: RelayDirectory
  let clock: any CoordinatorClock
  private let hub: PostHub
  /// Begins to create the form of a post, which comes in as an input.
  private let compose: @Sendable (PostComposition) -> Void
  /// Whether anything may be published now.
  private let mayAct: @Sendable () -> Bool
  /// Puts an input of the engine's own into the inbox.
  private let put: @Sendable (PostInput) -> Void
  /// Called with channels that a relay may have lost.
  private let doubt: @Sendable (ChannelID) -> Void
  var commits: Commits
  private let journal: Journal
  private let metrics: MetricBook
  private let waker: Waker
  /// When `timersDue` will come in. `nil` if it was not requested, or is on its way.
  var wakeAt: Timestamp? { waker.due }

  /// - Parameters:
  ///   - slots: the slots of the posts that it acts for at first.
  ///   - compose: begins to create the form of a due scheduled post, and returns immediately. `PostInput.composed` follows.
  ///   - isEager: whether commits begin immediately. Otherwise they begin with `land`.
  ///   - poke: called when a commit is over, so that `process` is called soon.
  ///   - doubt: called with channels that a relay may have lost, because it has lost posts of them.
  init(
    storage: any PostStorage, channels: any CoordinatorStorage, slots: SlotSet = .all, directory: RelayDirectory,
    rules: Rules, clock: any CoordinatorClock, logger: Logger, hub: PostHub, metrics: MetricBook = MetricBook(),
    isEager: Bool = true,
    compose: @escaping @Sendable (PostComposition) -> Void = { _ in }, mayAct: @escaping @Sendable () -> Bool = { true },
    poke: @escaping @Sendable () -> Void = {}, doubt: @escaping @Sendable (ChannelID) -> Void = { _ in },
    put: @escaping @Sendable (PostInput) -> Void
  ) async throws {
    self.storage = storage
    self.channels = channels
    questions = PostQuestions(storage: storage, channels: channels) { known in
      directory.write { $0.channelsWithPosts.formUnion(known) }
    }
    self.directory = directory
    self.clock = clock
    self.hub = hub
    self.compose = compose
    self.mayAct = mayAct
    self.put = put
    self.doubt = doubt
    waker = Waker(clock: clock) { put(.timersDue) }
    journal = Journal(logger)
    self.metrics = metrics
    commits = Commits(isEager: isEager, whenOver: poke)
    decider = PostDecider(
      slots: slots, policy: rules.delivery, upkeep: rules.upkeep, counters: try await storage.postCounters(), now: clock.now)
    hub.publish(decider.counters.revision)
  }

  /// Resumes the work that was unfinished when the daemon last stopped. It follows from the stored state.
  /// - Parameter stoppedAt: the last sign of life of the previous run, if any.
  func resume(stoppedAt: Timestamp?) async throws {
    if let stoppedAt { decider.absence = (clock.now - stoppedAt, stoppedAt) }
    let work = try await questions.work(among: decider.slots)
    decider.expect(work, at: clock.now)
    for step in work.steps {
      await take([step])
      await rest()
      if let fenced { throw fenced }
    }
    decider.absence = nil
    for input in work.inputs { put(input) }
    scheduleWake()
  }

  /// Handles inputs, and a commit that is over.
  func process(_ inputs: [PostInput]) async {
    await advance()
    if inputs.contains(where: \.isWaking) { waker.heard() }
    for batch in Self.batches(inputs, standsAlone: \.standsAlone) { await take(batch) }
  }

  func stop() { waker.stop() }
}

extension PostEngine: Shell {
  var committer: @Sendable (CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    { [storage, metrics] request throws(CommitFailure) in
      try await metrics.timing(request) { request throws(CommitFailure) in try await storage.commit(request) }
    }
  }

  func answer(_ reads: PostReads) async -> PostFacts {
    let timeOfDay = clock.timeOfDay
    var facts = PostFacts()
    if !reads.isEmpty {
      let (awake, known, leftAlone) = (decider.awake, decider.known, Set(decider.leftAlone.keys))
      facts = await questions.answer(reads, awake: awake, known: known, leftAlone: leftAlone, timeOfDay: timeOfDay)
    }
    facts.timeOfDay = timeOfDay
    facts.relays = directory.relays
    date(&facts)
    name(&facts)
    return facts
  }

  /// Adds the dates of posts that are compared with the posts on relays.
  private func date(_ facts: inout PostFacts) {
    for (page, compared) in facts.reconciled {
      guard let kind = facts.relays[page.relay]?.network, let network = directory.networks[kind] else { continue }
      for id in compared.posts {
        let row = decider.awake[id]?.row ?? facts.posts.found[id]?.row
        facts.reconciled[page]?.dates[id] = row.flatMap { network.date(of: $0.document) }
      }
    }
  }

  /// Adds the remnants of posts that are forgotten.
  private func name(_ facts: inout PostFacts) {
    for id in facts.toForget?.found.posts ?? [] {
      guard let row = decider.awake[id]?.row ?? facts.posts.found[id]?.row,
        let kind = (decider.known[row.channel] ?? facts.contents[row.channel])?.network
      else { continue }
      facts.toForget?.remnants[row.document] = directory.networks[kind]?.remnant(of: row.document)
    }
  }

  func settleDoubt() async {
    guard decider.isDoubtful, let counters = try? await storage.postCounters() else { return }
    decider.settleDoubt(counters)
    hub.publish(counters.revision)
  }

  func carryOut(_ effects: PostEffects, reply: () -> Void) {
    if let revision = effects.revision { hub.publish(revision, changing: effects.changed) }
    journal.write(effects.journal)
    for input in effects.inputs { put(input) }
    // A post whose turn was withheld leaves when it is resumed.
    for step in effects.turns where mayAct() || !step.turn.mayLeave { directory.networks[step.network]?.release(step.turn) }
    for composition in effects.compositions { compose(composition) }
    for step in effects.operations where mayAct() { directory.networks[step.network]?.deliver(step.operation) }
    for step in effects.comparisons { directory.networks[step.network]?.compare(step.comparison) }
    for channel in effects.doubted.sorted() { doubt(channel) }
    reply()
  }

  func give(_ answer: PostDecision.Answer, _ failure: CommitFailure?) {
    let error = failure.map(BatonError.init(storing:)) ?? answer.error
    let post = answer.post.flatMap { decider.awake[$0]?.stored }
    switch answer.asker {
    case .published(let reply, let isNew):
      reply.send(result(error, post.map { PublishedPost(post: $0, isNew: isNew) }))
    case .post(let reply): reply.send(result(error, post))
    case .nothing(let reply):
      // The input did not request a change.
      reply.send(result(failure.map { .storageUnavailable(reason: $0.description) } ?? answer.error, ()))
    case .retention(let reply, let retention): reply.send(result(error, retention))
    }
  }

  private func result<Value>(_ error: BatonError?, _ value: Value?) -> Result<Value, BatonError> {
    if let error { return .failure(error) }
    return value.map { .success($0) } ?? .failure(.busy)
  }

  func refuse(_ inputs: [PostInput], _ failure: CommitFailure) {
    for input in inputs { input.refuse(.storageUnavailable(reason: failure.description)) }
  }

  func abandon(_ effects: PostEffects, _ failure: CommitFailure) { refuse(effects.inputs, failure) }

  func follow(_ input: PostInput) { put(input) }

  func tellOpen(_ count: Int) { directory.write { $0.postsOpen = count } }

  func tellState() {}

  func scheduleWake() { waker.set(decider.alarms.next()) }
}
