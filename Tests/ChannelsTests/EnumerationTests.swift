import Foundation
import Testing

@testable import Channels

/// Every state of a channel that any sequence of inputs leads to, breadth first: with one relay all of them, with two as many as the
/// budget allows. `BATON_STATES=n scripts/test ChannelsTests --filter Enumeration` sets another budget.
struct EnumerationTests {
  @Test(arguments: [ChannelKind.channel, .group])
  func everyStateOfOneRelayIsSound(_ kind: ChannelKind) async throws {
    var search = Search(kind: kind, relays: 1)
    try await search.run(statesMax: .max)
    print("enumeration: \(search.summary)")
    #expect(search.isComplete)
    #expect(search.shapes == Self.shapes(kind), "what can happen and what is written down differ")
  }

  @Test func statesOfTwoRelaysAreSound() async throws {
    var search = Search(kind: .channel, relays: 2)
    let budget = ProcessInfo.processInfo.environment["BATON_STATES"].flatMap(Int.init) ?? 60_000
    try await search.run(statesMax: budget)
    print("enumeration: \(search.summary)")
    // Only a relay that gives way to another is read before it is told.
    let shapes = Self.shapes(.channel).union(["removed verify underWay", "removed verify waiting"])
    #expect(search.shapes == shapes, "what can happen and what is written down differ")
  }

  /// All forms that a channel relay can have: none of them is dead code, and there are no others.
  private static func shapes(_ kind: ChannelKind) -> Set<String> {
    let common = [
      "new invite underWay", "new invite waiting", "invited invite underWay", "invited invite waiting",
      "accepted verify underWay", "accepted verify waiting", "active", "active verify underWay", "active verify waiting",
      "active announce underWay", "active announce waiting", "active confirm underWay", "active confirm waiting",
      "inactive verify underWay", "inactive verify waiting", "failed", "removed", "removed withdraw underWay",
      "removed withdraw waiting",
    ]
    // A lost group is never handed over again by itself.
    return Set(common + (kind == .channel ? ["inactive invite underWay", "inactive invite waiting"] : []))
  }
}

/// A breadth-first search over channels whose times are relative to the present.
private struct Search {
  struct Unsound: Error, CustomStringConvertible { let description: String }

  private static let now = Timestamp(milliseconds: 10_000_000_000)
  private static let ids = [RelayID(rawValue: 1), RelayID(rawValue: 2)]
  private static let policy: RelayPolicy = {
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    policy.attemptsMax = 2
    policy.verifyAttemptsMax = 2
    policy.effortMax = .seconds(3)
    policy.inactiveGrace = .seconds(2)
    policy.slowRetry = .seconds(4)
    policy.farewellMax = .seconds(8)
    policy.verifyInterval = .seconds(16)
    for timeout in [\RelayPolicy.invitationTimeout, \.verificationTimeout, \.withdrawalTimeout, \.queueAllowance] {
      policy[keyPath: timeout] = .seconds(1)
    }
    return policy
  }()

  private let kind: ChannelKind
  private let relayCount: Int
  private var seen: Set<ChannelMachine> = []
  private var frontier: [ChannelMachine] = []
  private(set) var shapes: Set<String> = []
  private var inputs = 0
  private var depth = 0
  private(set) var isComplete = false

  init(kind: ChannelKind, relays: Int) {
    self.kind = kind
    relayCount = relays
  }

  var summary: String {
    "\(kind) with \(relayCount) relay\(relayCount == 1 ? "" : "s"): \(seen.count) states, \(inputs) inputs, \(shapes.count) forms, "
      + (isComplete ? "all of them" : "depth \(depth)")
  }

  mutating func run(statesMax: Int) async throws {
    for count in 1...relayCount {
      let relays = Array(Self.ids.prefix(count))
      let channel = ChannelMachine(
        id: ChannelID(rawValue: 1), kind: kind, wantedRelays: count, relays: relays, now: Self.now)
      try add(Self.normal(channel, at: Self.now))
    }
    while !frontier.isEmpty, seen.count < statesMax {
      let states = frontier
      frontier = []
      depth += 1
      for state in states where seen.count < statesMax {
        // Other tests have timers that must not wait for all of this.
        await Task.yield()
        try expand(state)
      }
    }
    isComplete = frontier.isEmpty
  }

  private mutating func expand(_ state: ChannelMachine) throws {
    for input in Self.inputs(state, relayCount) {
      inputs += 1
      try add(try Self.step(state, input))
    }
    if let timer = state.timer {
      inputs += 1
      let next = try Self.step(state, .timersFired, at: max(timer, Self.now))
      guard next != state else { throw Unsound(description: "a due timer changes nothing in \(state)") }
      try add(next)
    }
  }

