import BatonClient
import Channels
import ControlAPI
import StrictJSON
import TestSupport
import Testing

/// What a network wants whoever publishes to know of a post.
@Suite(.timeLimit(.minutes(10)))
struct PostNoteTests {
  @Test func postsThatAreThereHaveTheNotesOfTheirNetwork() async throws {
    let clock = ManualClock()
    let bench = try await Bench(clock: clock)
    _ = try await bench.addRelays(1)
    let channel = try #require(try await bench.create("News"))
    func publish(_ text: String, at: String? = nil) async throws -> Post {
      try await bench.client.posts.publish(PostsPublishRequest(channelId: channel.id, text: text, at: at)).post
    }
    let post = try await publish("note this")
    let note = try #require(post.notes?.first)
    let createdAt = try #require(RFC3339.milliseconds(post.createdAt))
    #expect(post.notes?.count == 1 && note == "Readers forget this after \(createdAt).")
    #expect(try await bench.client.posts.get(id: post.id).post.notes == [note])
    #expect(try await bench.client.posts.list(PostsListRequest(channelId: channel.id)).posts.first?.notes == [note])
    #expect(try await publish("nothing to say").notes == nil)
    // What is not published yet has no form that the network could say something of.
    let later = try await publish("note this later", at: RFC3339.text(milliseconds: clock.now.milliseconds + 3_600_000))
    #expect(later.phase == "scheduled" && later.notes == nil)
    let deleted = try await bench.client.posts.delete(id: post.id)
    #expect(deleted.notes == nil)
    try await bench.stop()
  }
}
