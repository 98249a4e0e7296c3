internal import Channels
internal import RelayNetwork

/// An operation that one of its events is under way for.
struct EventInFlight: Hashable, Sendable {
  let item: SessionOperation
  /// Grows with every event that is sent.
  let serial: Int
  /// Which of the operation's events is on its way.
  var step = 0
  /// Its id; empty until it is signed.
  var eventID = ""
  /// An id that was to be new is taken at the relay, perhaps by ourselves.
  var isTaken = false
  /// How often the relay demanded AUTH for this event.
  var authenticationRounds = 0
  /// Refused with a demand for AUTH; sent again once that is done.
  var awaitsAuthentication = false
  /// AUTH was done with the channel's own key for this event.
  var isAuthorKnown = false

  var content: ChannelContent { item.operation.content }
  /// Whether the operation does not depend on the event that is on its way.
  var isExtra: Bool { item.events.indices.contains(step) && item.events[step].isExtra }
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
  /// The event that was sent first of those that the relay must answer.
  var first: EventInFlight? { all.first { !$0.awaitsAuthentication } }
  /// The event that waits for AUTH; there is one at most.
  var authenticating: EventInFlight? { all.first(where: \.awaitsAuthentication) }

  subscript(id: String) -> EventInFlight? { id.isEmpty ? nil : all.first { $0.eventID == id } }

  /// Whether `item` may be sent beside these: not beside another operation on its channel, whose order matters, and not beside events
  /// that are signed when they are sent, which a relay does not take twice.
  func mayBeJoined(by item: SessionOperation) -> Bool {
    isEmpty || !item.isDraft && all.allSatisfy { $0.item.operation.channel != item.operation.channel && !$0.item.isDraft }
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

  /// The event that waits for its signature has this id.
  mutating func signed(as id: String) {
    guard let index = all.firstIndex(where: { $0.eventID.isEmpty }) else { return }
    all[index].eventID = id
  }
}
