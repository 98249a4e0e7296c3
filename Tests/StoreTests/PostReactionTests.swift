import Channels
import Storage
import Testing

@testable import Store

/// Reactions are found by their post and by what they say.
struct PostReactionTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  private static func reaction(_ id: Int64, to target: Int64, _ text: String, deletedAt: Timestamp? = nil) -> StoredPost {
    var post = Bench.stored(id, text: text, deletedAt: deletedAt, [])
    post.row.reactionTo = PostID(rawValue: target)
    return post
  }

  private static func said(_ text: String, to target: Int64) -> PostReaction {
    PostReaction(target: PostID(rawValue: target), text: text)
  }

  private func found(_ reactions: Set<PostReaction>) throws -> [PostReaction: Int64] {
    try store.posts(reacting: reactions).mapValues(\.rawValue)
  }

  @Test func firstThatWasNotDeletedIsFound() async throws {
    let (plus, other) = (Self.said("+", to: 1), Self.said("+", to: 2))
    try await bench.add([
      Bench.stored(1, []), Bench.stored(2, text: "+", []), Self.reaction(3, to: 1, "👍", deletedAt: Bench.now),
      Self.reaction(4, to: 1, "+"), Self.reaction(5, to: 2, "-"), Self.reaction(6, to: 1, "+"),
    ])
    #expect(
      try found([plus, other, Self.said("👍", to: 1), Self.said("-", to: 2), Self.said("-", to: 1)])
        == [plus: 4, Self.said("-", to: 2): 5])
    var deleted = Self.reaction(4, to: 1, "+", deletedAt: Bench.now).row
    deleted.revision = 7
    try await store.commit([.updatePost(deleted)])
    #expect(try found([plus]) == [plus: 6] && found([]).isEmpty)
    #expect(try store.post(PostID(rawValue: 4))?.row.reactionTo == PostID(rawValue: 1), "an update leaves it")
    #expect(try store.check().problems.isEmpty)
  }

  @Test func forgottenOneIsNotTheReactionWithoutText() async throws {
    var forgotten = Self.reaction(2, to: 1, "+")
    forgotten.row.forget(at: Bench.now, keeping: "left")
    try await bench.add([Bench.stored(1, []), forgotten])
    #expect(try found([Self.said("", to: 1), Self.said("+", to: 1)]).isEmpty)
  }

  @Test func reactionsToMessagesAreFoundByChannelAndName() async throws {
    func about(_ id: Int64, _ act: AboutMessage.Act, _ name: String, _ text: String, channel: Int64 = 1) -> StoredPost {
      var post = Bench.stored(id, channel: channel, text: text, [])
      post.row.about = AboutMessage(act: act, networkID: name, author: "a")
      return post
    }
    func said(_ text: String, to name: String, in channel: Int64 = 1) -> PostReaction {
      PostReaction(target: .message(in: ChannelID(rawValue: channel), networkID: name), text: text)
    }
    try await bench.add([
      about(1, .answer, "m", "+"), about(2, .reaction, "n", "+"), about(3, .reaction, "m", "-"), about(4, .reaction, "m", "+"),
      about(5, .reaction, "m", "+"), about(6, .reaction, "m", "+", channel: 2), about(7, .removal, "o", "+"),
    ])
    let wanted = [said("+", to: "m"), said("+", to: "m", in: 2), said("-", to: "m"), said("-", to: "n"), said("+", to: "o")]
    #expect(try found(Set(wanted)) == [wanted[0]: 4, wanted[1]: 6, wanted[2]: 3])
    for id in [1, 4] as [Int64] { #expect(try store.post(PostID(rawValue: id))?.row.about?.networkID == "m") }
    #expect(try store.posts(PostQuestion(limit: 10)).posts.map(\.row.id.rawValue) == [1], "an answer is a post by itself")
    var deleted = about(4, .reaction, "m", "+").row
    (deleted.deletedAt, deleted.revision) = (Bench.now, 9)
    try await store.commit([.updatePost(deleted)])
    #expect(try found([wanted[0]]) == [wanted[0]: 5])
    #expect(try store.check().problems.isEmpty)
  }

  @Test func listsHaveThemOnlyWhereTheyAreAskedFor() async throws {
    try await bench.add([
      Bench.stored(1, []), Self.reaction(2, to: 1, "+"), Self.reaction(3, to: 1, "-", deletedAt: Bench.now),
      Bench.stored(4, []),
      Self.reaction(5, to: 4, "+"),
    ])
    func ids(_ change: (inout PostQuestion) -> Void) throws -> [Int64] {
      var question = PostQuestion(limit: 10)
      change(&question)
      return try store.posts(question).posts.map(\.row.id.rawValue)
    }
    #expect(try ids { _ in } == [4, 1] && ids { $0.withReactions = true } == [5, 4, 2, 1])
    #expect(try ids { $0.channel = ChannelID(rawValue: 1) } == [4, 1] && ids { $0.withDeleted = true } == [4, 1])
    #expect(try ids { $0.reactionTo = PostID(rawValue: 1) } == [2])
    #expect(
      try ids {
        $0.reactionTo = PostID(rawValue: 1)
        $0.withDeleted = true
      } == [3, 2])
    #expect(try ids { $0.reactionTo = PostID(rawValue: 2) }.isEmpty)
    // Whoever sees to the posts of a channel sees all.
    #expect(
      try store.posts(of: ChannelID(rawValue: 1), before: PostID(rawValue: 9), limit: 9).map(\.rawValue) == [5, 4, 3, 2, 1])
  }
}