  private mutating func add(_ state: ChannelMachine) throws {
    guard seen.insert(state).inserted else { return }
    for pairing in state.relays { shapes.insert(try Self.form(pairing.machine)) }
    try Self.settles(state)
    frontier.append(state)
  }

  // MARK: - Steps

  private static func inputs(_ state: ChannelMachine, _ relayCount: Int) -> [ChannelMachine.Input] {
    var inputs: [ChannelMachine.Input] = [
      .begun, .restarted, .retryRequested(nil), .deletionRequested, .revised(naming: state.namesNow),
      .revised(naming: state.namesNow, sparing: Set(ids)),
    ]
    let trouble = Trouble(.timeout, "silent")
    for id in ids.prefix(relayCount) {
      var events: [ChannelRelayMachine.Event] = [
        .relayLost(Trouble(.unreachable, "down")), .relayLost(Trouble(.missing, "gone")), .relayReturned, .verifyRequested,
      ]
      for number in [0, 1] {
        events += [
          .handedOver(operation: number), .relayAccepted(operation: number, link: "l"), .foundMissing(operation: number),
          .verified(operation: number, edition: 0), .verified(operation: number, edition: 1),
          .verified(operation: number, edition: 1, others: .newer), .verified(operation: number, edition: 1, others: .older),
          .troubled(operation: number, Trouble(.storage, "error"), retryAfter: nil),
          .refused(operation: number, Trouble(.onePerAuthor, "replaced")),
          .verified(operation: number, edition: 2), .withdrawn(operation: number), .announced(operation: number),
          .refused(operation: number, Trouble(.rejected, "no")),
          .misbehaved(operation: number, Trouble(.wrongIdentity, "forged")),
          .troubled(operation: number, trouble, retryAfter: nil),
          .troubled(operation: number, trouble, retryAfter: .seconds(2)),
        ]
      }
      inputs += events.map { .relay(id, $0) }
      inputs += [.retryRequested(id), .relayRemoved(id), .relaysAdded([id])]
      if relayCount == 2 { inputs.append(.relayReplaced(id, by: id == ids[0] ? ids[1] : ids[0], words: "words")) }
    }
    return inputs
  }

  /// The state that an input leads to, after its consequences were checked.
  private static func step(_ before: ChannelMachine, _ input: ChannelMachine.Input, at time: Timestamp = now) throws
    -> ChannelMachine
  {
    var machine = before
    var output = machine.handle(input, now: time, policy: policy)
    if let names = machine.namesDue {
      let more = machine.handle(.revised(naming: names), now: time, policy: policy)
      output.mutations += more.mutations
      output.actions += more.actions
    }
    for (old, new) in zip(before.relays, machine.relays) {
      var status = old.machine.state.status
      for case .recordTransition(new.relay, let transition) in output.mutations {
        guard transition.from == status else {
          throw Unsound(description: "a gap in the history: \(transition) after \(input)")
        }
        guard SuccessorTests.successors[status]?.contains(transition.to) == true else {
          throw Unsound(description: "\(transition.to) is no successor of \(status), but follows it after \(input)")
        }
        status = transition.to
      }
      guard status == new.machine.state.status else {
        throw Unsound(description: "\(old.machine.state) became \(new.machine.state) without a transition, by \(input)")
      }
      guard old.machine == new.machine || output.mutations.contains(.saveRelay(new.relay)) else {
        throw Unsound(description: "\(new.machine.state) is not stored, after \(input)")
      }
      if old.machine.state.status == .removed {
        guard new.machine.state.status == .removed else { throw Unsound(description: "a removed relay is back by \(input)") }
        for case .invite(new.relay, _) in output.actions {
          throw Unsound(description: "a removed relay is invited by \(input)")
        }
      }
    }
    if before.isDeletionRequested, !machine.isDeletionRequested { throw Unsound(description: "\(input) takes a deletion back") }
    return normal(machine, at: time)
  }

