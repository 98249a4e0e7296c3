import Testing

@testable import Channels

/// Every state of a delivery that any sequence of events leads to, breadth first.
struct DeliveryEnumerationTests {
  @Test func everyStateIsSound() async throws {
    var search = DeliverySearch()
    try await search.run()
    print("enumeration: \(search.summary)")
    #expect(search.shapes == Self.shapes, "what can happen and what is written down differ")
    #expect(search.successors == DeliverySuccessorTests.successors, "what can happen and what is written down differ")
  }

  /// All forms that a delivery can have: none of them is dead code, and there are no others.
  private static let shapes: Set<String> = [
    "pending publish underWay", "pending publish waiting", "sent publish underWay", "sent verify underWay",
    "sent verify waiting", "accepted verify underWay", "accepted verify waiting", "verified", "failed publish underWay",
    "failed publish waiting", "failed verify underWay", "failed verify waiting", "skipped", "deleting withdraw underWay",
    "deleting withdraw waiting", "deleting verifyWithdrawn underWay", "deleting verifyWithdrawn waiting",
    "deleting verifyRefused underWay", "deleting verifyRefused waiting", "deleted", "stillServed withdraw underWay",
    "stillServed withdraw waiting", "stillServed verifyWithdrawn underWay", "stillServed verifyWithdrawn waiting",
    "stillServed verifyRefused underWay", "stillServed verifyRefused waiting", "unsupported",
  ]
}

/// A breadth-first search over deliveries whose times are relative to the present.
private struct DeliverySearch {
  struct Unsound: Error, CustomStringConvertible { let description: String }

  /// A delivery, and what is known about it without asking it.
  private struct Node: Hashable {
    var machine: DeliveryMachine
    /// Whether the post may be at the relay although no reader said so: it left, and no one answered "no" or "missing" since.
    var isUncertain = false
    var isDeleted = false
  }

  private static let now = Timestamp(milliseconds: 10_000_000_000)
  private static let policy: DeliveryPolicy = {
    var policy = DeliveryPolicy()
    policy.backOffJitterPercent = 0
    policy.backOffMax = .seconds(1)
    policy.attemptsMax = 2
    policy.verifyAttemptsMax = 2
    policy.effortMax = .seconds(3)
    policy.repairFirst = .seconds(4)
    policy.repairMax = .seconds(8)
    for timeout in [\DeliveryPolicy.publicationTimeout, \.verificationTimeout, \.withdrawalTimeout, \.queueAllowance] {
      policy[keyPath: timeout] = .seconds(1)
    }
    return policy
  }()

  private var seen: Set<Node> = []
  private var frontier: [Node] = []
  private(set) var shapes: Set<String> = []
  private(set) var successors: [DeliveryStatus: Set<DeliveryStatus>] = [:]
  private var inputs = 0

  var summary: String { "delivery: \(seen.count) states, \(inputs) inputs, \(shapes.count) forms, all of them" }

  mutating func run() async throws {
    try add(Node(machine: Self.normal(DeliveryMachine(salt: 0, now: Self.now), at: Self.now)))
    while !frontier.isEmpty {
      let nodes = frontier
      frontier = []
      for node in nodes {
        // Other tests have timers that must not wait for all of this.
        await Task.yield()
        for event in Self.events(node.machine) { try add(try step(node, event, at: Self.now)) }
        guard let timer = node.machine.timer else { continue }
        let next = try step(node, .timerFired, at: max(timer, Self.now))
        guard next != node else { throw Unsound(description: "a due timer changes nothing in \(node.machine.state)") }
        try add(next)
      }
    }
  }

  private mutating func add(_ node: Node) throws {
    guard seen.insert(node).inserted else { return }
    shapes.insert(try Self.form(node.machine))
    for serves in [0, node.machine.edition] { try Self.settles(node.machine, serves: serves) }
    try Self.restsWithoutRelay(node.machine)
    frontier.append(node)
  }

  // MARK: - Steps

  private static func events(_ machine: DeliveryMachine) -> [DeliveryMachine.Event] {
    var events: [DeliveryMachine.Event] = [
      .begun, .restarted, .timerFired, .reconciled(isServed: true), .reconciled(isServed: false), .relayReturned, .relayLeft,
      .retryRequested, .cancelRequested, .deletionRequested, .edited(edition: machine.edition),
      .edited(edition: machine.edition + 1), .forgotten,
    ]
    for number in [0, 1] {
      events += [
        .handedOver(operation: number), .accepted(operation: number), .foundMissing(operation: number),
        .withdrawn(operation: number), .refused(operation: number, Trouble(.rejected, "no")),
        .skipped(operation: number, Trouble(.tooOld, "too old")),
        .troubled(operation: number, Trouble(.timeout, "silent"), retryAfter: nil),
        .troubled(operation: number, Trouble(.storage, "error"), retryAfter: .seconds(2)),
        .troubled(operation: number, Trouble(.rateLimited, "slow down"), retryAfter: .seconds(2)),
      ]
      events += (1...3).map { .verified(operation: number, edition: $0) }
    }
    return events
  }

