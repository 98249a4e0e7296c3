import Channels
import Logging
import NIOPosix
import RelayNetwork
import ScriptedCore
import Synchronization
import Testing

@testable import SimpleX

extension SimpleXNetworkTests {
  /// A network, the core that it drives, and what the network has said.
  final class Bench: Sendable {
    private struct State {
      var reports: [NetworkReport] = []
      var waiters: [(isMeant: @Sendable (NetworkReport) -> Bool, wake: CheckedContinuation<Void, Never>)] = []
      var known: [String: KnownChannel] = [:]
      var contents: [ChannelID: ChannelContent] = [:]
      var number = 0
    }
    let server: ScriptedServer
    let network: SimpleXNetwork
    private let state: Mutex<State>
    private let task: Task<Void, Never>

    init(
      testPatience: Duration = .seconds(120), doubtTime: Duration = .zero, _ prepare: (inout CoreModel) -> Void = { _ in }
    ) async throws {
      var model = CoreModel(relays: SimpleXNetworkTests.relays)
      prepare(&model)
      server = try await ScriptedServer(model, group: MultiThreadedEventLoopGroup.singleton)
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let limits = CoreLimits.patient(redial: .milliseconds(20))
      let endpoint = try CoreEndpoint(host: "127.0.0.1", port: try await server.port)
      let clients = (0..<3).map { _ in
        CoreClient(endpoint: endpoint, group: MultiThreadedEventLoopGroup.singleton, limits: limits, logger: logger)
      }
      let box = Box()
      var simplex = SimpleXLimits()
      (simplex.gatherTime, simplex.doubtTime, simplex.failedTestCounts) = (.zero, doubtTime, .zero)
      (simplex.recogniseAgain, simplex.testPatience) = (.milliseconds(10), testPatience)
      network = SimpleXNetwork(
        client: clients[0], lanes: Array(clients.dropFirst()), limits: simplex, logger: logger,
        now: { Timestamp(milliseconds: 0) }, known: { box.bench?.known($0) },
        served: { box.bench?.served($0, $1) ?? [] })
      state = Mutex(State())
      let (network, reports) = (network, AsyncStream.makeStream(of: NetworkReport.self))
      task = Task { await network.run { reports.continuation.yield($0) } }
      box.bench = self
      Task { for await report in reports.stream { box.bench?.take(report) } }
    }

    /// Breaks the circle between the network and who answers its questions.
    private final class Box: Sendable {
      private let held = Mutex<Bench?>(nil)
      var bench: Bench? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
      }
    }

    private func served(_ after: ChannelID?, _ limit: Int) -> [KnownChannel] {
      let all = state.withLock { $0.known.values.filter { $0.id > after ?? ChannelID(rawValue: 0) } }
      return Array(all.sorted { $0.id < $1.id }.prefix(limit))
    }

    private func known(_ name: String) -> KnownChannel? { state.withLock { $0.known[name] } }

    /// As the coordinator does: a name is stored before anything else happens.
    private func take(_ report: NetworkReport) {
      let woken = state.withLock { state in
        if case .named(let channel, let name, let trustAnchor) = report, let content = state.contents[channel] {
          let named = ChannelContent(
            identity: content.identity, networkID: name, trustAnchor: trustAnchor, document: content.document,
            edition: content.edition,
            newestEdition: content.newestEdition)
          state.contents[channel] = named
          state.known = state.known.filter { $0.value.id != channel }
          let all = Dictionary(
            uniqueKeysWithValues: SimpleXNetworkTests.relays.enumerated().map { (RelayID(rawValue: Int64($0 + 1)), $1) })
          state.known[name] = KnownChannel(id: channel, content: named, relays: all)
        }
        state.reports.append(report)
        let woken = state.waiters.filter { $0.isMeant(report) }
        state.waiters.removeAll { $0.isMeant(report) }
        return woken
      }
      for waiter in woken { waiter.wake.resume() }
    }

    var reports: [NetworkReport] { state.withLock { $0.reports } }

