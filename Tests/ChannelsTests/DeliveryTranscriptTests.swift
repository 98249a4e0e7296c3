import TestSupport
import Testing

@testable import Channels

/// The behaviour of one delivery, described in text files; see `Transcripts/delivery-*.txt`.
struct DeliveryTranscriptTests {
  @Test(arguments: [
    "delivery-happy-path.txt", "delivery-lost-answer.txt", "delivery-trouble.txt", "delivery-refusals.txt",
    "delivery-relay-down.txt", "delivery-cancel.txt", "delivery-delete.txt", "delivery-delete-refused.txt",
    "delivery-edit.txt", "delivery-gaps.txt", "delivery-restart.txt",
  ])
  func deliveryFollowsItsTranscript(_ name: String) throws {
    let transcript = try Transcript(name, beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    var player = DeliveryPlayer()
    let difference = try transcript.difference { try player.run($0) }
    #expect(difference == nil, "\(difference ?? "")")
  }
}

/// Runs the commands of a transcript against one delivery.
private struct DeliveryPlayer {
  struct UnknownCommand: Error { let text: String }

  var now = Timestamp(milliseconds: 0)
  var machine = DeliveryMachine(salt: 0, now: Timestamp(milliseconds: 0))
  let policy: DeliveryPolicy = {
    var policy = DeliveryPolicy()
    policy.backOffJitterPercent = 0
    return policy
  }()

  mutating func run(_ commands: [String]) throws -> [String] {
    var output: [String] = []
    for command in commands {
      if command.hasPrefix("advance ") {
        output += advance(to: now + .seconds(Int64(command.dropFirst(8).dropLast()) ?? 0))
      } else if command.hasPrefix("off ") {
        // The daemon does not run, and the clock moves.
        let distance = Duration.seconds(Int64(command.dropFirst(4).dropLast()) ?? 0)
        now = now + distance
        machine.clockMoved(by: distance, now: now, policy: policy)
        output += show(machine.handle(.restarted, now: now, policy: policy))
      } else if command == "new" {
        machine = DeliveryMachine(salt: 0, now: now)
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

  private func event(_ command: String) throws -> DeliveryMachine.Event {
    let words = command.split(separator: " ", maxSplits: 2).map(String.init)
    var operation = machine.operation
    var name = words[0]
    if name.hasSuffix("(stale)") {
      name = String(name.dropLast(7))
      operation -= 1
    }
    func trouble() throws -> Trouble {
      guard words.count > 2, let cause = Cause(rawValue: words[1]) else { throw UnknownCommand(text: command) }
      return Trouble(cause, words[2])
    }
    switch name {
    case "begun": return .begun
    case "restarted": return .restarted
    case "timerFired": return .timerFired
    case "handedOver": return .handedOver(operation: operation)
    case "accepted": return .accepted(operation: operation)
    case "verified":
      return .verified(operation: operation, edition: words.count > 1 ? Int(words[1]) ?? 0 : machine.edition)
    case "missing": return .foundMissing(operation: operation)
    case "withdrawn": return .withdrawn(operation: operation)
    case "refused": return .refused(operation: operation, try trouble())
    case "skipped": return .skipped(operation: operation, try trouble())
    case "troubled": return .troubled(operation: operation, try trouble(), retryAfter: nil)
    case "troubled-wait-2h": return .troubled(operation: operation, try trouble(), retryAfter: .seconds(7_200))
    case "served": return .reconciled(isServed: true)
    case "unserved": return .reconciled(isServed: false)
    case "returned": return .relayReturned
    case "left": return .relayLeft
    case "edited": return .edited(edition: machine.edition + 1)
    case "retry": return .retryRequested
    case "cancel": return .cancelRequested
    case "delete": return .deletionRequested
    default: throw UnknownCommand(text: command)
    }
  }

  private func seconds(_ time: Timestamp) -> String { "\(Double(time.milliseconds) / 1000)s" }

  private func show(_ actions: [DeliveryMachine.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .record(let transition):
        let reason = [transition.cause?.rawValue, transition.detail].compactMap { $0 }.filter { !$0.isEmpty }
        return "\(transition.from) -> \(transition.to) attempt \(transition.attempt)"
          + (reason.isEmpty ? "" : ": \(reason.joined(separator: ", "))")
      case .publish(let operation): return "publish #\(operation)"
      case .verify(let operation): return "verify #\(operation)"
      case .withdraw(let operation): return "withdraw #\(operation)"
      case .reportUnexpected(let event): return "unexpected \(event)"
      }
    }
  }

  private var state: String {
    let shown = machine.edition > 1 ? ", shows edition \(machine.shown) of \(machine.edition)" : ""
    let work = machine.underWay.map { ", \($0.task) #\($0.operation) under way" } ?? ""
    let timer = machine.timer.map { ", timer \(seconds($0))" } ?? ""
    return "= \(machine.state.status)\(shown)\(work)\(timer)"
  }
}
