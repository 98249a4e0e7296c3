import Testing

@testable import Channels

/// The behaviour of one channel relay, described in text files; see `Transcripts/`.
struct TranscriptTests {
  @Test(arguments: [
    "happy-path.txt", "transient-trouble.txt", "refusals.txt", "late-acceptance.txt", "inactive-and-back.txt",
    "retry-and-remove.txt", "restart.txt", "silence.txt", "editions.txt", "one-per-author.txt", "groups.txt",
  ])
  func machineFollowsItsTranscript(_ name: String) throws { try Player.play(name) }
}

/// Runs the commands of a transcript against one machine.
private struct Player: TranscriptPlayer {
  var now = Timestamp(milliseconds: 0)
  var machine = ChannelRelayMachine(salt: 0, now: Timestamp(milliseconds: 0))
  let policy: RelayPolicy = {
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    return policy
  }()

  var timer: Timestamp? { machine.timer }

  mutating func perform(_ command: String) throws -> [String] {
    if command.hasPrefix("off ") {
      // The daemon does not run, and the clock moves.
      let distance = duration(of: command)
      now = now + distance
      machine.clockMoved(by: distance, now: now, policy: policy)
      return feed(.restarted)
    } else if command == "new" {
      machine = ChannelRelayMachine(salt: 0, now: now)
      return []
    } else if command == "new group" {
      machine = ChannelRelayMachine(salt: 0, now: now, kind: .group)
      return []
    }
    return feed(try event(command))
  }

  mutating func fireTimer() -> [String] { ["timer at \(seconds(now))"] + feed(.timerFired) }

  private mutating func feed(_ event: ChannelRelayMachine.Event) -> [String] {
    show(machine.handle(event, now: now, policy: policy))
  }

  private func event(_ command: String) throws -> ChannelRelayMachine.Event {
    let (words, operation) = event(in: command, latest: machine.operation)
    func cause() throws -> Cause {
      guard words.count > 1, let cause = Cause(rawValue: words[1]) else { throw UnknownCommand(text: command) }
      return cause
    }
    let detail = words.count > 2 ? words[2] : "words of the relay"
    switch words[0] {
    case "begun": return .begun
    case "restarted": return .restarted
    case "timerFired": return .timerFired
    case "handedOver": return .handedOver(operation: operation)
    case "accepted": return .relayAccepted(operation: operation, link: "wss://relay.example")
    case "verified":
      let others = OtherEditions.allCases.first { words.count > 2 && "\($0)" == words[2] }
      return .verified(
        operation: operation, edition: words.count > 1 ? Int(words[1]) ?? 0 : machine.edition, others: others ?? .unknown)
    case "announced": return .announced(operation: operation)
    case "revised": return .revised(edition: machine.edition + 1)
    case "spared": return .revised(edition: machine.edition + 1, isSpared: true)
    case "missing": return .foundMissing(operation: operation)
    case "withdrawn": return .withdrawn(operation: operation)
    case "refused": return .refused(operation: operation, Trouble(.rejected, detail))
    case "crowded": return .refused(operation: operation, Trouble(.onePerAuthor, detail))
    case "misbehaved": return .misbehaved(operation: operation, Trouble(try cause(), detail))
    case "troubled": return .troubled(operation: operation, Trouble(try cause(), detail), retryAfter: nil)
    case "troubled-wait-30s":
      return .troubled(operation: operation, Trouble(try cause(), detail), retryAfter: .seconds(30))
    case "troubled-wait-2h":
      return .troubled(operation: operation, Trouble(try cause(), detail), retryAfter: .seconds(7_200))
    case "lost": return .relayLost(Trouble(try cause(), detail))
    case "returned": return .relayReturned
    case "retry": return .retryRequested
    case "verify": return .verifyRequested
    case "remove": return .removalRequested
    case "replaced": return .replaced(detail)
    default: throw UnknownCommand(text: command)
    }
  }

  private func show(_ actions: [ChannelRelayMachine.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .record(let transition):
        "\(transition.from) -> \(transition.to) attempt \(transition.attempt)\(transition.reason)"
      case .invite(let operation): "invite #\(operation)"
      case .verify(let operation): "verify #\(operation)"
      case .withdraw(let operation): "withdraw #\(operation)"
      case .announce(let operation): "announce #\(operation)"
      case .reportUnexpected(let event): "unexpected \(event)"
      }
    }
  }

  var state: String {
    let timer = machine.timer.map { ", timer \(seconds($0))" } ?? ""
    let work = machine.underWay.map { ", \($0.task) #\($0.operation) under way" } ?? ""
    let edition =
      machine.edition > 1 && machine.state.status == .active ? ", shows edition \(machine.shown) of \(machine.edition)" : ""
    return "= \(machine.state.status)\(edition)\(work)\(timer)"
  }
}
