import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Lists of pinned posts on their way to the relay: each is made of the one that the relay shows right before.
struct PinPublisherTests {
  /// A machine with an open connection to which these were given, and may leave.
  /// - Returns: the machine, and the name of the request for the first list.
  private func machine(_ items: SessionOperation...) throws -> (machine: PublisherMachine, request: String) {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    var actions = machine.handle(.opened(roundTrip: .zero))
    // The turn of the later ones comes while the first is under way.
    for item in items where item.delivery?.task == .publish {
      guard let post = item.delivery?.post.rawValue else { continue }
      #expect(sentPins(actions).isEmpty)
      actions += machine.handle(release(post))
    }
    #expect(sentPins(actions).isEmpty && pinRequests(actions).count == 1)
    return (machine, try #require(pinRequests(actions).first))
  }

  private func served(_ entries: [[String]], _ name: String, _ machine: inout PublisherMachine) -> [PublisherMachine.Action] {
    #expect(machine.handle(.received(.event(subscription: name, makePins(entries)))).isEmpty)
    return machine.handle(.received(.endOfStored(subscription: name)))
  }

  private func answer(_ id: String, _ accepted: Bool = true, _ text: String = "") -> PublisherMachine.Event {
    .received(.ok(id: id, accepted: accepted, text: text))
  }

  private func trouble(_ actions: [PublisherMachine.Action]) -> Trouble? {
    switch words(actions).first?.outcome {
    case .troubled(let trouble, _), .refused(let trouble), .skipped(let trouble): trouble
    default: nil
    }
  }

  @Test func nothingIsAskedBeforeThePinMayLeave() {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(makePinDelivery(.publish, 1)))
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(turns(opened) == [1] && pinRequests(opened).isEmpty)
    #expect(pinRequests(machine.handle(release(1, false))).isEmpty && pinRequests(machine.handle(release(1))).isEmpty)
  }

