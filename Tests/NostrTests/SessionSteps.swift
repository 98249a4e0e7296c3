import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// The key that signs the channels of these tests.
let sessionKey = SecretKey.random()

func makeOperation(_ task: RelayOperation.Task, channel: Int64 = 1, number: Int = 1) -> SessionOperation {
  let content = PublicChannel.content(name: "c\(channel)", about: "", picture: "", relays: [])
  guard let event = NostrEvent(signedBy: sessionKey, createdAt: 1000 + channel, kind: 40, content: content) else {
    preconditionFailure("the event must be signable")
  }
  let operation = RelayOperation(
    task: task, channel: ChannelID(rawValue: channel), relay: RelayID(rawValue: 1), address: "ws://r", number: number,
    content: ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: event.id, trustAnchor: event.publicKey, document: event.text))
  return SessionOperation(operation: operation, events: [OutgoingEvent(event)])
}

extension SessionOperation {
  var eventID: String { operation.content.networkID }
}

/// - Parameter now: the time at which dates are refused, in Unix seconds.
func outcomes<Machine: SessionMachine>(_ actions: [SessionAction<Machine>], at now: Int64 = 1_000_000) -> [RelayOutcome] {
  reports(actions, at: now).compactMap { if case .outcome(_, _, _, let outcome) = $0 { outcome } else { nil } }
}

/// What is reported, as a session does it at this time.
func reports<Machine: SessionMachine>(_ actions: [SessionAction<Machine>], at now: Int64) -> [NetworkReport] {
  actions.compactMap {
    switch $0 {
    case .report(let report): return report
    case .own(let action):
      guard case .misdated(let item, let event, let refusal, let isDoubtful)? = action as? PublisherMachine.OwnAction else {
        return nil
      }
      let outcome = refusal.outcome(at: (event.date ?? now) - now, isFresh: event.isFresh)
      return item.report(outcome, isDoubtful: isDoubtful)
    default: return nil
    }
  }
}

func sends<Machine: SessionMachine>(_ actions: [SessionAction<Machine>]) -> Int {
  actions.filter { if case .send = $0 { true } else { false } }.count
}

extension PublisherMachine {
  /// The event in flight gets no answer, and the relay does not serve it either.
  mutating func timeOut() -> [Action] { handle(.timerFired(.answer)) + handle(.timerFired(.readBack)) }
}
