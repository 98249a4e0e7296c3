import ControlAPI
import Testing

@testable import ControlProgram

/// The line of `batonctl` for a relay of a channel.
struct ChannelViewTests {
  private static func line(_ status: String, attempt: Int) -> String {
    let relay = ChannelRelay(
      relayId: 1, relayName: "r", status: status, cause: "rejected", detail: "no", attempt: attempt,
      since: "2026-11-21T14:52:33.464Z", nextAttemptAt: "2026-11-21T15:10:35.591Z", edition: 1)
    return ChannelView(terminal: Terminal(noColor: true), times: Times(isExact: true)).relayLine(relay, width: 1)
  }

  @Test func onlyWhatIsAttemptedHasANumber() {
    #expect(Self.line("active", attempt: 0).hasSuffix("r  active (rejected) no; read back at 2026-11-21T15:10:35.591Z"))
    #expect(Self.line("active", attempt: 9).hasSuffix("r  active (rejected) no; attempt 9 at 2026-11-21T15:10:35.591Z"))
    #expect(Self.line("inactive", attempt: 1).hasSuffix("; attempt 1 at 2026-11-21T15:10:35.591Z"))
  }

  /// A channel with relays of these statuses.
  private static func channel(_ statuses: [String]) -> Channel {
    let relays = statuses.enumerated().map { index, status in
      ChannelRelay(
        relayId: Int64(index + 1), relayName: "中文 relay.with.a.long.name-\(index + 1)", status: status, cause: "timeout",
        detail: "the relay has not answered for as long as it may take", attempt: 1, since: "2026-11-21T14:52:33.464Z",
        edition: 1)
    }
    return Channel(
      id: 1, kind: "channel", network: "nostr", owned: true, identity: "main", profile: Profile(displayName: "News"),
      phase: "partial",
      summary: "", edition: 1, linkUsable: true, relays: relays, readRelayIds: [], access: [], wantedRelays: relays.count,
      heal: true,
      createdAt: "2026-11-21T14:52:33.464Z", updatedAt: "2026-11-21T14:52:33.464Z", unread: 0, unreadMentions: 0, hidden: false,
      muted: false, pinned: false, frozen: false, frozenEnforced: false, followed: true, revision: 1)
  }

  @Test func detailsShowTheLastPost() {
    let view = ChannelView(terminal: Terminal(noColor: true), times: Times(isExact: true))
    var channel = Self.channel(["active"])
    #expect(!view.details(channel).contains("last post"))
    channel.lastPostAt = "2026-11-21T15:10:35.591Z"
    #expect(view.details(channel).contains("\nlast post 2026-11-21T15:10:35.591Z\n"))
    channel.lastPost = "The bridge is closed."
    #expect(view.details(channel).contains("\nlast post 2026-11-21T15:10:35.591Z: The bridge is closed.\n"))
  }

  @Test func detailsShowWhatWasSaidAndDecided() {
    let view = ChannelView(terminal: Terminal(noColor: true), times: Times(isExact: true))
    var channel = Self.channel(["active"])
    for word in ["last said", "unread", "marked", "truncated"] { #expect(!view.details(channel).contains("\n\(word)")) }
    (channel.lastMessageAt, channel.lastMessage) = ("2026-11-21T15:10:35.591Z", "Until when?")
    (channel.unread, channel.pinned, channel.frozen) = (2, true, true)
    channel.truncatedAt = "2026-11-20T15:10:35.591Z"
    let shown = view.details(channel)
    #expect(shown.contains("\nlast said 2026-11-21T15:10:35.591Z: Until when?\nunread    2\nmarked    pinned, frozen\n"))
    #expect(shown.contains("\ntruncated 2026-11-20T15:10:35.591Z; earlier messages are not shown\n"))
    (channel.unreadMentions, channel.hidden, channel.muted) = (1, true, true)
    #expect(view.details(channel).contains("\nunread    2, 1 of them for you\nmarked    pinned, muted, hidden, frozen\n"))
  }

  @Test func progressIsNoHigherThanTheTerminal() {
    let view = ChannelView(terminal: Terminal(noColor: true), times: Times(isExact: true))
    let statuses = (0..<20).map { ["active", "failed", "invited", "active"][$0 % 4] }
    for rows in 2...30 {
      for columns in [10, 40, 80] {
        let lines = view.progress(Self.channel(statuses), in: Terminal.Size(columns: columns, rows: rows))
        #expect(lines.count < rows, "\(rows) rows: \(lines)")
        #expect(lines[0].hasSuffix("10/20 relays active") && (columns < 20 || lines[0].displayWidth < columns))
      }
    }
    let low = view.progress(Self.channel(statuses), in: Terminal.Size(columns: 60, rows: 10))
    #expect(low.count == 9 && low.last == "  … and 13 more: 10 active, 3 failed", "\(low)")
    #expect(low.filter { $0.contains("  invited ") }.count == 5, "what is not done comes first")
    #expect(low[1].hasPrefix("  ● 中文 relay.with.a.long.nam…  invited"), "\(low[1])")
    // In a pipe, each relay gets its line when it is done or failed, and no bar is repeated.
    let piped = view.progress(Self.channel(statuses), in: nil)
    #expect(piped.count == 15 && !piped.contains { $0.contains("relays active") || $0.contains(" invited ") }, "\(piped)")
  }

  @Test func linesAreCutWithTheirColours() {
    let painted = "a \u{1B}[31mred 中文\u{1B}[0m end"
    #expect(painted.unpainted == "a red 中文 end" && painted.cutPainted(to: 14) == painted)
    #expect(painted.cutPainted(to: 9) == "a \u{1B}[31mred 中…\u{1B}[0m")
    #expect("plain".cutPainted(to: 3) == "pl…")
    #expect("\(painted)\n\nx".rows(in: 7) == 4)
  }
}
