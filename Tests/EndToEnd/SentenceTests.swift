import Foundation
import Glibc
import TestTools
import Testing

/// The command line's sentence for a refusal: the true reason, and what to do.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SentenceTests {
  @Test func refusalsSayWhatIsReallyWrong() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays((0..<2).map { _ in "ws://127.0.0.1:\(Program.freePort())" })
    func create(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
      try await Program.run("batonctl", ["channel", "create", "--wait", "none"] + arguments + ["--socket", baton.socket])
    }
    #expect(try await create("News", "--relay", "r1", "--idempotency-key", "k").status == 0)
    let group = try await create("Group", "--kind", "group")
    #expect(
      group.status == 1
        && group.lines == [
          "batonctl: no enabled relay on nostr is known to offer groups, and 2 were never tested. Run batonctl relay test --all, or name one with --relay"
        ], "\(group)")
    let reused = try await create("Other", "--relay", "r1", "--idempotency-key", "k")
    #expect(
      reused.lines == [
        "batonctl: this idempotency key created channel 1, with other parameters. Use another key for a new channel"
      ])
    for pick in ["0", "40"] {
      let refused = try await create("Many", "--pick", pick)
      #expect(refused.status == 64 && refused.lines.first == "Error: --pick must be 1 to 32.", "\(refused)")
    }
    let few = try await create("Many", "--pick", "7")
    #expect(few.status == 1 && few.lines == ["batonctl: not enough relays: 7 requested, 2 available"])
    let retry = try await baton.control("channel", "retry", "1", "r2")
    #expect(
      retry.status == 1 && retry.lines == ["batonctl: the channel is not on the relay 'r2'. See batonctl channel show"])
    #expect(try await baton.control("channel", "delete", "1", "--yes").status == 0)
    let deleted = try await create("News", "--relay", "r1", "--idempotency-key", "k")
    #expect(
      deleted.lines == [
        "batonctl: this idempotency key created channel 1, which was deleted. Use another key for a new channel"
      ])
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }
}
