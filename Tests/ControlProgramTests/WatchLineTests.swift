import ControlAPI
import StrictJSON
import Testing
import Varlink

@testable import ControlProgram

/// The lines of `batonctl watch` for someone who reads slowly.
struct WatchLineTests {
  @Test func mergedChangesSayThatEarlierOnesWereLeftOut() {
    var change = ChangeMessage(
      revision: 7, time: "2026-11-22T10:00:00.000Z", kind: "operator", after: ["name": "o", "enabled": true])
    let terminal = Terminal(noColor: true)
    #expect(Watch.line(change, terminal) == "2026-11-22T10:00:00.000Z  7  operator 'o'  enabled")
    change.merged = true
    #expect(Watch.line(change, terminal) == "2026-11-22T10:00:00.000Z  7  operator 'o'  enabled  (earlier changes left out)")
  }

  @Test func slowReaderIsToldWhereToGoOn() {
    let sentence = Sentence.of(VarlinkError("org.batond.Monitor.TooSlow", ["revision": 41]))
    #expect(sentence == "the client fell behind and missed changes. Continue with --since 41")
  }
}
