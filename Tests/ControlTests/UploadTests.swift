import BatonClient
import ControlAPI
import TestSupport
import Testing
import Varlink

/// `AuthorizeUpload` of `org.batond.Posts`.
@Suite(.timeLimit(.minutes(10)))
struct UploadTests {
  private static let hash = String(repeating: "0f", count: 32)

  @Test func uploadIsAuthorizedForAChannel() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    let channel = try #require(try await bench.create("News"))
    func upload(_ hash: String = Self.hash, _ size: Int = 5, channel: Int64) async throws -> PostsAuthorizeUploadReply {
      try await bench.client.posts.authorizeUpload(channelId: channel, sha256: hash, sizeBytes: size)
    }
    let reply = try await upload(channel: channel.id)
    #expect(reply.servers == ["https://a.example", "https://b.example"] && reply.expiresAt == "2025-06-15T15:06:40.000Z")
    #expect(reply.authorization.hasPrefix("Fake ") && reply.authorization.hasSuffix(" \(Self.hash) 5"))
    await #expect(throws: PostsRefusal.noSuchChannel(id: 9, name: nil).error) { try await upload(channel: 9) }
    await #expect(
      throws: PostsRefusal.notSupported(network: "nostr", reason: "no server for files is configured").error
    ) { try await upload(Self.hash, 13, channel: channel.id) }
    for hash in ["", "0f", String(repeating: "0F", count: 32), Self.hash + "0", String(repeating: "g", count: 64)] {
      await #expect(throws: VarlinkError.invalidParameter("sha256")) { try await upload(hash, channel: channel.id) }
    }
    for size in [0, -1] {
      await #expect(throws: VarlinkError.invalidParameter("sizeBytes")) {
        try await upload(Self.hash, size, channel: channel.id)
      }
    }
    _ = try await bench.client.channels.delete(id: channel.id)
    await #expect(throws: PostsRefusal.noSuchChannel(id: channel.id, name: nil).error) { try await upload(channel: channel.id) }
    try await bench.stop()
  }
}
