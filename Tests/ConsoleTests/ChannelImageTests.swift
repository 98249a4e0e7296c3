import ControlAPI
import Testing

@testable import ConsoleProgram

struct ChannelImageTests {
  @Test func onlyOwnChannelsShowTheirs() {
    let image = "data:image/png;base64,iVBORw0KGgo="
    #expect(ChannelImage.address(Self.channel(owned: true, image: image)) == "channels/7/image?edition=3")
    #expect(ChannelImage(of: Self.channel(owned: true, image: image))?.bytes.count == 8)
    #expect(ChannelImage(of: Self.channel(owned: true, image: "data:image/png;base64,?")) == nil)
    for (owned, image) in [(false, image), (true, nil), (true, ""), (true, "data:image/svg+xml;base64,PHN2Zy8+")] {
      let channel = Self.channel(owned: owned, image: image)
      #expect(ChannelImage.address(channel) == nil && ChannelImage(of: channel) == nil, "\(owned), \(image ?? "none")")
    }
  }

  private static func channel(owned: Bool, image: String?) -> Channel {
    Channel(
      id: 7, kind: "channel", network: "nostr", owned: owned, identity: "main",
      profile: Profile(displayName: "News", image: image), phase: "active", summary: "Channel works.", edition: 3,
      linkUsable: true, relays: [], readRelayIds: [], access: [], wantedRelays: 1, heal: false,
      createdAt: "2026-11-28T12:00:00Z", updatedAt: "2026-11-28T12:00:00Z", unread: 0, unreadMentions: 0, hidden: false,
      muted: false, pinned: false, frozen: false, frozenEnforced: false, followed: true, revision: 9)
  }
}
