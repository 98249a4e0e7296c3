internal import Channels
internal import Meters
internal import RelayNetwork
internal import Storage

/// Counts the engine's work and observations. Only the engine's task touches it.
struct EngineMeter {
  private struct Place: Hashable {
    let channel: ChannelID
    let relay: RelayID
  }

  /// An operation that was requested from a relay.
  private struct Asked {
    let number: Int
    let network: NetworkKind
    let task: RelayOperation.Task
    let at: Timestamp
  }

  /// How operations of one kind ended.
  private struct Outcome: Hashable {
    enum Word: String, CaseIterable { case done, missing, refused, misbehaved, troubled }

    let network: NetworkKind
    let task: RelayOperation.Task
    let word: Word
  }

  private struct Step: Hashable {
    let network: NetworkKind
    let to: RelayStatus
    let cause: Cause?
  }

  private let book: MetricBook
  /// Operations without an outcome so far.
  private var asked: [Place: Asked] = [:]
  /// New channels since the start that are on their way, and whether one of their relays has been active.
  private var beginning: [ChannelID: Bool] = [:]

  /// The maximum number of operations and channels. Beyond that all are forgotten, and their durations with them. Some never end here,
  /// because another daemon has taken them over.
  private static let rememberedMax = 200_000

  init(_ book: MetricBook) { self.book = book }

  /// Counts durable changes.
  mutating func take(_ changes: [Change], created: Set<ChannelID>, _ relays: [RelayID: RelayRow]) {
    guard !changes.isEmpty else { return }
    if beginning.count > Self.rememberedMax { beginning = [:] }
    for id in created { beginning[id] = false }
    var steps: [Step: Int] = [:]
    var ends: [(ChannelSnapshot, hasBegun: Bool, isOver: Bool)] = []
    for change in changes {
      switch change.object {
      case .channelRelay(_, let row):
        guard let network = relays[row.relay]?.network else { continue }
        steps[Step(network: network, to: row.transition.to, cause: row.transition.cause), default: 0] += 1
      case .channel(let channel):
        let id = channel.row.id
        guard let wasActive = beginning[id] else { continue }
        let isActive = channel.relays.contains { $0.record.status == .active }
        let isOver = ![ChannelPhase.creating, .partial].contains(channel.phase)
        beginning[id] = isOver ? nil : wasActive || isActive
        if isOver || isActive && !wasActive { ends.append((channel, isActive && !wasActive, isOver)) }
      case .catalog: break
      }
    }
    book.note { page in
      for (step, count) in steps {
        page.add(
          Double(count), to: .transitions, [step.network.rawValue, step.to.rawValue, step.cause?.rawValue ?? "none"])
      }
      for (channel, hasBegun, isOver) in ends {
        let network = channel.row.network.rawValue
        let seconds = max(0, (channel.row.updatedAt - channel.row.createdAt).seconds)
        if hasBegun { page.take(seconds, in: .timeToActive, [network, "first"]) }
        guard isOver else { continue }
        switch channel.phase {
        case .active:
          page.take(seconds, in: .timeToActive, [network, "all"])
          page.add(to: .creations, [network, "active"])
        case .degraded: page.add(to: .creations, [network, "partial"])
        case .failed: page.add(to: .creations, [network, "failed"])
        case .creating, .partial, .deleting, .deleted, .followed: break
        }
      }
    }
  }

  /// The words for outcomes of operations.
  static let outcomes = Outcome.Word.allCases.map(\.rawValue)

  /// Counts an operation that is requested from a relay.
  mutating func asks(_ operation: RelayOperation, on network: NetworkKind, at now: Timestamp) {
    if asked.count > Self.rememberedMax { asked = [:] }
    asked[Place(channel: operation.channel, relay: operation.relay)] = Asked(
      number: operation.number, network: network, task: operation.task, at: now)
  }

  /// Drops an operation that is no longer wanted.
  mutating func cancels(_ channel: ChannelID, at relay: RelayID) { asked[Place(channel: channel, relay: relay)] = nil }

  /// Counts inputs.
  mutating func hears(_ inputs: [Engine.Input], at now: Timestamp, _ relays: [RelayID: RelayRow]) {
    // Equal observations are counted together.
    var outcomes: [Outcome: [Double]] = [:]
    var tests: [(String, String)] = []
    var unreadable: [NetworkKind: Int] = [:]
    for input in inputs {
      switch input {
      case .report(.outcome(let channel, let relay, let number, let outcome)) where outcome.isFinal:
        let place = Place(channel: channel, relay: relay)
        guard let operation = asked[place], operation.number == number else { continue }
        asked[place] = nil
        let kind = Outcome(network: operation.network, task: operation.task, word: Self.word(outcome))
        outcomes[kind, default: []].append((now - operation.at).seconds)
      case .report(.unreadable(let relay, let count)):
        if let network = relays[relay]?.network { unreadable[network, default: 0] += count }
      // An aborted test has no result.
      case .tested(let peer, _, let verdict, _) where verdict.failure?.trouble.cause != .cancelled:
        let target = if case .relay = peer { "relay" } else { "server" }
        tests.append((target, verdict.failure == nil ? "passed" : "failed"))
      default: break
      }
    }
    guard !outcomes.isEmpty || !tests.isEmpty || !unreadable.isEmpty else { return }
    book.note { page in
      for (outcome, times) in outcomes {
        let (network, task) = (outcome.network.rawValue, outcome.task.rawValue)
        page.add(Double(times.count), to: .operations, [network, task, outcome.word.rawValue])
        page.take(times, in: .operationTime, [network, task])
      }
      for (target, result) in tests { page.add(to: .tests, [target, result]) }
      for (network, count) in unreadable { page.add(Double(count), to: .unreadable, [network.rawValue]) }
    }
  }

  private static func word(_ outcome: RelayOutcome) -> Outcome.Word {
    switch outcome {
    case .handedOver, .accepted, .verified, .withdrawn, .announced: .done
    case .missing: .missing
    case .refused: .refused
    case .misbehaved: .misbehaved
    case .troubled: .troubled
    }
  }
}
