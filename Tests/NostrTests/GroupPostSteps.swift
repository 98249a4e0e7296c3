import Channels
import RelayNetwork
import Testing

@testable import Nostr

/// The group of these tests.
let sessionGroup = ChannelContent(
  kind: .group, identity: IdentityID(rawValue: 1), networkID: "club", trustAnchor: SecretKey.random().publicKey, document: "")

/// A post of that group, signed by its owner, with attempts at these dates.
func makeGroupPost(_ number: Int64, datedAt dates: Int64...) -> GroupPost {
  let tags = [["h", sessionGroup.networkID], [NostrPost.Attempt.clientTag, "\(number)"]]
  let post = GroupPost(NostrPost(author: sessionKey.publicKey, kind: 9, tags: tags, content: "post \(number)"))
  return dates.reduce(post) { $0.dated(at: $1).post }
}

/// The event of an attempt at this date.
func makeGroupEvent(_ number: Int64, at date: Int64) -> NostrEvent {
  guard let event = try? makeGroupPost(number).post.signed(by: sessionKey, createdAt: date) else {
    preconditionFailure("the event must be signable")
  }
  return event
}

/// An operation for a post of the group, in the form in which sessions get it.
func makeGroupDelivery(
  _ task: DeliveryOperation.Task, _ post: Int64, number: Int = 1, _ group: GroupPost? = nil
) -> SessionOperation {
  let group = group ?? makeGroupPost(post)
  let deletion = GroupDeletion(author: sessionKey.publicKey, reason: "wrong")
  let operation = DeliveryOperation(
    task: task, post: PostID(rawValue: post), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r",
    number: number, content: sessionGroup, document: group.document, deletion: task == .withdraw ? deletion.document : nil)
  switch task {
  case .publish, .verify: return SessionOperation(delivery: operation, group: group)
  case .withdraw:
    guard let events = try? deletion.events(for: group, in: sessionGroup) else {
      preconditionFailure("there must be an attempt that can be deleted")
    }
    return SessionOperation(delivery: operation, events: events, group: group)
  }
}

/// An operation for a post of the group of which this is left.
func makeForgottenDelivery(_ task: DeliveryOperation.Task, _ post: Int64, _ names: GroupRemnant) -> SessionOperation {
  SessionOperation(
    delivery: DeliveryOperation(
      task: task, post: PostID(rawValue: post), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
      address: "ws://r", number: 1, content: sessionGroup, document: names.document),
    names: names)
}

/// The forms that posts get with what is reported about them.
func forms<Machine: SessionMachine>(_ actions: [SessionAction<Machine>]) -> [GroupPost] {
  actions.compactMap {
    guard case .report(.delivery(_, _, _, _, let form?)) = $0 else { return nil }
    return GroupPost(form)
  }
}

/// The posts that need a date.
func undated(_ actions: [PublisherMachine.Action]) -> [Int64] {
  actions.compactMap { if case .own(.date(let post, _)) = $0 { post.rawValue } else { nil } }
}

/// The events that are to be signed.
func toSign(_ actions: [PublisherMachine.Action]) -> [DatedEvent] {
  actions.compactMap { if case .own(.sign(let event, sessionGroup)) = $0 { event } else { nil } }
}

/// The kinds of the drafts that are to be signed and sent.
func drafts(_ actions: [PublisherMachine.Action]) -> [Int] {
  actions.compactMap { if case .own(.publish(let kind, _, _)) = $0 { kind } else { nil } }
}

/// - Parameter ahead: the number of seconds by which the date may be ahead of this one.
func dated(_ post: Int64, at date: Int64, number: Int = 1, ahead: Int64 = 0) -> PublisherMachine.Event {
  .dated(PostID(rawValue: post), number: number, at: date, ahead: ahead)
}

/// The event was signed at a time.
func signed(_ event: NostrEvent, at date: Int64) -> PublisherMachine.Event {
  .signed(id: event.id, text: event.text, at: date)
}
