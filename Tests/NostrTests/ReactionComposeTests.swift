import Channels
import RelayNetwork
import Testing

@testable import Nostr

/// What the network makes of reactions before anything is sent.
struct ReactionComposeTests: ComposeSuite {
  private typealias Samples = PostSamples

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
      network.lock(NetworkBench.identityID)
      for content in [Samples.channel, Samples.group] {
        #expect(throws: PostFailure.unavailable("the key of the channel's identity is not at hand")) {
          try network.composeReaction(draft, in: content)
        }
      }
    }
  }

  // MARK: - In groups

  private func reaction(_ draft: ReactionDraft, on network: NostrNetwork) throws -> GroupPost {
    let document = try network.composeReaction(draft, in: Samples.group)
    #expect(document.networkID.isEmpty && document.author == Samples.owner, "it has a name when it is sent")
    return try #require(GroupPost(document))
  }

  @Test func reactionInAGroupIsStoredUnsigned() async throws {
    try await withBench { network in
      for (text, emoji, meaning) in [
        ("+", [:], .like), (":soap:", Self.soap, .custom(shortcode: "soap", url: "https://e.example/s.png")),
      ] as [(String, [String: String], NostrPost.Reaction)] {
        let made = try reaction(ReactionDraft(target: Samples.groupPost, text: text, emoji: emoji), on: network)
        let clientID = try #require(made.post.tags.first { $0[0] == "client-id" }?[1])
        let attempt = NostrPost.Attempt(clientID: clientID)
        #expect(
          made.post
            == (try .reaction(meaning, to: Samples.groupPost, in: Samples.group, by: Samples.owner, attempt: attempt)))
        #expect(made.post.kind == 7 && made.post.content == text && made.attempts.isEmpty && clientID.utf8.count == 32)
        #expect(made.post.tags.first == ["h", "club"] && made.post.tags.contains(["k", "9"]))
        #expect(made.post.tags.last == ["e", Samples.groupPost.networkID, "wss://a.example", Samples.groupPost.author])
      }
    }
  }

  /// One that is taken back is made again as another event, in the same second too.
  @Test func equalReactionsInAGroupAreTwo() async throws {
    try await withBench { network in
      let draft = ReactionDraft(target: Samples.groupPost, text: "+")
      let ids = try (0..<3).map { _ in try reaction(draft, on: network).dated(at: 5_000).event.id }
      #expect(Set(ids).count == 3)
    }
  }

  @Test func postThatReadersHaveNotFoundIsNotReactedTo() async throws {
    try await withBench { network in
      let new = try network.compose(PostDraft(text: "news"), in: Samples.group, at: [])
      let sent = try #require(GroupPost(new)).dated(at: 6_000).post
      for (document, relays) in [
        (new, ["wss://a.example"]), (sent.document, []), (sent.dated(at: 6_001).post.document, ["wss://a.example"]),
      ] {
        let target = try #require(network.reference(to: document, at: relays))
        #expect {
          try network.composeReaction(ReactionDraft(target: target, text: "+"), in: Samples.group)
        } throws: { error in
          guard case PostFailure.refused(let refusal) = error else { return false }
          return refusal.field == .reaction && refusal.reason.contains("until readers find it there")
        }
      }
      let found = try #require(network.reference(to: sent.found(sent.id).document, at: ["wss://a.example"]))
      let made = try reaction(ReactionDraft(target: found, text: "+"), on: network)
      #expect(made.post.tags.last == ["e", sent.id, "wss://a.example", Samples.owner])
    }
  }

  @Test func reactionInAGroupIsLinkedAndDeletedLikeAPost() async throws {
    try await withBench { network in
      let made = try reaction(ReactionDraft(target: Samples.groupPost, text: "+"), on: network).dated(at: 6_000).post
      let found = made.found(made.id).document
      let link = try #require(network.link(to: found, at: ["wss://a.example"]))
      #expect(
        try NIP19(String(link.dropFirst("nostr:".utf8.count)))
          == .nevent(id: made.id, relays: ["wss://a.example"], author: Samples.owner, kind: 7))
      let place = PostPlace(document: found, publishedAt: Timestamp(seconds: 6_000), capabilities: [])
      #expect(network.forecast(of: place).canDelete && network.date(of: found) == Timestamp(seconds: 6_000))
      #expect(network.signedText(of: found) == nil, "it is not exported")
      let deletion = try #require(GroupDeletion(network.composeDeletion(of: found, in: Samples.group, reason: "")))
      #expect(
        try deletion.events(for: made, in: Samples.group) == [
          .option(kind: 5, tags: [["h", "club"], ["e", made.id], ["k", "7"]], content: ""),
          .draft(kind: 9_005, tags: [["h", "club"], ["e", made.id]], content: ""),
        ])
    }
  }
}
