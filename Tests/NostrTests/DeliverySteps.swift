import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

extension SessionOperation {
  /// The operation of one that is about a channel.
  var operation: RelayOperation {
    guard case .channel(let operation) = subject else { preconditionFailure("the operation must be about a channel") }
    return operation
  }
}

/// A post of the channel of these tests, signed by its key.
func makePost(_ number: Int64, text: String = "post") -> NostrEvent {
  let root = ["e", String(repeating: "1", count: 64), "", "root"]
  guard
    let event = NostrEvent(
      signedBy: sessionKey, createdAt: 5000 + number, kind: 42, tags: [root], content: "\(text) \(number)",
      auxiliary: [UInt8](repeating: 0, count: 32))
  else { preconditionFailure("the event must be signable") }
  return event
}

/// The request to delete that post.
func makeDeletion(_ number: Int64) -> NostrEvent {
  guard
    let event = NostrEvent(
      signedBy: sessionKey, createdAt: 6000 + number, kind: 5, tags: [["e", makePost(number).id]], content: "",
      auxiliary: [UInt8](repeating: 0, count: 32))
  else { preconditionFailure("the event must be signable") }
  return event
}

/// An operation for the post of this number, in the form in which sessions get it.
func makeDelivery(
  _ task: DeliveryOperation.Task, _ post: Int64, number: Int = 1, keySalt: [UInt8]? = nil, text: String = "post"
) -> SessionOperation {
  let content = ChannelContent(
    identity: IdentityID(rawValue: 1), networkID: String(repeating: "1", count: 64), trustAnchor: sessionKey.publicKey,
    document: "", keySalt: keySalt)
  let (event, deletion) = (makePost(post, text: text), makeDeletion(post))
  let operation = DeliveryOperation(
    task: task, post: PostID(rawValue: post), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r",
    number: number, content: content, document: PostDocument(event), deletion: task == .withdraw ? PostDocument(deletion) : nil)
  switch task {
  case .publish: return SessionOperation(delivery: operation, events: [OutgoingEvent(event)])
  case .withdraw: return SessionOperation(delivery: operation, events: [OutgoingEvent(deletion)])
  case .verify: return SessionOperation(delivery: operation)
  }
}

/// What was reported about posts: the post, the number of the operation and the outcome.
struct DeliveryWord: Hashable, CustomStringConvertible {
  let post: Int64
  let number: Int
  let outcome: DeliveryOutcome

  init(_ post: Int64, _ outcome: DeliveryOutcome, number: Int = 1) {
    (self.post, self.number, self.outcome) = (post, number, outcome)
  }

  var description: String { "post \(post), number \(number): \(outcome)" }
}

/// - Parameter now: the time at which dates are refused, in Unix seconds.
func words<Machine: SessionMachine>(_ actions: [SessionAction<Machine>], at now: Int64 = 1_000_000) -> [DeliveryWord] {
  reports(actions, at: now).compactMap {
    guard case .delivery(let post, _, let number, let outcome, _) = $0 else { return nil }
    return DeliveryWord(post.rawValue, outcome, number: number)
  }
}

/// The posts whose turn has come.
func turns(_ actions: [PublisherMachine.Action]) -> [Int64] {
  words(actions).filter { $0.outcome == .handedOver }.map(\.post)
}

/// The texts that are sent, in order.
func texts<Machine: SessionMachine>(_ actions: [SessionAction<Machine>]) -> [String] {
  actions.compactMap { if case .send(let text) = $0 { text } else { nil } }
}

func message(_ event: NostrEvent) -> String { ClientMessage.event(event.text) }

func release(_ post: Int64, _ mayLeave: Bool = true, number: Int = 1) -> PublisherMachine.Event {
  .released(DeliveryTurn(post: PostID(rawValue: post), relay: RelayID(rawValue: 1), number: number, mayLeave: mayLeave))
}

func ok(_ event: NostrEvent, _ text: String = "", accepted: Bool = true) -> PublisherMachine.Event {
  .received(.ok(id: event.id, accepted: accepted, text: text))
}