  @Test func listOfTheRelayIsSentWithThePinAtItsEnd() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    let others = [["a", "30023:x:y"], entry(9)]
    let sent = served(others, name, &machine)
    #expect(sentPins(sent) == [[["h", "club"]] + others + [entry(1)]] && words(sent).isEmpty)
    #expect(texts(sent) == [ClientMessage.close(name)])
    #expect(sent.contains(.setTimer(.answer, after: NostrLimits().publishTimeout)))
    #expect(machine.handle(.published(id: "list")).isEmpty)
    let taken = machine.handle(answer("list"))
    #expect(words(taken) == [DeliveryWord(1, .accepted)] && pinForms(taken) == [makePin(1).taken])
  }

  @Test func firstListOfAGroupHasThePinAlone() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    #expect(sentPins(machine.handle(.received(.endOfStored(subscription: name)))) == [[["h", "club"], entry(1)]])
  }

  @Test func pinIsTakenOutOfTheList() throws {
    var (machine, name) = try machine(makePinDelivery(.withdraw, 1))
    let sent = served([entry(1), ["a", "30023:x:y"], entry(2)], name, &machine)
    #expect(sent.contains(.own(.publish(kind: 9_010, tags: [["h", "club"], ["a", "30023:x:y"], entry(2)], content: "old"))))
    _ = machine.handle(.published(id: "list"))
    let taken = machine.handle(answer("list"))
    #expect(words(taken) == [DeliveryWord(1, .withdrawn)] && pinForms(taken).isEmpty)
  }

  @Test func listThatIsAsItShouldBeIsNotSent() throws {
    var (pinning, first) = try machine(makePinDelivery(.publish, 1))
    let pinned = served([entry(1)], first, &pinning)
    #expect(words(pinned) == [DeliveryWord(1, .accepted)] && sentPins(pinned).isEmpty)
    var (unpinning, second) = try machine(makePinDelivery(.withdraw, 1))
    let gone = served([entry(2)], second, &unpinning)
    #expect(words(gone) == [DeliveryWord(1, .withdrawn)] && sentPins(gone).isEmpty)
  }

  /// However the first change ends, the second one begins with what the relay shows after it.
  @Test(arguments: ["taken", "refused", "same", "unread", "closed"])
  func changesFollowEachOther(_ ending: String) throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1), makePinDelivery(.publish, 2))
    var ended: [PublisherMachine.Action]
    switch ending {
    case "same": ended = served([entry(1)], name, &machine)
    case "unread": ended = machine.handle(.timerFired(.answer))
    case "closed": ended = machine.handle(.received(.closed(subscription: name, text: "error: busy")))
    default:
      ended = served([], name, &machine)
      #expect(sentPins(ended).count == 1)
      ended += machine.handle(.published(id: "list"))
      #expect(pinRequests(ended).isEmpty, "nothing is read before the answer")
      ended += machine.handle(answer("list", ending == "taken", ending == "taken" ? "" : "blocked: no"))
    }
    #expect(words(ended).first?.post == 1)
    let next = try #require(pinRequests(ended).first)
    #expect(next != name && sentPins(served([entry(1)], next, &machine)) == [[["h", "club"], entry(1), entry(2)]])
  }

  @Test func nothingElseIsUnderWayMeanwhile() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    let added = machine.handle(.submitted(makeOperation(.invite))) + machine.handle(.submitted(makeDelivery(.publish, 2)))
    #expect(sends(added + machine.handle(release(2))) == 0)
    #expect(sends(served([], name, &machine)) == 1, "the request is closed")
    _ = machine.handle(.published(id: "list"))
    #expect(sends(machine.handle(answer("list"))) > 0)
    // Nor where the relay has shown that it takes many events at once.
    for (first, second) in [
      (makePinDelivery(.publish, 1), makeDelivery(.publish, 2)), (makeDelivery(.publish, 2), makePinDelivery(.withdraw, 1)),
      (makePinDelivery(.publish, 1), makePinDelivery(.withdraw, 2)),
    ] {
      var inFlight = EventsInFlight()
      inFlight.append(EventInFlight(item: first, serial: 1))
      #expect(!inFlight.mayBeJoined(by: second))
    }
  }

  @Test func connectionThatIsLostEndsTheReading() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    #expect(trouble(machine.handle(.closed(code: 1006, reason: "")))?.cause == .unreachable)
    _ = machine.handle(.timerFired(.reconnect))
    _ = machine.handle(.submitted(makePinDelivery(.publish, 2)))
    _ = machine.handle(.opened(roundTrip: .zero))
    // What comes late changes nothing.
    #expect(machine.handle(.received(.event(subscription: name, makePins([])))).isEmpty)
    #expect(machine.handle(.received(.endOfStored(subscription: name))).isEmpty)
    #expect(pinRequests(machine.handle(release(2))).count == 1)
  }

  @Test func relayThatDoesNotShowTheListIsLeftTheSecondTime() throws {
    var (machine, _) = try machine(makePinDelivery(.publish, 1), makePinDelivery(.publish, 2))
    let first = machine.handle(.timerFired(.answer))
    #expect(trouble(first)?.cause == .timeout && sentPins(first).isEmpty && !first.contains(.hangUp))
    let second = machine.handle(.timerFired(.answer))
    #expect(words(second).first?.post == 2 && second.contains(.hangUp))
  }

  @Test func listThatIsNotTheRelaysIsNotReplaced() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    _ = machine.handle(.received(.event(subscription: name, makePins([entry(2)], by: .random()))))
    let refused = machine.handle(.received(.endOfStored(subscription: name)))
    #expect(sentPins(refused).isEmpty && trouble(refused)?.cause == .wrongIdentity)
  }

  @Test func listThatIsTooLongIsNotSent() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    let refused = served((2...PinnedPosts.entriesMax + 1).map(entry), name, &machine)
    #expect(sentPins(refused).isEmpty && trouble(refused)?.cause == .tooLarge)
  }

  @Test func pinIsTakenOutOfAListThatIsTooLong() throws {
    var (machine, name) = try machine(makePinDelivery(.withdraw, 1))
    let sent = served((1...PinnedPosts.entriesMax + 2).map(entry), name, &machine)
    #expect(sentPins(sent).first?.count == PinnedPosts.entriesMax + 2, "the others, and the group")
  }

  /// The relay would lose what others have pinned if its silence counted.
  @Test func listThatIsShownOnlyToWhomTheRelayKnowsIsNotReplaced() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    _ = machine.handle(.received(.challenge("c")))
    let asked = machine.handle(.received(.endOfStored(subscription: name)))
    #expect(asked.contains(.own(.authenticate(challenge: "c"))) && sentPins(asked).isEmpty && words(asked).isEmpty)
    _ = machine.handle(.authenticationSent(id: "auth"))
    let next = try #require(pinRequests(machine.handle(answer("auth"))).first)
    #expect(sentPins(served([entry(2)], next, &machine)) == [[["h", "club"], entry(2), entry(1)]])
  }

  /// By then another pin of the same post may be in the list.
  @Test func lateAnswerToAListCountsForNothing() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    _ = machine.handle(.received(.endOfStored(subscription: name)))
    _ = machine.handle(.published(id: "list"))
    let limit = machine.handle(.timerFired(.answer)) + machine.handle(.timerFired(.readBack))
    #expect(trouble(limit)?.cause == .timeout)
    #expect(words(machine.handle(answer("list"))).isEmpty)
  }

  @Test func listIsReadAnewAfterAuthentication() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    _ = machine.handle(.received(.challenge("c")))
    let asked = machine.handle(.received(.closed(subscription: name, text: "auth-required: who?")))
    #expect(asked.contains(.own(.authenticate(challenge: "c"))) && sentPins(asked).isEmpty)
    _ = machine.handle(.authenticationSent(id: "auth"))
    let again = machine.handle(answer("auth"))
    let next = try #require(pinRequests(again).first)
    #expect(sentPins(served([entry(2)], next, &machine)) == [[["h", "club"], entry(2), entry(1)]])
    // The relay demands it for the list that is sent, too: what it shows may be another one by then.
    _ = machine.handle(.published(id: "list"))
    _ = machine.handle(.received(.challenge("d")))
    _ = machine.handle(answer("list", false, "auth-required: once more"))
    _ = machine.handle(.authenticationSent(id: "auth2"))
    let last = try #require(pinRequests(machine.handle(answer("auth2"))).first)
    #expect(sentPins(served([entry(3)], last, &machine)) == [[["h", "club"], entry(3), entry(1)]])
  }

  @Test func relayThatRefusesTheListSaysWhy() throws {
    var (machine, name) = try machine(makePinDelivery(.publish, 1))
    _ = served([], name, &machine)
    _ = machine.handle(.published(id: "list"))
    let refused = machine.handle(answer("list", false, "restricted: insufficient permissions"))
    #expect(trouble(refused) == Trouble(.rejected, "restricted: insufficient permissions"))
  }
}
