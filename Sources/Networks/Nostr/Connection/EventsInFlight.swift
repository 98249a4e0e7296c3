internal import Channels
internal import RelayNetwork

/// An operation, one of whose events is under way.
struct EventInFlight: Hashable, Sendable {
  let item: SessionOperation
  /// A number that grows with every event that is sent.
  let serial: Int
  /// Which of the operation's events is on its way.
  var step = 0
  /// The event's id, or empty until it is signed.
  var eventID = ""
  /// The number of times that the relay demanded AUTH for this event.
  var authenticationRounds = 0
  /// Whether it was refused with a demand for AUTH. It is sent again once that is done.
  var awaitsAuthentication = false
  /// Whether AUTH was done with the channel's own key for this event.
  var isAuthorKnown = false
  /// Whether the relay accepted an event of the operation with the same effect.
  var isSecond = false
  /// Whether it was sent on an earlier occasion, too, and not answered then: the relay may have it.
  var wasSent = false

  var content: ChannelContent { item.content }
  /// Whether the operation does not depend on the event that is on its way.
  var isExtra: Bool { item.events.indices.contains(step) && item.events[step].isExtra }
  /// Whether the next event has the same effect, so that the relay need not accept this one.
  var isOption: Bool { item.events.indices.contains(step) && item.events[step].isOption }
  /// Whether it is a list of pinned posts that is being read before it is sent.
  var isUnsentList: Bool { item.pin != nil && eventID.isEmpty }
  /// Whether it creates a group.
  var isCreation: Bool { content.kind == .group && item.channelTask == .invite && step == 0 }
  /// The event that comes next in the same operation, with another serial number.
  func next(serial: Int) -> EventInFlight? {
    step + 1 < item.events.count ? EventInFlight(item: item, serial: serial, step: step + 1) : nil
  }
}

/// The events that were sent and not answered yet, in the order in which they were sent.
struct EventsInFlight: Hashable, Sendable {
  private(set) var all: [EventInFlight] = []

  var count: Int { all.count }
  var isEmpty: Bool { all.isEmpty }
  /// The event that was sent first, of the events that the relay must answer.
  var first: EventInFlight? { all.first { !$0.awaitsAuthentication } }
  /// The event that waits for AUTH. There is one at most.
  var authenticating: EventInFlight? { all.first(where: \.awaitsAuthentication) }

  subscript(id: String) -> EventInFlight? { id.isEmpty ? nil : all.first { $0.eventID == id } }

  /// Whether `item` may be sent together with these: not with another operation on its channel, or for its post, whose order matters, and
  /// not with events that are signed when they are sent, which a relay does not accept twice.
  func mayBeJoined(by item: SessionOperation) -> Bool {
    isEmpty || !item.isDraft && all.allSatisfy { $0.item.order != item.order && !$0.item.isDraft }
  }

  mutating func append(_ event: EventInFlight) { all.append(event) }

  mutating func remove(_ event: EventInFlight) { all.removeAll { $0.serial == event.serial } }

  mutating func removeAll() -> [EventInFlight] {
    defer { all = [] }
    return all
  }

  mutating func update(_ event: EventInFlight, _ change: (inout EventInFlight) -> Void) {
    guard let index = all.firstIndex(where: { $0.serial == event.serial }) else { return }
    change(&all[index])
  }

  /// Sets the id of the event that waits for its signature.
  mutating func signed(as id: String) {
    guard let index = all.firstIndex(where: { $0.eventID.isEmpty }) else { return }
    all[index].eventID = id
  }
}
