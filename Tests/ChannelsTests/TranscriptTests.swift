import TestSupport
import Testing

@testable import Channels

/// The behaviour of one channel relay, described in text files; see `Transcripts/`.
struct TranscriptTests {
  @Test(arguments: [
    "happy-path.txt", "transient-trouble.txt", "refusals.txt", "late-acceptance.txt", "inactive-and-back.txt",
    "retry-and-remove.txt", "restart.txt", "silence.txt", "editions.txt", "one-per-author.txt", "groups.txt",
  ])
  func machineFollowsItsTranscript(_ name: String) throws {
    let transcript = try Transcript(name, beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    var player = Player()
    let difference = try transcript.difference { try player.run($0) }
    #expect(difference == nil, "\(difference ?? "")")
  }
}

/// Runs the commands of a transcript against one machine.
private struct Player {
  struct UnknownCommand: Error { let text: String }

  var now = Timestamp(milliseconds: 0)
  var machine = ChannelRelayMachine(salt: 0, now: Timestamp(milliseconds: 0))
  let policy: RelayPolicy = {
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    return policy
  }()

  mutating func run(_ commands: [String]) throws -> [String] {
    var output: [String] = []
    for command in commands {
      if command.hasPrefix("advance ") {
        let seconds = Int64(command.dropFirst(8).dropLast()) ?? 0
        output += advance(to: now + .seconds(seconds))
      } else if command.hasPrefix("off ") {
        // The daemon does not run, and the clock moves.
        let distance = Duration.seconds(Int64(command.dropFirst(4).dropLast()) ?? 0)
        now = now + distance
        machine.clockMoved(by: distance, now: now, policy: policy)
        output += show(machine.handle(.restarted, now: now, policy: policy))
      } else if command == "new" {
        machine = ChannelRelayMachine(salt: 0, now: now)
      } else if command == "new group" {
        machine = ChannelRelayMachine(salt: 0, now: now, kind: .group)
      } else {
        output += show(machine.handle(try event(command), now: now, policy: policy))
      }
    }
    return output + [state]
  }

  private mutating func advance(to end: Timestamp) -> [String] {
    var output: [String] = []
    while let due = machine.timer, due <= end {
      now = max(now, due)
      output.append("timer at \(seconds(now))")
      output += show(machine.handle(.timerFired, now: now, policy: policy))
    }
    now = end
    return output
  }

  private func event(_ command: String) throws -> ChannelRelayMachine.Event {
    let words = command.split(separator: " ", maxSplits: 2).map(String.init)
    var operation = machine.operation
    var name = words[0]
    if name.hasSuffix("(stale)") {
      name = String(name.dropLast(7))
      operation -= 1
    }
    func cause() throws -> Cause {
      guard words.count > 1, let cause = Cause(rawValue: words[1]) else { throw UnknownCommand(text: command) }
      return cause
    }
    let detail = words.count > 2 ? words[2] : "words of the relay"
    switch name {
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

  private func seconds(_ time: Timestamp) -> String { "\(Double(time.milliseconds) / 1000)s" }

  private func show(_ actions: [ChannelRelayMachine.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .record(let transition):
        let reason = [transition.cause?.rawValue, transition.detail].compactMap { $0 }.filter { !$0.isEmpty }
        return "\(transition.from) -> \(transition.to) attempt \(transition.attempt)"
          + (reason.isEmpty ? "" : ": \(reason.joined(separator: ", "))")
      case .invite(let operation): return "invite #\(operation)"
      case .verify(let operation): return "verify #\(operation)"
      case .withdraw(let operation): return "withdraw #\(operation)"
      case .announce(let operation): return "announce #\(operation)"
      case .reportUnexpected(let event): return "unexpected \(event)"
      }
    }
  }

  private var state: String {
    let timer = machine.timer.map { ", timer \(seconds($0))" } ?? ""
    let work = machine.underWay.map { ", \($0.task) #\($0.operation) under way" } ?? ""
    let edition =
      machine.edition > 1 && machine.state.status == .active ? ", shows edition \(machine.shown) of \(machine.edition)" : ""
    return "= \(machine.state.status)\(edition)\(work)\(timer)"
  }
}
