internal import Channels
internal import RelayNetwork

// Lists of pinned posts. The list belongs to the relay, other admins change it too, and a list that is sent replaces all of it. So it is
// read when the turn of an operation has come, right before it is sent, and until the relay has answered nothing else is under way
// (`SessionOperation.isDraft`): of two changes the second one begins with the result of the first.
extension PublisherMachine {
  /// The REQ for the list that an operation changes.
  struct PinReading: Sendable {
    let name: String
    let event: EventInFlight
    var served: PinnedPostsReading
  }

  /// Asks for the list of pinned posts that an operation is to change.
  mutating func readPins(for event: EventInFlight) -> [Action] {
    guard let target = event.item.pin?.target else { return [] }
    let served = PinnedPostsReading(of: event.content)
    // Sessions may share a connection, and an answer to an earlier request must not count as an answer to this one.
    let name = "pins-\(target.prefix(16))-\(event.serial)"
    pinReading = PinReading(name: name, event: event, served: served)
    return waitForTheFirst() + [.send(ClientMessage.request(name, [served.filter]))]
  }

  /// Handles the end of the relay's list: sends the list with the change, if it makes a difference.
  mutating func pinsServed() -> [Action] {
    guard let reading = pinReading, case .pins(let change)? = reading.event.item.events.first else { return [] }
    let current = reading.event
    let closing = stopReadingPins(for: current)
    let list: PinnedPosts
    switch reading.served.answer {
    // Some relays show a list only to users that they know, without announcing that.
    case .none where mayAuthenticate(current):
      return closing + demanded(current, "the relay shows no list of pinned posts without authentication")
    case .none: list = PinnedPosts()
    case .list(let shown): list = shown
    case .flawed(let trouble):
      timeoutsInARow = 0
      return closing + finish(current, .refused(trouble))
    }
    guard let changed = change.applied(to: list) else {
      timeoutsInARow = 0
      return closing + finish(current, success(current.item))
    }
    if let trouble = changed.trouble(isLonger: change.isPinned) {
      timeoutsInARow = 0
      return closing + finish(current, .refused(trouble))
    }
    // The answer to the event has its full time.
    awaited = nil
    let edition = RelayGroup.pins(of: current.content.networkID, changed, reason: change.reason)
    return closing + pace() + waitForTheFirst()
      + [.own(.publish(kind: edition.kind, tags: edition.tags, content: edition.content))]
  }

  /// Handles a REQ for the list that the relay ended.
  mutating func pinsClosed(_ text: String) -> [Action] {
    guard let current = pinReading?.event else { return [] }
    pinReading = nil
    let answer = RelayAnswer(accepted: false, text: text, mayAuthenticate: mayAuthenticate(current))
    return answer == .authenticate ? demanded(current, text) : finish(current, ClosedRequest(text).outcome)
  }

  /// Handles a REQ for the list that was not answered in time. Nothing was sent.
  mutating func pinsUnread() -> [Action] {
    guard let current = pinReading?.event else { return [] }
    let words = "no answer to the request for the pinned posts within \(limits.readBackTimeout.wholeMilliseconds) ms"
    return endUnanswered(current, words)
  }

  /// Stops reading the list for an operation, if that is under way.
  mutating func stopReadingPins(for current: EventInFlight) -> [Action] {
    pinReading?.event.serial == current.serial ? stopReadingPins() : []
  }

  mutating func stopReadingPins() -> [Action] {
    guard let name = pinReading?.name else { return [] }
    pinReading = nil
    return [.send(ClientMessage.close(name))]
  }
}