    /// Waits for a report; a test whose time is over waits no more.
    func heard(_ isMeant: @escaping @Sendable (NetworkReport) -> Bool) async {
      await withTaskCancellationHandler {
        await withCheckedContinuation { wake in
          let isThere = state.withLock { state in
            if Task.isCancelled || state.reports.contains(where: isMeant) { return true }
            state.waiters.append((isMeant, wake))
            return false
          }
          if isThere { wake.resume() }
        }
      } onCancel: {
        let waiting = state.withLock { state in
          defer { state.waiters = [] }
          return state.waiters
        }
        for waiter in waiting { waiter.wake.resume() }
      }
    }

    func content(_ channel: Int64) -> ChannelContent? { state.withLock { $0.contents[ChannelID(rawValue: channel)] } }

    func prepare(_ channel: Int64, _ name: String = "News") async throws {
      let content = try await network.prepare(
        ChannelDraft(
          identity: IdentityID(rawValue: 1), profile: Profile(displayName: name, description: "all of it"), relays: []))
      state.withLock { $0.contents[ChannelID(rawValue: channel)] = content }
    }

    func revise(_ channel: Int64, _ name: String) throws {
      let id = ChannelID(rawValue: channel)
      guard let content = state.withLock({ $0.contents[id] }) else { return }
      let newEdition = try network.revise(
        content, as: ChannelDraft(identity: content.identity, profile: Profile(displayName: name), relays: []))
      let revised = ChannelContent(
        identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
        edition: content.edition + 1, newestEdition: newEdition)
      state.withLock { $0.contents[id] = revised }
    }

    /// - Returns: the number of the operation.
    @discardableResult
    func start(_ task: RelayOperation.Task, _ channel: Int64, at relay: Int, isDeletion: Bool = false) -> Int {
      let id = ChannelID(rawValue: channel)
      let (content, number) = state.withLock { state in
        state.number += 1
        return (state.contents[id], state.number)
      }
      guard let content else { return 0 }
      network.perform(
        RelayOperation(
          task: task, channel: id, relay: RelayID(rawValue: Int64(relay)), address: SimpleXNetworkTests.relays[relay - 1],
          number: number, content: content, isDeletion: isDeletion))
      return number
    }

    /// The final outcome of an operation.
    func outcome(of number: Int) async -> RelayOutcome? {
      func final(_ report: NetworkReport) -> RelayOutcome? {
        if case .outcome(_, _, number, let outcome) = report, outcome.isFinal { outcome } else { nil }
      }
      await heard { if case .outcome(_, _, number, let outcome) = $0 { outcome.isFinal } else { false } }
      return reports.lazy.compactMap(final).first
    }

    func perform(_ task: RelayOperation.Task, _ channel: Int64, at relay: Int, isDeletion: Bool = false) async -> RelayOutcome?
    {
      await outcome(of: start(task, channel, at: relay, isDeletion: isDeletion))
    }

    func handedOver(_ number: Int) async {
      await heard { if case .outcome(_, _, number, .handedOver) = $0 { true } else { false } }
    }

    func test(_ relay: Int) async throws -> [ProbeStep] {
      let address = try network.parse(address: SimpleXNetworkTests.relays[relay - 1])
      var steps: [ProbeStep] = []
      for await step in network.test(address: address, identity: IdentityID(rawValue: 1), depth: .full) { steps.append(step) }
      return steps
    }

    var names: [String] { reports.compactMap { if case .named(_, let name, _) = $0 { name } else { nil } } }

    func creations() async throws -> Int { try await server.received.count { $0.hasPrefix("/_public group") } }

    func end() async throws {
      task.cancel()
      await task.value
      try await server.stop()
      #expect(!"\(reports)".contains(CoreModel.secretMark))
    }
  }

  static func cause(_ outcome: RelayOutcome?) -> String? {
    switch outcome {
    case .refused(let trouble): "refused \(trouble.cause)"
    case .misbehaved(let trouble): "misbehaved \(trouble.cause)"
    case .troubled(let trouble, _): "troubled \(trouble.cause)"
    case .accepted: "accepted"
    case .handedOver, .verified, .missing, .withdrawn, .announced, nil: nil
    }
  }
}

extension NetworkReport {
  /// Why the network cannot be used, if this says so.
  var fault: NetworkTrouble.Kind? { if case .state(_, let state) = self { state.trouble?.kind } else { nil } }
}