  /// The same machine as if it were `now`: times are relative to it, and numbers are kept as far as they matter.
  private static func normal(_ machine: ChannelMachine, at time: Timestamp) -> ChannelMachine {
    func moved(_ other: Timestamp, notBefore earliest: Duration) -> Timestamp {
      max(now + (other - time), now + (.zero - earliest))
    }
    func moved(_ work: ChannelRelayMachine.Work) -> ChannelRelayMachine.Work {
      let long = max(policy.effortMax, policy.farewellMax, policy.inactiveGrace) + .seconds(1)
      let progress: ChannelRelayMachine.Work.Progress =
        switch work.progress {
        case .underWay(let timeoutAt): .underWay(timeoutAt: moved(timeoutAt, notBefore: .zero))
        case .waiting(let until): .waiting(until: moved(until, notBefore: .zero))
        }
      return .init(
        work.task, attempt: min(work.attempt, 4), startedAt: moved(work.startedAt, notBefore: long), progress: progress,
        lastTrouble: work.lastTrouble.map { Trouble($0.cause, "words") })
    }
    let relays = machine.relays.map { pairing in
      let old = pairing.machine
      let state: ChannelRelayMachine.State =
        switch old.state {
        case .new(let work): .new(moved(work))
        case .invited(let work): .invited(moved(work))
        case .accepted(let work, let link): .accepted(moved(work), link: link)
        case .active(let link, let work): .active(link: link, work: work.map(moved))
        case .inactive(let trouble, let link, let work): .inactive(Trouble(trouble.cause, "words"), link: link, moved(work))
        case .failed(let trouble, let link): .failed(Trouble(trouble.cause, "words"), link: link)
        case .removed(let farewell): .removed(farewell: farewell.map(moved))
        }
      let isBehind = old.shown < old.edition
      return ChannelMachine.Pairing(
        relay: pairing.relay,
        machine: ChannelRelayMachine(
          state: state, since: now, operation: min(old.operation, 1), verifyDue: old.verifyDue.map { _ in now }, kind: old.kind,
          edition: 2, shown: isBehind ? min(old.shown, 1) : 2, complaint: old.complaint.map { Trouble($0.cause, "words") },
          salt: 0))
    }
    return ChannelMachine(
      id: machine.id, kind: machine.kind, wantedRelays: min(machine.wantedRelays, 3),
      isDeletionRequested: machine.isDeletionRequested, edition: 2, namedRelays: machine.namedRelays, relays: relays)
  }

  // MARK: - Invariants of every state

  /// The form of a channel relay, which must not contradict itself.
  private static func form(_ machine: ChannelRelayMachine) throws -> String {
    let state = machine.state
    guard ChannelRelayRecord(machine).machine(salt: machine.salt, kind: machine.kind, edition: machine.edition) == machine
    else {
      throw Unsound(description: "\(state) is not the same after it was stored")
    }
    switch state.status {
    case .new, .invited, .accepted, .inactive:
      guard machine.timer != nil else { throw Unsound(description: "\(state) waits without a timer") }
    case .active:
      guard machine.shown == machine.edition || !machine.isSettled || machine.complaint != nil && machine.verifyDue != nil
      else {
        throw Unsound(description: "\(state) shows an old edition and nothing is done about it")
      }
    case .failed: guard state.trouble?.detail.isEmpty == false else { throw Unsound(description: "failed without a reason") }
    case .removed: break
    }
    guard let work = state.work else { return state.status.rawValue }
    let progress = if case .underWay = work.progress { "underWay" } else { "waiting" }
    return "\(state.status.rawValue) \(work.task.rawValue) \(progress)"
  }

  /// With an honest network, every state comes to rest: active, failed or removed, and nothing left to do.
  private static func settles(_ start: ChannelMachine) throws {
    var machine = start
    var now = Self.now
    for _ in 0..<200 {
      if machine.isSettled {
        for pairing in machine.relays {
          switch pairing.machine.state.status {
          case .active, .failed, .removed: continue
          case .new, .invited, .accepted, .inactive: throw Unsound(description: "\(pairing.machine.state) is at rest")
          }
        }
        if machine.isDeletionRequested, machine.phase != .deleted { throw Unsound(description: "a deletion does not end") }
        return
      }
      if let pairing = machine.relays.first(where: { $0.machine.underWay != nil }), let work = pairing.machine.underWay {
        let event: ChannelRelayMachine.Event =
          switch work.task {
          case .invite: .relayAccepted(operation: work.operation, link: "l")
          case .verify, .verifyAnnounced: .verified(operation: work.operation, edition: machine.edition)
          case .withdraw: .withdrawn(operation: work.operation)
          case .announce: .announced(operation: work.operation)
          }
        _ = machine.handle(.relay(pairing.relay, event), now: now, policy: policy)
      } else if let timer = machine.timer {
        now = max(now, timer)
        _ = machine.handle(.timersFired, now: now, policy: policy)
      }
      if let names = machine.namesDue { _ = machine.handle(.revised(naming: names), now: now, policy: policy) }
    }
    throw Unsound(description: "\(start.relays.map(\.machine.state)) never comes to rest")
  }
}
