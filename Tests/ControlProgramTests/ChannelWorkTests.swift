import ControlAPI
import Testing

@testable import ControlProgram

/// The channels that the daemon has work for.
struct ChannelWorkTests {
  private static func relay(
    _ status: String, attempt: Int = 0, edition: Int = 1, cause: String? = nil
  ) -> ChannelRelay {
    ChannelRelay(
      relayId: 1, relayName: "r", status: status, cause: cause, attempt: attempt, since: "2026-11-21T14:52:33.464Z",
      edition: edition)
  }

  private static func words(edition: Int = 1, _ relays: ChannelRelay...) -> String {
    ChannelWork.words(
      Channel(
        id: 1, kind: "channel", network: "nostr", owned: true, identity: "main", profile: Profile(displayName: "News"),
        phase: "active",
        summary: "",
        edition: edition, linkUsable: true, relays: relays, readRelayIds: [], access: [], wantedRelays: 1, heal: true,
        createdAt: "",
        updatedAt: "",
        unread: 0, unreadMentions: 0, hidden: false, muted: false, pinned: false, frozen: false, frozenEnforced: false,
        followed: true, revision: 1))
  }

  @Test func settledChannelsAreNoWork() {
    #expect(Self.words(Self.relay("active"), Self.relay("failed", cause: "rejected"), Self.relay("removed")).isEmpty)
    // Such a relay keeps the profile of another channel, which Baton cannot change.
    #expect(Self.words(edition: 2, Self.relay("active", cause: "onePerAuthor")).isEmpty)
  }

  @Test func workIsNamed() {
    #expect(
      Self.words(Self.relay("new", attempt: 1), Self.relay("invited", attempt: 1), Self.relay("accepted", attempt: 1))
        == "3 joining")
    #expect(Self.words(Self.relay("inactive", attempt: 4), Self.relay("active", attempt: 1)) == "2 retrying")
    #expect(Self.words(edition: 3, Self.relay("active", edition: 3), Self.relay("active", edition: 2)) == "1 updating")
    #expect(Self.words(Self.relay("removed", attempt: 1), Self.relay("new", attempt: 1)) == "1 joining, 1 leaving")
  }
}
