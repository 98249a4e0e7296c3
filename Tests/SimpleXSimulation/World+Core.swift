import Channels
import RelayNetwork
import ScriptedCore
import StrictJSON
import TestSupport

@testable import SimpleX

// The core as the worker knows it: commands and answers, events, and connections that break.
extension World {
  /// One command. Whatever else happens in the world happens before it arrives, and before its answer does.
  func ask(_ command: CoreCommand) async -> Result<CoreReply, CoreFailure> {
    await meanwhile()
    let result = carryOut(command)
    await meanwhile()
    return result
  }

  private func carryOut(_ command: CoreCommand) -> Result<CoreReply, CoreFailure> {
    guard read({ $0.isUp }) else { return .failure(.notSent(.noConnection("not connected"))) }
    write { $0.tally.commands += 1 }
    // Commands about relays take longest, and so are hit more often.
    if read({ $0.hasFaults }), chance(command.takesLong ? plan.unanswered * 3 : plan.unanswered) {
      loseAnswer(of: command)
      return .failure(.unknown(.noConnection("the connection broke")))
    }
    note("ask \(command)")
    let steps = draw(0...3)
    return Self.result(
      write { state in
        let answer = state.model.execute(command.text)
        for _ in 0..<steps { state.model.step() }
        // Events that a command caused come before its answer.
        state.hear()
        return answer
      })
  }

  /// The connection breaks before the core has read the command, after it has carried it out, or while it does so.
  private func loseAnswer(of command: CoreCommand) {
    let fate = draw(0...2)
    let later = Duration.seconds(draw(1...80))
    note("ask \(command), without an answer (\(fate))")
    let text = command.text
    write { state in
      state.tally.unanswered += 1
      switch (fate, command) {
      case (0, _): break
      case (1, .createChannel): state.late.append(Late(text: text, due: clock.now + later, channel: nil))
      case (1, .addRelays(let group, _)):
        let name = state.model.channelsSeen.first { $0.id == group.rawValue }?.name
        state.late.append(Late(text: text, due: clock.now + later, channel: name ?? ""))
      case (_, _): _ = state.model.execute(text)
      }
    }
    breakConnection()
  }

  static func result(_ answer: JSONValue) -> Result<CoreReply, CoreFailure> {
    let frame = CoreFrame(Array(JSONValue.object(["corrId": "1", "resp": answer]).text.utf8))
    guard case .reply(_, let result) = frame else { return .failure(.notSent(.ended)) }
    return result
  }

  // MARK: - Connections

  /// The connection for everything except tests breaks; events that were on their way are lost.
  func breakConnection() {
    note("the connection breaks")
    let isLost = chance(50)
    write { state in
      guard state.isUp else { return }
      if isLost { _ = state.model.takeEvents() }
      state.isUp = false
      state.inputs.append(.core(.down(reason: "the connection broke")))
    }
  }

  /// Opens what is not open.
  func connect() {
    note("connected")
    write { state in
      for lane in Self.lanes where state.lanesUp.insert(lane).inserted { state.inputs.append(.lane(lane, isUp: true)) }
      if !state.isUp {
        state.isUp = true
        var user: CoreUser?
        if case .success(.activeUser(let active)) = Self.result(state.model.execute("/user")) { user = active }
        state.inputs.append(.core(.up(CoreVersion(state.model.version), user: user)))
      }
      state.hear()
    }
  }

  /// The core ends and starts again.
  func restartCore() {
    note("the core restarts")
    while !read({ $0.tests.isEmpty }) { loseTest() }
    breakConnection()
    write { state in
      state.model.restart()
      for lane in state.lanesUp.sorted() { state.inputs.append(.lane(lane, isUp: false)) }
      state.lanesUp = []
    }
  }

  // MARK: - Tests of relays

  func test(_ lane: Int, _ user: CoreUser.ID, _ address: CoreRelayAddress) {
    write { $0.tests.append(PendingTest(lane: lane, user: user, address: address)) }
  }

  /// The core has tested a relay.
  func answerTest() {
    write { state in
      guard !state.tests.isEmpty else { return }
      let test = state.tests.removeFirst()
      let result = Self.result(state.model.execute(CoreCommand.testRelay(test.user, test.address).text))
      state.inputs.append(.tested(lane: test.lane, test.address, result))
    }
  }

  /// The connection of a test breaks; events that were on their way are lost.
  func loseTest() {
    write { state in
      guard !state.tests.isEmpty else { return }
      let test = state.tests.removeFirst()
      _ = state.model.takeEvents()
      state.inputs.append(.tested(lane: test.lane, test.address, .failure(.unknown(.noConnection("the connection broke")))))
      if state.lanesUp.remove(test.lane) != nil { state.inputs.append(.lane(test.lane, isUp: false)) }
    }
  }
}

extension CoreCommand {
  /// Whether the core may go on with it for a while after its connection broke.
  fileprivate var takesLong: Bool {
    switch self {
    case .createChannel, .addRelays: true
    default: false
    }
  }
}

extension World.State {
  /// Events go to whoever is there.
  mutating func hear() {
    guard isUp || !lanesUp.isEmpty else { return }
    for event in model.takeEvents() {
      guard case .events(let all) = CoreFrame(Array(JSONValue.object(["resp": event]).text.utf8)) else { continue }
      for one in all { inputs.append(.core(.event(one))) }
    }
  }
}