  /// The node that an event leads to, after its consequences were checked.
  private mutating func step(_ before: Node, _ event: DeliveryMachine.Event, at time: Timestamp) throws -> Node {
    inputs += 1
    var node = before
    let actions = node.machine.handle(event, now: time, policy: Self.policy)
    if actions.contains(.reportUnexpected(event)) {
      guard actions.count == 1, node.machine == before.machine else {
        throw Unsound(description: "an unexpected \(event) changes \(before.machine.state)")
      }
    } else {
      guard !Self.isStale(event, before.machine) else {
        throw Unsound(description: "\(event) of an earlier operation counts in \(before.machine.state)")
      }
      Self.note(event, before, &node)
    }
    for case .publish in actions where node.isUncertain || node.isDeleted {
      throw Unsound(description: "\(before.machine.state) is published again by \(event), and may be there or was deleted")
    }
    try follow(actions, before.machine, node.machine, event)
    node.machine = Self.normal(node.machine, at: time)
    return node
  }

  /// Whether this is an outcome of an earlier operation that must not count.
  private static func isStale(_ event: DeliveryMachine.Event, _ machine: DeliveryMachine) -> Bool {
    switch event {
    case .handedOver(0), .foundMissing(0), .withdrawn(0), .refused(0, _), .skipped(0, _), .troubled(0, _, _): true
    // No one knows which edition it means: it counts where the relay had none as far as known, or is just being read back.
    case .accepted(0):
      machine.edition > 1 && !machine.isSettled && !machine.isDeletionRequested && machine.left > 0
        && machine.underWay?.task != .verify
    default: false
    }
  }

  /// Keeps account of what may be at the relay.
  private static func note(_ event: DeliveryMachine.Event, _ before: Node, _ node: inout Node) {
    let isPublishing = before.machine.underWay?.task == .publish
    switch event {
    case .handedOver: node.isUncertain = true
    case .accepted, .reconciled(true):
      if before.machine.edition == 1 || node.machine != before.machine { node.isUncertain = true }
    case .verified, .foundMissing: node.isUncertain = false
    case .reconciled(false): if node.machine != before.machine { node.isUncertain = true }
    case .refused, .skipped: if isPublishing { node.isUncertain = false }
    case .troubled(_, let trouble, _): if isPublishing, trouble.cause == .rateLimited { node.isUncertain = false }
    case .deletionRequested: node.isDeleted = true
    default: break
    }
    if node.machine.state == .verified || node.isDeleted { node.isUncertain = false }
  }

  /// Checks that the recorded transitions lead from one state to the other, and are legal.
  private mutating func follow(
    _ actions: [DeliveryMachine.Action], _ before: DeliveryMachine, _ after: DeliveryMachine, _ event: DeliveryMachine.Event
  ) throws {
    var status = before.state.status
    for case .record(let transition) in actions {
      guard transition.from == status else {
        throw Unsound(description: "a gap in the history: \(transition) after \(event)")
      }
      guard DeliverySuccessorTests.successors[status]?.contains(transition.to) == true else {
        throw Unsound(description: "\(transition.to) is no successor of \(status), but follows it after \(event)")
      }
      switch transition.to {
      case .failed, .skipped, .stillServed, .unsupported:
        guard transition.cause != nil, !transition.detail.isEmpty else {
          throw Unsound(description: "\(transition.to) without a reason after \(event)")
        }
      case .pending, .sent, .accepted, .verified, .deleting, .deleted: break
      }
      successors[status, default: []].insert(transition.to)
      status = transition.to
    }
    guard status == after.state.status else {
      throw Unsound(description: "\(before.state) became \(after.state) without a transition, by \(event)")
    }
  }

  /// The same machine as if it were `now`: times are relative to it, and numbers are kept as far as they matter.
  private static func normal(_ machine: DeliveryMachine, at time: Timestamp) -> DeliveryMachine {
    func moved(_ other: Timestamp, notBefore earliest: Duration) -> Timestamp {
      max(now + (other - time), now + (.zero - earliest))
    }
    var state = machine.state
    if let work = state.work {
      let progress: DeliveryMachine.Work.Progress =
        switch work.progress {
        case .underWay(let timeoutAt): .underWay(timeoutAt: moved(timeoutAt, notBefore: .zero))
        case .waiting(let until): .waiting(until: moved(until, notBefore: .zero))
        }
      let trouble = work.lastTrouble.map { Trouble($0.cause, "words") }
      state = state.with(
        DeliveryMachine.Work(
          work.task, attempt: min(work.attempt, 3), repair: min(work.repair, 2),
          startedAt: moved(work.startedAt, notBefore: policy.effortMax + .seconds(1)), progress: progress,
          lastTrouble: trouble))
    }
    switch state {
    case .skipped(let trouble): state = .skipped(Trouble(trouble.cause, "words"))
    case .unsupported(let trouble): state = .unsupported(Trouble(trouble.cause, "words"))
    case .pending, .sent, .accepted, .verified, .failed, .deleting, .deleted, .stillServed: break
    }
    // Of editions only the order matters, and whether there is more than one.
    let editions = Set([machine.shown, machine.left, machine.edition].filter { $0 > 0 }).sorted()
    let lowest = machine.edition > 1 && editions.count == 1 ? 2 : 1
    func ranked(_ edition: Int) -> Int { editions.firstIndex(of: edition).map { $0 + lowest } ?? 0 }
    return DeliveryMachine(
      state: state, since: now, operation: min(machine.operation, 1), edition: ranked(machine.edition),
      left: ranked(machine.left), shown: ranked(machine.shown), isDeletionRequested: machine.isDeletionRequested, salt: 0)
  }

