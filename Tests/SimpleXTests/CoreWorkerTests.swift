import Channels
import Logging
import RelayNetwork
import ScriptedCore
import StrictJSON
import Synchronization
import Testing

@testable import SimpleX

/// The worker by itself, step by step: what it asks the store, and what it does as long as it does not know enough.
struct CoreWorkerTests {
  private static let relays = AddressSamples.relays(2)

  /// A core, the store and the clock around a worker, and what it has said.
  private final class Core: Sendable {
    private struct State {
      var model = CoreModel(relays: CoreWorkerTests.relays)
      var now = Timestamp(milliseconds: 1_767_225_600_000)
      var names: [String] = []
      var isStoreBroken = false
      var known: [String: KnownChannel] = [:]
      var reports: [NetworkReport] = []
      /// What becomes of commands that begin so; the core does not carry them out.
      var failing: (prefix: String, failure: CoreFailure)?
    }
    private let state = Mutex(State())

    /// The names in the core that the store was asked for.
    var names: [String] { state.withLock { $0.names } }
    func asked(_ name: String) { state.withLock { $0.names.append(name) } }

    /// Whether the store cannot be read.
    var isStoreBroken: Bool {
      get { state.withLock { $0.isStoreBroken } }
      set { state.withLock { $0.isStoreBroken = newValue } }
    }
    /// The store's answer to the question for a channel.
    func known(_ name: String) -> KnownChannel? { state.withLock { $0.known[name] } }

    /// The store knows the first channel in the core as Baton's first one, which both relays serve.
    func knowChannel() throws -> ChannelContent {
      let name = try #require(channels.first?.name)
      let content = ChannelContent(
        identity: IdentityID(rawValue: 1), networkID: name, trustAnchor: "",
        document: ChannelDocument(Profile(displayName: "News"), preparedAt: 0).text)
      let relays = Dictionary(
        uniqueKeysWithValues: CoreWorkerTests.relays.enumerated().map { (RelayID(rawValue: Int64($0 + 1)), $1) })
      state.withLock { $0.known[name] = KnownChannel(id: ChannelID(rawValue: 1), content: content, relays: relays) }
      return content
    }
    var now: Timestamp { state.withLock { $0.now } }
    func pass(_ span: Duration) { state.withLock { $0.now = $0.now + span } }

    func heard(_ report: NetworkReport) { state.withLock { $0.reports.append(report) } }
    var states: [NetworkState] {
      state.withLock { $0.reports }.compactMap { if case .state(_, let what) = $0 { what } else { nil } }
    }
    var outcomes: [RelayOutcome] {
      state.withLock { $0.reports }.compactMap { if case .outcome(_, _, _, let what) = $0 { what } else { nil } }
    }

    /// The relays of which it was said that they no longer serve their channel.
    var losses: [RelayID] {
      state.withLock { $0.reports }.compactMap { if case .lost(_, let relay, _) = $0 { relay } else { nil } }
    }

    /// The core gets commands that begin so, and its answer is lost before it has begun to carry them out.
    func loseAnswer(to prefix: String) { state.withLock { $0.failing = (prefix, .unknown(.timeout(.seconds(1)))) } }
    /// The core refuses commands that begin so, because its database is busy.
    func refuse(_ prefix: String) throws {
      let error = CoreError(chatError: try CoreReader(CoreErrors.store("dBBusyError", ["message": "database is locked"])))
      state.withLock { $0.failing = (prefix, .refused(error)) }
    }
    func recover() { state.withLock { $0.failing = nil } }

    func ask(_ command: CoreCommand) -> Result<CoreReply, CoreFailure> {
      let failing = state.withLock { $0.failing }
      if let failing, command.text.hasPrefix(failing.prefix) { return .failure(failing.failure) }
      return answer(command.text)
    }

    func answer(_ text: String) -> Result<CoreReply, CoreFailure> {
      ScriptedReplies.result(state.withLock { $0.model.execute(text) })
    }

    var channels: [CoreModel.Seen] { state.withLock { $0.model.channelsSeen } }

