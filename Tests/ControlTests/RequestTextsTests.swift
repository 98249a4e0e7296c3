import BatonClient
import ControlAPI
import Testing

@testable import ControlServer

/// Texts of clients on systems with other line ends.
@Suite(.timeLimit(.minutes(10)))
struct RequestTextsTests {
  @Test func postHasOneFormUnderOneKey() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    let channel = try #require(try await bench.create("News"))
    func publish(_ text: String) async throws -> PostsPublishReply {
      var last: PostsPublishReply?
      let request = PostsPublishRequest(channelId: channel.id, text: text, idempotencyKey: "k")
      for try await reply in try await bench.client.posts.publishAndFollow(request) { last = reply }
      return try #require(last)
    }
    func edit(_ id: Int64, _ text: String) async throws -> PostsEditReply {
      var last: PostsEditReply?
      let request = PostsEditRequest(id: id, text: text, idempotencyKey: "e")
      for try await reply in try await bench.client.posts.editAndFollow(request) { last = reply }
      return try #require(last)
    }
    let first = try await publish("\u{FEFF}one\r\ntwo")
    #expect(first.isNew && first.post.text == "one\ntwo")
    for text in ["one\ntwo", "one\r\ntwo"] {
      let again = try await publish(text)
      #expect(!again.isNew && again.post.id == first.post.id, "\(text.debugDescription)")
    }
    await #expect(throws: PostsRefusal.idempotencyKeyReused(id: first.post.id, deleted: false).error) {
      try await publish("one\n\ntwo")
    }
    let edited = try await edit(first.post.id, "one\r\nthree")
    #expect(edited.isNew && edited.post.text == "one\nthree")
    let again = try await edit(first.post.id, "one\nthree")
    #expect(!again.isNew && again.post.id == edited.post.id)
    try await bench.stop()
  }

  @Test func descriptionHasOneForm() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    func create(_ description: String) async throws -> Channel {
      var last: Channel?
      let request = CreateChannel(profile: .init(displayName: "News", description: description), idempotencyKey: "k")
      for try await channel in try await bench.client.channels.createAndFollow(request) { last = channel }
      return try #require(last)
    }
    let first = try await create("\u{FEFF}one\r\ntwo")
    #expect(first.profile.description == "one\ntwo")
    #expect(try await create("one\ntwo").id == first.id)
    let edited = try await bench.client.channels.update(UpdateChannel(id: first.id, description: "one\r\nthree"))
    #expect(edited.profile.description == "one\nthree")
    try await bench.stop()
  }

  @Test func onlyTextsChange() {
    let attachment = ControlAPI.Attachment(url: "https://files.example/a", altText: "one\r\ntwo")
    let plain = PostsPublishRequest(
      channelId: 1, text: "a\rb", attachments: [attachment], idempotencyKey: "k\r\n"
    ).withPlainTexts
    #expect(plain.text == "a\rb" && plain.idempotencyKey == "k\r\n" && plain.attachments?.first?.altText == "one\ntwo")
    #expect(PostsDeleteRequest(id: 1, reason: "one\r\ntwo").withPlainTexts.reason == "one\ntwo")
    #expect(PostsRemoveRequest(messageId: 1, reason: "one\r\ntwo").withPlainTexts.reason == "one\ntwo")
    #expect(PostsReportRequest(messageId: 1, category: "spam", text: "one\r\ntwo").withPlainTexts.text == "one\ntwo")
    #expect(MembersRemoveRequest(channelId: 1, author: "ann", reason: "one\r\ntwo").withPlainTexts.reason == "one\ntwo")
  }
}
