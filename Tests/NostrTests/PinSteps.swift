import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// The key by which the relay of these tests signs what it says about its groups.
let pinRelayKey = SecretKey.random()

/// A group on that relay.
func makePinGroup(_ id: String = "club") -> ChannelContent {
  ChannelContent(
    kind: .group, identity: IdentityID(rawValue: 1), networkID: id, trustAnchor: pinRelayKey.publicKey, document: "")
}

/// The id of a post that can be pinned.
func pinnedID(_ number: Int) -> String { PostSamples.key(number: number) }

/// The list entry of that post.
func entry(_ number: Int) -> [String] { ["e", pinnedID(number)] }

/// What the relay shows as the pinned posts of a group.
func makePins(
  _ entries: [[String]], of group: String = "club", at date: Int64 = 1_000, by key: SecretKey = pinRelayKey
) -> NostrEvent {
  guard let event = NostrEvent(signedBy: key, createdAt: date, kind: 39_005, tags: [["d", group]] + entries, content: "") else {
    preconditionFailure("the event must be signable")
  }
  return event
}

/// The pin of a post.
func makePin(_ number: Int) -> PinForm { PinForm(author: sessionKey.publicKey, target: pinnedID(number)) }

/// The operation of a post that pins post `post`, in the form in which sessions get it.
func makePinDelivery(
  _ task: DeliveryOperation.Task, _ post: Int64, number: Int = 1, group: String = "club", _ pin: PinForm? = nil,
  isDeleted: Bool = false
) -> SessionOperation {
  let pin = pin ?? makePin(Int(post))
  let deletion = GroupDeletion(author: sessionKey.publicKey, reason: "old").document
  let operation = DeliveryOperation(
    task: task, post: PostID(rawValue: post), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r",
    number: number, content: makePinGroup(group), document: pin.document,
    deletion: isDeleted || task == .withdraw ? deletion : nil)
  switch task {
  case .verify: return SessionOperation(delivery: operation, pin: pin)
  case .publish:
    return SessionOperation(delivery: operation, events: [.pins(PinChange(target: pin.target, isPinned: true))], pin: pin)
  case .withdraw:
    let change = PinChange(target: pin.target, isPinned: false, reason: "old")
    return SessionOperation(delivery: operation, events: [.pins(change)], pin: pin)
  }
}

/// The names of the requests for pinned posts, in order.
func pinRequests<Machine: SessionMachine>(_ actions: [SessionAction<Machine>], of group: String = "club") -> [String] {
  let filter: JSONValue = ["kinds": [39_005], "#d": [.string(group)]]
  return texts(actions).compactMap { text in
    guard let parts = (try? JSONParser.parse(text))?.array, parts.count == 3, parts[0] == "REQ", parts[2] == filter else {
      return nil
    }
    return parts[1].string
  }
}

/// The lists that are to be signed and sent: all tags, and the reason.
func sentPins(_ actions: [PublisherMachine.Action]) -> [[[String]]] {
  actions.compactMap { if case .own(.publish(9_010, let tags, _)) = $0 { tags } else { nil } }
}

/// The forms that pins get with what is reported about them.
func pinForms<Machine: SessionMachine>(_ actions: [SessionAction<Machine>]) -> [PinForm] {
  actions.compactMap {
    guard case .report(.delivery(_, _, _, _, let form?)) = $0 else { return nil }
    return PinForm(form)
  }
}
