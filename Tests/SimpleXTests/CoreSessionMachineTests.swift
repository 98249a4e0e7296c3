import Channels
import StrictJSON
import Testing

@testable import SimpleX

/// The session as a value: no connection, no clock.
struct CoreSessionMachineTests {
  private static let limits = CoreLimits()
  private static let version: CoreReply = .version(CoreVersion("7.0.2"))
  private static let noUser: CoreFailure = .refused(
    CoreError(tags: ["error", "noActiveUser"], kind: .noUser, host: nil, message: nil, place: nil))

  private func number(_ id: Int) -> CoreRequestID { CoreRequestID(rawValue: id) }

  private func reports(_ actions: [CoreSessionAction]) -> [CoreReport] {
    actions.compactMap { if case .report(let what) = $0 { what } else { nil } }
  }

  /// Command and correlation of what is sent.
  private func sent(_ actions: [CoreSessionAction]) throws -> [(command: String, correlation: String)] {
    try actions.compactMap { action in
      guard case .send(let text) = action else { return nil }
      let reader = try CoreReader(try JSONParser.parse(text))
      return (try reader.string("cmd"), try reader.string("corrId"))
    }
  }

  private func answer(_ correlation: Int, _ result: Result<CoreReply, CoreFailure>) -> CoreSessionEvent {
    .received(.reply(correlation: String(correlation), result))
  }

  /// A machine that is up; the next command has the number 3.
  private func up(_ limits: CoreLimits = Self.limits) -> CoreSessionMachine {
    var machine = CoreSessionMachine(limits: limits, salt: 1)
    for event in [.started, .opened, answer(1, .success(Self.version)), answer(2, .failure(Self.noUser))] {
      _ = machine.handle(event)
    }
    return machine
  }

  @Test func theCoreIsAskedWhoItIsBeforeAnythingElse() throws {
    var machine = CoreSessionMachine(limits: Self.limits, salt: 1)
    #expect(machine.handle(.submitted(number(1), .users)).isEmpty)
    #expect(machine.handle(.started) == [.dial])
    #expect(machine.handle(.submitted(number(2), .operators)).isEmpty)
    #expect(try sent(machine.handle(.opened)).map(\.command) == ["/v"])
    // What waited in the core comes first of all.
    #expect(reports(machine.handle(.received(.events([.other(tag: "x")])))) == [.event(.other(tag: "x"))])
    #expect(try sent(machine.handle(answer(1, .success(Self.version)))).map(\.command) == ["/user"])
    let user = CoreUser(id: .init(rawValue: 1), localName: "a", displayName: "A", isActive: true, isChatRelay: false)
    let actions = machine.handle(answer(2, .success(.activeUser(user))))
    #expect(reports(actions) == [.up(CoreVersion("7.0.2"), user: user)])
    #expect(try sent(actions).map(\.command) == ["/users"])
  }

  @Test func oneCommandIsInFlightAtATime() throws {
    var machine = up()
    #expect(try sent(machine.handle(.submitted(number(1), .users))).map(\.correlation) == ["3"])
    #expect(try sent(machine.handle(.submitted(number(2), .operators))).isEmpty)
    let answered = machine.handle(answer(3, .success(.users([]))))
    #expect(reports(answered) == [.reply(number(1), .success(.users([])))])
    #expect(try sent(answered).map(\.command) == ["/_operators"])
  }

  @Test func answersToOtherNumbersAreNobodys() {
    var machine = up()
    _ = machine.handle(.submitted(number(1), .users))
    #expect(machine.handle(answer(2, .success(.done))).isEmpty)
    #expect(machine.handle(answer(99, .success(.done))).isEmpty)
    #expect(machine.handle(.received(.reply(correlation: "", .success(.done)))).isEmpty)
    #expect(machine.strayReplies == 3)
    #expect(reports(machine.handle(answer(3, .success(.done)))) == [.reply(number(1), .success(.done))])
    #expect(machine.handle(answer(3, .success(.done))).isEmpty)
  }

  @Test func anErrorWithoutNumberAnswersNothing() {
    var machine = up()
    _ = machine.handle(.submitted(number(1), .users))
    let error = CoreError(tags: ["error", "commandError"], kind: .command, host: nil, message: "x", place: nil)
    #expect(reports(machine.handle(.received(.events([.refusal(error)])))) == [.event(.refusal(error))])
    #expect(reports(machine.handle(answer(3, .success(.done)))) == [.reply(number(1), .success(.done))])
  }

