import Channels
import Logging
import RelayNetwork
import ScriptedCore
import StrictJSON
import Synchronization
import Testing

@testable import SimpleX

/// What the worker asks the store about channels in the core that it has not used since the program started.
struct CoreWorkerNewsTests {
  /// A core, and the names that the store was asked for.
  private final class Core: Sendable {
    private struct State {
      var model = CoreModel(relays: ["https://smp1.simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"])
      var names: [String] = []
      var isStoreBroken = false
      var states: [NetworkState] = []
    }
    private let state = Mutex(State())

    /// Whether the store can be read.
    var isStoreBroken: Bool {
      get { state.withLock { $0.isStoreBroken } }
      set { state.withLock { $0.isStoreBroken = newValue } }
    }
    var states: [NetworkState] { state.withLock { $0.states } }
    func heard(_ report: NetworkReport) {
      if case .state(_, let what) = report { state.withLock { $0.states.append(what) } }
    }

    var names: [String] { state.withLock { $0.names } }
    func asked(_ name: String) { state.withLock { $0.names.append(name) } }

    func answer(_ text: String) -> Result<CoreReply, CoreFailure> {
      let answer = state.withLock { $0.model.execute(text) }
      let frame = CoreFrame(Array(JSONValue.object(["corrId": "1", "resp": answer]).text.utf8))
      guard case .reply(_, let result) = frame else { return .failure(.notSent(.ended)) }
      return result
    }

    /// Somebody makes a channel in the core, and its relay takes it.
    func makeChannel() -> [CoreEvent] {
      let news = state.withLock { state in
        _ = state.model.execute(#"/_public group 1 1 {"displayName":"News","fullName":""}"#)
        state.model.settle()
        return state.model.takeEvents()
      }
      return news.flatMap { event -> [CoreEvent] in
        let frame = CoreFrame(Array(JSONValue.object(["resp": event]).text.utf8))
        return if case .events(let events) = frame { events } else { [] }
      }
    }
  }

  private func worker(_ core: Core) -> CoreWorker {
    CoreWorker(
      limits: SimpleXLimits(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      around: .init(
        now: { Timestamp(milliseconds: 0) },
        known: { name in
          core.asked(name)
          return nil
        },
        served: { _, _ in
          if core.isStoreBroken { throw CancellationError() }
          return []
        }, isNew: { _ in false }, ask: { core.answer($0.text) }, test: { _, _, _ in }, arrived: { [] },
        report: { core.heard($0) }, nudge: { _ in }))
  }

  /// As long as nobody can say which channels are in a core, it might be the wrong one.
  @Test func coreIsNotUsedBeforeTheStoreSaysWhichChannelsAreInIt() async throws {
    let core = Core()
    core.isStoreBroken = true
    let worker = worker(core)
    guard case .success(.activeUser(let user)) = core.answer("/user") else { throw CancellationError() }
    worker.take(.core(.up(CoreVersion("7.0.2"), user: user)))
    while await worker.step() {}
    #expect(core.states.isEmpty)
    core.isStoreBroken = false
    while await worker.step() {}
    #expect(core.states.isEmpty, "it waits for its time")
    worker.take(.nudged)
    while await worker.step() {}
    #expect(core.states.map { $0.trouble == nil } == [true])
  }

  /// Events may come in any number, and what cancels an operation may be behind them.
  @Test func anyNumberOfEventsOfAChannelLeadToOneQuestionThatNoInputWaitsFor() async throws {
    let core = Core()
    let worker = worker(core)
    guard case .success(.activeUser(let user)) = core.answer("/user") else { throw CancellationError() }
    worker.take(.core(.up(CoreVersion("7.0.2"), user: user)))
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
}
