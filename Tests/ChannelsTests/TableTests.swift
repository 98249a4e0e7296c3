import TestTools
import Testing

@testable import Channels

/// Every state × every event, written out in `Transcripts/table.txt`. A new state or event changes that file.
struct TableTests {
  private static let start = Timestamp(milliseconds: 1_000_000)
  private static let link = "wss://relay.example"
  private static let trouble = Trouble(.unreachable, "down")

  private static func work(_ task: ChannelRelayMachine.Work.Task, waiting: Bool) -> ChannelRelayMachine.Work {
    .init(
      task, attempt: 1, startedAt: start,
      progress: waiting ? .waiting(until: start + .seconds(5)) : .underWay(timeoutAt: start + .seconds(5)),
      lastTrouble: waiting ? trouble : nil)
  }

  private static let states: [(String, ChannelRelayMachine.State)] = [
    ("new, inviting", .new(work(.invite, waiting: false))),
    ("new, waiting", .new(work(.invite, waiting: true))),
    ("invited, inviting", .invited(work(.invite, waiting: false))),
    ("invited, waiting", .invited(work(.invite, waiting: true))),
    ("accepted, verifying", .accepted(work(.verify, waiting: false), link: link)),
    ("accepted, waiting", .accepted(work(.verify, waiting: true), link: link)),
    ("active", .active(link: link, work: nil)),
    ("active, verifying", .active(link: link, work: work(.verify, waiting: false))),
    ("active, waiting", .active(link: link, work: work(.verify, waiting: true))),
    ("active, announcing", .active(link: link, work: work(.announce, waiting: false))),
    ("active, waiting to announce", .active(link: link, work: work(.announce, waiting: true))),
    ("active, confirming", .active(link: link, work: work(.verifyAnnounced, waiting: false))),
    ("inactive, verifying", .inactive(trouble, link: link, work(.verify, waiting: false))),
    ("inactive, inviting", .inactive(trouble, link: link, work(.invite, waiting: false))),
    ("inactive, waiting", .inactive(trouble, link: link, work(.verify, waiting: true))),
    ("failed, unreachable", .failed(trouble, link: "")),
    ("failed, rejected", .failed(Trouble(.rejected, "no"), link: "")),
    ("removed, reading", .removed(farewell: work(.verify, waiting: false))),
    ("removed, waiting to read", .removed(farewell: work(.verify, waiting: true))),
    ("removed, telling", .removed(farewell: work(.withdraw, waiting: false))),
    ("removed, waiting", .removed(farewell: work(.withdraw, waiting: true))),
    ("removed", .removed(farewell: nil)),
  ]

  private static let events: [(String, ChannelRelayMachine.Event)] = [
    ("begun", .begun), ("restarted", .restarted), ("timerFired", .timerFired),
    ("handedOver", .handedOver(operation: 7)), ("handedOver, stale", .handedOver(operation: 6)),
    ("relayAccepted", .relayAccepted(operation: 7, link: link)),
    ("relayAccepted, stale", .relayAccepted(operation: 6, link: link)),
    ("verified", .verified(operation: 7, edition: 2)), ("verified, older edition", .verified(operation: 7)),
    ("verified, no edition", .verified(operation: 7, edition: 0)), ("announced", .announced(operation: 7)),
    ("announced, stale", .announced(operation: 6)), ("revised", .revised(edition: 3)),
    ("foundMissing", .foundMissing(operation: 7)),
    ("foundMissing, stale", .foundMissing(operation: 6)), ("withdrawn", .withdrawn(operation: 7)),
    ("refused", .refused(operation: 7, Trouble(.rejected, "no"))),
    ("refused, stale", .refused(operation: 6, Trouble(.rejected, "no"))),
    ("misbehaved", .misbehaved(operation: 7, Trouble(.wrongIdentity, "forged"))),
    ("misbehaved, stale", .misbehaved(operation: 6, Trouble(.wrongIdentity, "forged"))),
    ("troubled", .troubled(operation: 7, Trouble(.timeout, "silent"), retryAfter: nil)),
    ("troubled, stale", .troubled(operation: 6, Trouble(.timeout, "silent"), retryAfter: nil)),
    ("relayLost", .relayLost(trouble)), ("relayReturned", .relayReturned), ("retryRequested", .retryRequested),
    ("verifyRequested", .verifyRequested), ("removalRequested", .removalRequested), ("replaced", .replaced("words")),
    ("rejoinRequested", .rejoinRequested),
  ]

  @Test func everyCellIsInTheTable() throws {
    let transcript = try Transcript("table.txt", beside: #filePath)
    #expect(transcript.blocks.count == Self.states.count)
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    let difference = try transcript.difference { commands in
      guard let state = Self.states.first(where: { $0.0 == commands.first }) else { return ["no such state"] }
      return Self.events.map { name, event in
        var machine = ChannelRelayMachine(
          state: state.1, since: Self.start, operation: 7, edition: 2, shown: state.0.contains("announc") ? 1 : 2, salt: 0)
        let actions = machine.handle(event, now: Self.start + .seconds(5), policy: policy)
        return "\(name): \(Self.describe(actions, machine))"
      }
    }
    #expect(difference == nil, "\(difference ?? "")")
  }

  /// A peer's late, repeated or reordered message never changes a state that it does not concern.
  @Test func staleOutcomesOfFailureChangeNothing() {
    for (name, state) in Self.states {
      for (eventName, event) in Self.events where eventName.hasSuffix("stale") && !eventName.hasPrefix("relayAccepted") {
        let before = ChannelRelayMachine(state: state, since: Self.start, operation: 7, salt: 0)
        var machine = before
        _ = machine.handle(event, now: Self.start + .seconds(5), policy: RelayPolicy())
        #expect(machine == before, "\(eventName) in \(name)")
      }
    }
  }

  private static func describe(_ actions: [ChannelRelayMachine.Action], _ machine: ChannelRelayMachine) -> String {
    var parts = [machine.state.status.rawValue]
    for action in actions {
      switch action {
      case .record(let transition):
        parts.append("record \(transition.from)->\(transition.to) \(transition.cause?.rawValue ?? "-")")
      case .invite(let operation): parts.append("invite #\(operation)")
      case .verify(let operation): parts.append("verify #\(operation)")
      case .withdraw(let operation): parts.append("withdraw #\(operation)")
      case .announce(let operation): parts.append("announce #\(operation)")
      case .reportUnexpected: parts.append("unexpected")
      }
    }
    if machine.shown != machine.edition { parts.append("shows \(machine.shown) of \(machine.edition)") }
    if let timer = machine.timer { parts.append("timer +\((timer - start).wholeMilliseconds / 1000)s") }
    return parts.joined(separator: "; ")
  }
}