  @Test func whatWasSentIsUnknownAndWhatWaitsWasNotSent() {
    var machine = up()
    for id in 1...3 { _ = machine.handle(.submitted(number(id), .users)) }
    let reason = "the core closed the connection"
    let actions = machine.handle(.closed(""))
    #expect(
      reports(actions) == [
        .reply(number(1), .failure(.unknown(.noConnection(reason)))),
        .reply(number(2), .failure(.notSent(.noConnection(reason)))),
        .reply(number(3), .failure(.notSent(.noConnection(reason)))),
        .down(reason: reason),
      ])
    #expect(
      reports(machine.handle(.submitted(number(4), .users))) == [
        .reply(number(4), .failure(.notSent(.noConnection(reason))))
      ])
    #expect(machine.handle(.timerFired(.reconnect)) == [.dial])
    // What comes late from the connection before has a number that is no one's now.
    _ = machine.handle(.opened)
    #expect(machine.handle(answer(3, .success(.done))).isEmpty)
  }

  @Test func aCommandThatIsNotAnsweredEndsTheConnection() {
    var machine = up()
    let creation = CoreCommand.createChannel(
      .init(rawValue: 1), relays: .init(.init(rawValue: 1)), CoreGroupProfile(name: "c"))
    let submitted = machine.handle(.submitted(number(1), creation))
    #expect(submitted.first == .setTimer(.answer, after: .seconds(90)))
    _ = machine.handle(.submitted(number(2), .users))
    let actions = machine.handle(.timerFired(.answer))
    #expect(reports(actions).first == .reply(number(1), .failure(.unknown(.timeout(.seconds(90))))))
    guard case .reply(number(2), .failure(.notSent))? = reports(actions).dropFirst().first else { return #expect(Bool(false)) }
    #expect(actions.contains(.hangUp) && !actions.contains(.dial))
    #expect(actions.contains { if case .setTimer(.reconnect, _) = $0 { true } else { false } })
    #expect(machine.handle(answer(3, .success(.done))).isEmpty)
    #expect(machine.handle(.timerFired(.answer)).isEmpty)
  }

  @Test func localCommandsGetLessTime() {
    var machine = up()
    #expect(machine.handle(.submitted(number(1), .users)).first == .setTimer(.answer, after: .seconds(15)))
  }

  @Test func theQueueIsBounded() {
    var limits = CoreLimits()
    limits.queueMax = 2
    var machine = up(limits)
    for id in 1...3 { #expect(reports(machine.handle(.submitted(number(id), .users))).isEmpty) }
    #expect(
      reports(machine.handle(.submitted(number(4), .users))) == [.reply(number(4), .failure(.notSent(.tooMany)))])
  }

  @Test func onlyWhatWaitsCanBeTakenBack() throws {
    var machine = up()
    for id in 1...3 { _ = machine.handle(.submitted(number(id), id == 3 ? .operators : .users)) }
    #expect(machine.handle(.withdrawn(number(1))).isEmpty)
    #expect(machine.handle(.withdrawn(number(9))).isEmpty)
    #expect(reports(machine.handle(.withdrawn(number(2)))) == [.reply(number(2), .failure(.notSent(.withdrawn)))])
    #expect(machine.handle(.withdrawn(number(2))).isEmpty)
    let answered = machine.handle(answer(3, .success(.users([]))))
    #expect(reports(answered) == [.reply(number(1), .success(.users([])))])
    #expect(try sent(answered).map(\.command) == ["/_operators"])
  }

  @Test func downIsSaidOnceForEachReason() {
    var machine = CoreSessionMachine(limits: Self.limits, salt: 1)
    _ = machine.handle(.started)
    #expect(reports(machine.handle(.dialFailed("no"))) == [.down(reason: "no")])
    for _ in 1...3 {
      #expect(machine.handle(.timerFired(.reconnect)) == [.dial])
      #expect(reports(machine.handle(.dialFailed("no"))).isEmpty)
    }
    _ = machine.handle(.timerFired(.reconnect))
    #expect(reports(machine.handle(.dialFailed("other"))) == [.down(reason: "other")])
  }

  @Test func waitsGrowAndStayBounded() throws {
    var machine = CoreSessionMachine(limits: Self.limits, salt: 7)
    _ = machine.handle(.started)
    var waits: [Duration] = []
    for _ in 1...9 {
      for action in machine.handle(.dialFailed("no")) {
        if case .setTimer(.reconnect, let after) = action { waits.append(after) }
      }
      _ = machine.handle(.timerFired(.reconnect))
    }
    for (index, wait) in waits.enumerated() {
      let pace = min(Duration.seconds(1 << index), .seconds(30))
      #expect(wait >= pace * 0.8 && wait <= pace * 1.2)
    }
    // A connection that breaks at once does not start over; one that lasted does.
    _ = machine.handle(.opened)
    _ = machine.handle(.timerFired(.stable))
    let after = machine.handle(.closed(""))
    #expect(after.contains { if case .setTimer(.reconnect, let wait) = $0 { wait <= .milliseconds(1200) } else { false } })
  }

  @Test func aPeerThatIsNoCoreIsLeft() {
    for reply: Result<CoreReply, CoreFailure> in [
      .success(.done), .success(.unknown(tag: "x")), .failure(Self.noUser),
      .failure(.unreadable(tag: "x", .init(path: [], reason: ""))),
    ] {
      var machine = CoreSessionMachine(limits: Self.limits, salt: 1)
      _ = machine.handle(.started)
      _ = machine.handle(.opened)
      let actions = machine.handle(answer(1, reply))
      #expect(actions.contains(.hangUp))
      guard case .down? = reports(actions).first else { return #expect(Bool(false)) }
    }
  }

  @Test func rubbishEndsTheConnectionUntilThePeerIsKnown() {
    var machine = CoreSessionMachine(limits: Self.limits, salt: 1)
    _ = machine.handle(.started)
    _ = machine.handle(.opened)
    for _ in 1...2 { #expect(machine.handle(.received(.rubbish("a"))).isEmpty) }
    let third = machine.handle(.received(.rubbish("c")))
    #expect(third.contains(.hangUp) && reports(third) == [.down(reason: "the peer is not a core: c")])
    #expect(machine.handle(.received(.events([.other(tag: "late")]))).isEmpty)
  }

  @Test func rubbishOfACoreIsReportedAndNoMore() {
    var machine = up()
    _ = machine.handle(.submitted(number(1), .users))
    for _ in 1...10 {
      let fault = CoreShapeError(path: [], reason: "a")
      #expect(machine.handle(.received(.rubbish("a"))) == [.report(.event(.unreadable(tag: "", fault)))])
    }
    #expect(reports(machine.handle(answer(3, .success(.done)))) == [.reply(number(1), .success(.done))])
  }

  @Test func theEndAnswersEverything() {
    var machine = up()
    for id in 1...2 { _ = machine.handle(.submitted(number(id), .users)) }
    let actions = machine.handle(.ended)
    #expect(
      reports(actions) == [
        .reply(number(1), .failure(.unknown(.ended))), .reply(number(2), .failure(.notSent(.ended))),
      ])
    #expect(actions.last == .hangUp)
    #expect(reports(machine.handle(.submitted(number(3), .users))) == [.reply(number(3), .failure(.notSent(.ended)))])
    for event: CoreSessionEvent in [.started, .opened, .closed(""), .timerFired(.reconnect), .ended] {
      #expect(machine.handle(event).isEmpty)
    }
  }

  /// Any order of events: every command has exactly one answer in the end, one at a time is in flight, and nothing is sent without
  /// a connection.
  @Test(arguments: 0..<200) func anyOrderIsSurvived(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var machine = CoreSessionMachine(limits: Self.limits, salt: seed)
    var (isOpen, isDialing, submitted, answered, correlation) = (false, false, 0, [Int: Int](), 0)
    var timers: Set<CoreTimer> = []
    func take(_ actions: [CoreSessionAction]) {
      for action in actions {
        switch action {
        case .dial: (isDialing, isOpen) = (true, false)
        case .hangUp: (isDialing, isOpen) = (false, false)
        case .send:
          #expect(isOpen)
          correlation += 1
        case .setTimer(let timer, _): timers.insert(timer)
        case .cancelTimer(let timer): timers.remove(timer)
        case .report(.reply(let id, _)): answered[id.rawValue, default: 0] += 1
        case .report: break
        }
      }
    }
    take(machine.handle(.started))
    for _ in 0..<200 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        submitted += 1
        take(machine.handle(.submitted(number(submitted), .users)))
      case 4 where isDialing:
        (isDialing, isOpen) = (false, Bool.random(using: &generator))
        take(machine.handle(isOpen ? .opened : .dialFailed("no")))
      case 5 where isOpen && Int.random(in: 0..<4, using: &generator) == 0:
        isOpen = false
        take(machine.handle(.closed("")))
      case 6:
        if let timer = timers.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &generator) {
          timers.remove(timer)
          take(machine.handle(.timerFired(timer)))
        }
      case _ where isOpen:
        let late = correlation - Int.random(in: 0..<2, using: &generator)
        let replies: [Result<CoreReply, CoreFailure>] = [.success(Self.version), .failure(Self.noUser)]
        take(machine.handle(answer(late, replies[Int.random(in: 0..<2, using: &generator)])))
      default: break
      }
    }
    take(machine.handle(.ended))
    #expect(answered.count == submitted && answered.values.allSatisfy { $0 == 1 })
  }
}