  // MARK: - Invariants of every state

  /// The form of a delivery, which must not contradict itself.
  private static func form(_ machine: DeliveryMachine) throws -> String {
    let state = machine.state
    guard DeliveryRecord(machine).machine(salt: machine.salt, edition: machine.edition) == machine else {
      throw Unsound(description: "\(machine) is not the same after it was stored")
    }
    let (edition, left, shown) = (machine.edition, machine.left, machine.shown)
    let isSound =
      switch state {
      case .pending: left == shown && shown < edition
      case .sent, .accepted: left > shown
      case .verified: left == edition && shown == edition
      case .failed(let trouble, let work):
        work.task == .publish ? left == shown && shown < edition : left > shown && !trouble.detail.isEmpty
      case .skipped(let trouble): !trouble.detail.isEmpty && (left == 0 || !machine.isDeletionRequested)
      case .deleting, .unsupported: machine.isDeletionRequested && left > 0
      case .stillServed(let trouble, _): machine.isDeletionRequested && left > 0 && !trouble.detail.isEmpty
      case .deleted: machine.isDeletionRequested && left == 0
      }
    guard isSound, shown <= left, left <= edition else { throw Unsound(description: "\(machine) contradicts itself") }
    switch state.status {
    case .pending, .sent, .accepted, .failed, .deleting, .stillServed:
      guard machine.timer != nil else { throw Unsound(description: "\(state) waits without a timer") }
    case .verified, .skipped, .deleted, .unsupported:
      guard machine.isSettled else { throw Unsound(description: "\(state) has work") }
    }
    guard let work = state.work else { return state.status.rawValue }
    return "\(state.status.rawValue) \(work.task.rawValue) \(work.progress.isUnderWay ? "underWay" : "waiting")"
  }

  /// With an honest relay, every state comes to rest: verified, skipped, deleted or unsupported, and nothing left to do.
  private static func settles(_ start: DeliveryMachine, serves: Int) throws {
    var (machine, serves, now) = (start, serves, Self.now)
    for _ in 0..<60 {
      if machine.isSettled { return }
      if let work = machine.underWay {
        let event: DeliveryMachine.Event
        switch work.task {
        case .publish:
          if machine.state.status != .sent {
            _ = machine.handle(.handedOver(operation: work.operation), now: now, policy: policy)
          }
          serves = machine.left
          event = .accepted(operation: work.operation)
        case .verify, .verifyWithdrawn, .verifyRefused:
          event =
            serves > 0 ? .verified(operation: work.operation, edition: serves) : .foundMissing(operation: work.operation)
        case .withdraw:
          serves = 0
          event = .withdrawn(operation: work.operation)
        }
        _ = machine.handle(event, now: now, policy: policy)
      } else if let timer = machine.timer {
        now = max(now, timer)
        _ = machine.handle(.timerFired, now: now, policy: policy)
      }
    }
    throw Unsound(description: "\(start.state) never comes to rest")
  }

  /// With a relay that is down forever, every state is settled or tried again slowly in the end.
  private static func restsWithoutRelay(_ start: DeliveryMachine) throws {
    var (machine, now) = (start, Self.now)
    for _ in 0..<30 {
      if let work = machine.underWay {
        let down = Trouble(.unreachable, "down")
        _ = machine.handle(.troubled(operation: work.operation, down, retryAfter: nil), now: now, policy: policy)
      } else if let timer = machine.timer {
        now = max(now, timer)
        _ = machine.handle(.timerFired, now: now, policy: policy)
      }
    }
    switch machine.state.status {
    case .failed, .deleting, .stillServed:
      guard let repair = machine.state.work?.repair, repair > 1 else {
        throw Unsound(description: "\(start.state) is not tried again slowly: \(machine.state)")
      }
    case .verified, .skipped, .deleted, .unsupported: break
    case .pending, .sent, .accepted: throw Unsound(description: "\(start.state) does not fail")
    }
  }
}
