import ControlAPI
import Testing

@testable import batonctl

/// What `batonctl` says of a relay of a channel.
struct ChannelViewTests {
  private static func line(_ status: String, attempt: Int) -> String {
    let relay = ChannelRelay(
      relayId: 1, relayName: "r", status: status, cause: "rejected", detail: "no", attempt: attempt,
      since: "2026-11-21T14:52:33.464Z", nextAttemptAt: "2026-11-21T15:10:35.591Z", edition: 1)
    return ChannelView(terminal: Terminal(noColor: true)).relayLine(relay, width: 1)
  }

  @Test func onlyWhatIsAttemptedHasANumber() {
    #expect(Self.line("active", attempt: 0).hasSuffix("r  active (rejected) no; read back at 2026-11-21T15:10:35.591Z"))
    #expect(Self.line("active", attempt: 9).hasSuffix("r  active (rejected) no; attempt 9 at 2026-11-21T15:10:35.591Z"))
    #expect(Self.line("inactive", attempt: 1).hasSuffix("; attempt 1 at 2026-11-21T15:10:35.591Z"))
  }
}
