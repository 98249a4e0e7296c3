import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What the network makes of reactions before anything is sent.
struct ReactionComposeTests {
  private typealias Samples = PostSamples

  private func withBench(_ body: (NostrNetwork) throws -> Void) async throws {
    let bench = try NetworkBench(identity: try Samples.key(), now: { 5_000 })
    try body(bench.network)
    await bench.end()
  }

  private func event(_ document: PostDocument) throws -> NostrEvent {
    try #require(NostrEvent(json: try JSONParser.parse(document.text)))
  }

  private static let soap = ["soap": "https://e.example/s.png"]

  @Test func reactionIsSignedByItsChannelNow() async throws {
    try await withBench { network in
      for (text, emoji, reaction) in [
        ("+", [:], .like), ("-", [:], .dislike), ("👍", [:], .emoji("👍")), ("1️⃣", [:], .emoji("1️⃣")),
        (":soap:", Self.soap, .custom(shortcode: "soap", url: "https://e.example/s.png")),
      ] as [(String, [String: String], NostrPost.Reaction)] {
        let draft = ReactionDraft(target: Samples.post, text: text, emoji: emoji)
        let document = try network.composeReaction(draft, in: Samples.channel)
        let event = try event(document)
        try event.verify()
        #expect(document == PostDocument(networkID: event.id, author: Samples.owner, text: event.text))
        #expect(event.kind == 7 && event.createdAt == 5_000 && event.content == text)
        #expect(NostrPost(event) == (try .reaction(reaction, to: Samples.post, in: Samples.channel, by: Samples.owner)))
      }
    }
  }

  /// Relays take no event again that was deleted, so a reaction that comes again is another event.
  @Test func reactionThatIsTakenBackCanBeMadeAgain() async throws {
    try await withBench { network in
      let draft = ReactionDraft(target: Samples.post, text: "+")
      let first = try network.composeReaction(draft, in: Samples.channel)
      let deletion = try event(network.composeDeletion(of: first, in: Samples.channel, reason: ""))
      #expect(deletion.kind == 5 && deletion.tags == [["e", first.networkID], ["k", "7"]])
      let second = try network.composeReaction(draft, in: Samples.channel)
      #expect(try second.networkID != first.networkID && event(second).createdAt == 5_001)
    }
  }

  private static let refused: [(String, [String: String], PostRefusal.Field)] = [
    ("", [:], .reaction), ("a", [:], .reaction), ("👍👍", [:], .reaction), (":", [:], .reaction), ("+ ", [:], .reaction),
    ("\u{0}", [:], .reaction), (":soap:", [:], .emoji), ("::", [:], .emoji), ("+", soap, .emoji), (":rope:", soap, .emoji),
    ("soap", soap, .emoji), (":soap:", ["soap": "https://e.example/s.png", "rope": "https://e.example/r.png"], .emoji),
    (":a b:", ["a b": "https://e.example/s.png"], .reaction), (":soap:", ["soap": "s.png"], .reaction),
    (":soap:", ["soap": "https://e.example/\(PostSamples.Link.secret)"], .reaction),
  ]

  @Test(arguments: refused)
  func whatIsNoReactionIsRefused(_ text: String, _ emoji: [String: String], _ field: PostRefusal.Field) async throws {
    try await withBench { network in
      let draft = ReactionDraft(target: Samples.post, text: text, emoji: emoji)
      #expect { try network.composeReaction(draft, in: Samples.channel) } throws: { error in
        guard case PostFailure.refused(let refusal) = error else { return false }
        return refusal.field == field && !refusal.reason.contains(Samples.Link.secret)
      }
    }
  }

  @Test func whatCannotBeDoneIsRefusedWithTheReason() async throws {
    try await withBench { network in
      let draft = ReactionDraft(target: Samples.post, text: "+")
      #expect(throws: PostFailure.unsupported("reactions in groups (NIP-29) are not published yet")) {
        try network.composeReaction(draft, in: Samples.group)
      }
      for (content, word) in [(Samples.channel, "NIP-28"), (Samples.group, "9010")] {
        #expect { try network.composePin(of: Samples.post, in: content) } throws: { error in
          guard case PostFailure.unsupported(let reason) = error else { return false }
          return reason.contains(word)
        }
      }
      network.lock(NetworkBench.identityID)
      #expect(throws: PostFailure.unavailable("the key of the channel's identity is not at hand")) {
        try network.composeReaction(draft, in: Samples.channel)
      }
    }
  }
}
