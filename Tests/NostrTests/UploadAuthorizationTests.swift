import Channels
import Foundation
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What servers for files are shown (BUD-11).
struct UploadAuthorizationTests {
  private static let hash = String(repeating: "ab", count: 32)
  private static let servers = [
    FileServer(address: "https://files.example", host: "files.example"),
    FileServer(address: "https://cdn.example:8443", host: "cdn.example"),
    FileServer(address: "https://cdn.example", host: "cdn.example"),
  ]

  private func withBench(
    _ servers: [FileServer] = servers, _ body: (NostrNetwork) throws -> Void
  ) async throws {
    let bench = try NetworkBench(identity: try PostSamples.key(), fileServers: servers, now: { 5_000 })
    try body(bench.network)
    await bench.end()
  }

  private func event(_ field: String) throws -> NostrEvent {
    #expect(field.hasPrefix("Nostr "))
    let data = try #require(Data(base64Encoded: String(field.dropFirst(6))))
    return try #require(NostrEvent(json: try JSONParser.parse(data)))
  }

  @Test func authorizationIsForOneFileAndSoonOver() async throws {
    try await withBench { network in
      let upload = try network.authorizeUpload(sha256: Self.hash, sizeBytes: 184_292, in: PostSamples.channel)
      #expect(upload.servers == ["https://files.example", "https://cdn.example:8443", "https://cdn.example"])
      #expect(upload.expiresAt == Timestamp(seconds: 5_600))
      let event = try event(upload.authorization)
      try event.verify()
      #expect(event.kind == 24_242 && event.publicKey == PostSamples.owner && event.createdAt == 4_990)
      #expect(
        event.tags == [
          ["t", "upload"], ["x", Self.hash], ["expiration", "5600"], ["server", "files.example"], ["server", "cdn.example"],
        ])
      #expect(event.content == "Upload a file of 184292 bytes")
    }
  }

  /// Servers take base64, or base64url without padding, or both.
  @Test func bothKindsOfBase64AreTheSame() async throws {
    try await withBench { network in
      for size in 1...300 as ClosedRange<Int64> {
        let upload = try network.authorizeUpload(sha256: Self.hash, sizeBytes: size * size * size, in: PostSamples.channel)
        #expect(!upload.authorization.dropFirst(6).contains { "+/=-_".contains($0) })
        try event(upload.authorization).verify()
      }
    }
  }

  @Test func channelsOwnKeySigns() async throws {
    let bench = try NetworkBench(fileServers: Self.servers, now: { 5_000 })
    let content = try await bench.content("wss://a.example")
    let upload = try bench.network.authorizeUpload(sha256: Self.hash, sizeBytes: 1, in: content)
    let event = try event(upload.authorization)
    try event.verify()
    #expect(event.publicKey == content.trustAnchor && event.publicKey != bench.identity.publicKey)
    await bench.end()
  }

  @Test func groupsUploadAsTheirOwner() async throws {
    try await withBench { network in
      let upload = try network.authorizeUpload(sha256: Self.hash, sizeBytes: 1, in: PostSamples.group)
      #expect(try event(upload.authorization).publicKey == PostSamples.owner)
    }
  }

  @Test func withoutServersOrKeyNothingIsSigned() async throws {
    try await withBench([]) { network in
      #expect {
        try network.authorizeUpload(sha256: Self.hash, sizeBytes: 1, in: PostSamples.channel)
      } throws: { error in
        if case PostFailure.unsupported(let reason) = error { reason.contains("nostr.blossom") } else { false }
      }
    }
    try await withBench { network in
      network.lock(NetworkBench.identityID)
      #expect(throws: PostFailure.unavailable("the key of the channel's identity is not at hand")) {
        try network.authorizeUpload(sha256: Self.hash, sizeBytes: 1, in: PostSamples.channel)
      }
    }
  }
}
