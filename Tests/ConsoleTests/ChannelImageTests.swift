import ControlAPI
import Testing

@testable import ConsoleProgram

struct ChannelImageTests {
  @Test func imagesAreThoseOfFormatsThatRunNothing() {
    let image = ChannelImage("data:image/png;base64,iVBORw0KGgo=")
    #expect(image?.type == "image/png" && image?.bytes == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    #expect(ChannelImage("data:image/jpg;base64,/9j/")?.type == "image/jpeg")
    #expect(ChannelImage("data:image/webp;base64,UklGRg==")?.type == "image/webp")
    for other in [
      "", "data:", "data:;base64,", "image/png;base64,iVBORw0KGgo=", "data:image/png,iVBORw0KGgo=", "data:image/png;base64,?",
      "data:image/svg+xml;base64,PHN2Zy8+", "data:text/html;base64,PGI+", "data:image/png;charset=x;base64,iVBORw0KGgo=",
      "DATA:image/png;base64,iVBORw0KGgo=", "https://example.org/a.png", "data:image/png\r\nX: y;base64,iVBORw0KGgo=",
    ] { #expect(ChannelImage(other) == nil, "\(other)") }
  }

  @Test func onlyOwnChannelsShowTheirs() {
    let image = "data:image/png;base64,iVBORw0KGgo="
    #expect(ChannelImage.address(Self.channel(owned: true, image: image)) == "channels/7/image?edition=3")
    #expect(ChannelImage(of: Self.channel(owned: true, image: image))?.bytes.count == 8)
    for (owned, image) in [(false, image), (true, nil), (true, ""), (true, "https://example.org/a.png")] {
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
