import Testing

@testable import Channels

/// The behaviour of one delivery, described in text files; see `Transcripts/delivery-*.txt`.
struct DeliveryTranscriptTests {
  @Test(arguments: [
    "delivery-happy-path.txt", "delivery-lost-answer.txt", "delivery-trouble.txt", "delivery-refusals.txt",
    "delivery-relay-down.txt", "delivery-cancel.txt", "delivery-delete.txt", "delivery-delete-refused.txt",
    "delivery-edit.txt", "delivery-forget.txt", "delivery-gaps.txt", "delivery-restart.txt",
  ])
  func deliveryFollowsItsTranscript(_ name: String) throws { try DeliveryPlayer.play(name) }
}

/// Runs the commands of a transcript against one delivery.
private struct DeliveryPlayer: TranscriptPlayer {
  var now = Timestamp(milliseconds: 0)
  var machine = DeliveryMachine(salt: 0, now: Timestamp(milliseconds: 0))
  let policy: DeliveryPolicy = {
    var policy = DeliveryPolicy()
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
      machine = DeliveryMachine(salt: 0, now: now)
      return []
    }
    return feed(try event(command))
  }

  mutating func fireTimer() -> [String] { ["timer at \(seconds(now))"] + feed(.timerFired) }

  private mutating func feed(_ event: DeliveryMachine.Event) -> [String] {
    show(machine.handle(event, now: now, policy: policy))
  }

  private func event(_ command: String) throws -> DeliveryMachine.Event {
    let (words, operation) = event(in: command, latest: machine.operation)
    func trouble() throws -> Trouble {
      guard words.count > 2, let cause = Cause(rawValue: words[1]) else { throw UnknownCommand(text: command) }
      return Trouble(cause, words[2])
    }
    switch words[0] {
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
    case "forget": return .forgotten
    default: throw UnknownCommand(text: command)
    }
  }

  private func show(_ actions: [DeliveryMachine.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .record(let transition):
        "\(transition.from) -> \(transition.to) attempt \(transition.attempt)\(transition.reason)"
      case .publish(let operation): "publish #\(operation)"
      case .verify(let operation): "verify #\(operation)"
      case .withdraw(let operation): "withdraw #\(operation)"
      case .reportUnexpected(let event): "unexpected \(event)"
      }
    }
  }

  var state: String {
    let shown = machine.edition > 1 ? ", shows edition \(machine.shown) of \(machine.edition)" : ""
    let work = machine.underWay.map { ", \($0.task) #\($0.operation) under way" } ?? ""
    let timer = machine.timer.map { ", timer \(seconds($0))" } ?? ""
    return "= \(machine.state.status)\(shown)\(work)\(timer)"
  }
}