    /// Someone makes a channel in the core, and its relays take it.
    /// - Parameter relays: their numbers in the core.
    func makeChannel(on relays: String = "1") -> [CoreEvent] {
      change { _ = $0.execute(#"/_public group 1 \#(relays) {"displayName":"News","fullName":""}"#) }
    }

    /// - Returns: what the core says of a change.
    func change(_ change: (inout CoreModel) -> Void) -> [CoreEvent] {
      let news = state.withLock { state in
        change(&state.model)
        state.model.settle()
        return state.model.takeEvents()
      }
      return news.flatMap(ScriptedReplies.events)
    }
  }

  /// A worker with a connection to the core, and one for tests, which are answered at once.
  private func worker(_ core: Core) throws -> CoreWorker {
    let worker = CoreWorker(
      limits: SimpleXLimits(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      around: .init(
        now: { core.now },
        known: { name in
          core.asked(name)
          if core.isStoreBroken { throw CancellationError() }
          return core.known(name)
        },
        served: { _, _ in
          if core.isStoreBroken { throw CancellationError() }
          return []
        }, isNew: { _ in false }, ask: { core.ask($0) }, test: { _, _, _ in }, arrived: { [] }, report: { core.heard($0) },
        nudge: { _ in }))
    guard case .success(.activeUser(let user)) = core.answer("/user") else { throw CancellationError() }
    worker.take(.core(.up(CoreVersion("7.0.2"), user: user)))
    return worker
  }

  /// Events may come in any number, and what cancels an operation may be behind them.
  @Test func anyNumberOfEventsOfAChannelLeadToOneQuestionThatNoInputWaitsFor() async throws {
    let core = Core()
    let worker = try worker(core)
    while await worker.step() {}
    let news = core.makeChannel()
    #expect(news.count > 2)
    for event in news + news { worker.take(.core(.event(event))) }
    #expect(core.names.isEmpty)
    while await worker.step() {}
    #expect(core.names.count == 1 && core.names.first?.hasPrefix("1/public-") == true, "\(core.names)")
    // What happens later is asked for again: the channel may have become one of Baton's.
    for event in news { worker.take(.core(.event(event))) }
    while await worker.step() {}
    #expect(core.names.count == 2)
  }

  /// The event does not come again.
  @Test func storeThatCannotSayWhoseChannelThereIsNewsOfIsAskedAgain() async throws {
    let core = Core()
    let worker = try worker(core)
    while await worker.step() {}
    core.isStoreBroken = true
    for event in core.makeChannel() { worker.take(.core(.event(event))) }
    while await worker.step() {}
    #expect(core.names.count == 1)
    core.isStoreBroken = false
    while await worker.step() {}
    #expect(core.names.count == 1, "it waits for its time")
    for _ in 0..<2 {
      worker.take(.nudged)
      while await worker.step() {}
    }
    #expect(core.names.count == 2)
  }

  /// Nothing else would say that the relay left.
  @Test func newsOfAChannelWaitsUntilTheStoreCanBeRead() async throws {
    let core = Core()
    let worker = try worker(core)
    while await worker.step() {}
    _ = core.makeChannel(on: "1,2")
    _ = try core.knowChannel()
    guard case .success(.relays(let group, _)) = core.ask(.relays(CoreGroup.ID(rawValue: 1))) else { throw CancellationError() }
    worker.adopt(group, link: nil, for: ChannelID(rawValue: 1))
    core.isStoreBroken = true
    let news = core.change { $0.leave(channel: 1, relayAddress: Self.relays[1]) }
    for event in news + news { worker.take(.core(.event(event))) }
    while await worker.step() {}
    #expect(core.names.count == 1)
    core.isStoreBroken = false
    while await worker.step() {}
    #expect(core.names.count == 1 && core.losses.isEmpty, "it waits for its time")
    for _ in 0..<2 {
      worker.take(.nudged)
      while await worker.step() {}
    }
    #expect(core.names.count == 2 && core.losses == [RelayID(rawValue: 2)], "\(core.losses)")
  }

  /// The connection stays, so nothing else has the worker look again.
  @Test(arguments: [false, true])
  func newsOfAChannelWaitsUntilTheCoreSaysHowItsRelaysStand(isOperationPending: Bool) async throws {
    let core = Core()
    let worker = try worker(core)
    while await worker.step() {}
    _ = core.makeChannel(on: "1,2")
    let content = try core.knowChannel()
    try core.refuse("/_get relays")
    for event in core.change({ $0.leave(channel: 1, relayAddress: Self.relays[1]) }) { worker.take(.core(.event(event))) }
    if isOperationPending {
      worker.take(
        .operation(
          RelayOperation(
            task: .announce, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: Self.relays[0], number: 1,
            content: content)))
    }
    while await worker.step() {}
    #expect(core.outcomes.count == (isOperationPending ? 1 : 0) && core.losses.isEmpty)
    core.recover()
    while await worker.step() {}
    #expect(core.losses.isEmpty, "it waits for its time")
    for _ in 0..<2 {
      worker.take(.nudged)
      while await worker.step() {}
    }
    #expect(core.losses == [RelayID(rawValue: 2)], "\(core.losses)")
  }

  /// Once it is created again it has another name, and no one would learn what became of relays without operations.
  @Test func operationsOnAChannelThatIsGoneWaitWithItsNews() async throws {
    let core = Core()
    let worker = try worker(core)
    while await worker.step() {}
    _ = core.makeChannel(on: "1,2")
    let content = try core.knowChannel()
    _ = core.change { $0.lose(channel: 1) }
    core.isStoreBroken = true
    worker.take(
      .operation(
        RelayOperation(
          task: .announce, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: Self.relays[0], number: 1,
          content: content)))
    while await worker.step() {}
    #expect(core.outcomes.isEmpty && core.losses.isEmpty)
    core.isStoreBroken = false
    worker.take(.nudged)
    while await worker.step() {}
    #expect(core.losses == [RelayID(rawValue: 2)])
    #expect(core.outcomes == [.missing], "otherwise the edition is announced for ever to a channel that is not there")
  }

  /// As long as no one can say which channels are in a core, it might be the wrong one.
  @Test func coreIsNotUsedBeforeTheStoreSaysWhichChannelsAreInIt() async throws {
    let core = Core()
    core.isStoreBroken = true
    let worker = try worker(core)
    while await worker.step() {}
    #expect(core.states.isEmpty)
    core.isStoreBroken = false
    while await worker.step() {}
    #expect(core.states.isEmpty, "it waits for its time")
    worker.take(.nudged)
    while await worker.step() {}
    #expect(core.states.map { $0.trouble == nil } == [true])
  }

  /// The core goes on with a command whose answer was lost. What it does then is not what is wanted any more.
  @Test func relayIsRemovedAgainIfTheCoreInvitesItAfterItsRemoval() async throws {
    let core = Core()
    _ = core.makeChannel()
    let name = try #require(core.channels.first?.name)
    let worker = try worker(core)
    worker.take(.lane(0, isUp: true))
    let content = ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: name, trustAnchor: "",
      document: ChannelDocument(Profile(displayName: "News"), preparedAt: 0).text)
    func operation(_ task: RelayOperation.Task, _ number: Int) -> SimpleXNetwork.Input {
      .operation(
        RelayOperation(
          task: task, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 2), address: Self.relays[1], number: number,
          content: content))
    }
    worker.take(operation(.invite, 1))
    while await worker.step() {}
    let address = try CoreRelayAddress(Self.relays[1])
    core.loseAnswer(to: "/_add relays")
    worker.take(.tested(lane: 0, address, core.answer("/_relay test 1 \(address.text)")))
    while await worker.step() {}
    core.recover()
    worker.take(.cancelled(ChannelID(rawValue: 1), RelayID(rawValue: 2)))
    worker.take(operation(.withdraw, 2))
    while await worker.step() {}
    #expect(!core.outcomes.contains(.withdrawn), "the core may still be inviting it")
    _ = core.answer("/_add relays #1 2")
    #expect(core.channels.first?.relays.map(\.address) == Self.relays)
    core.pass(.seconds(91))
    worker.take(.nudged)
    while await worker.step() {}
    #expect(core.outcomes.last == .withdrawn)
    #expect(core.channels.first?.relays.map(\.address) == [Self.relays[0]])
  }
}
