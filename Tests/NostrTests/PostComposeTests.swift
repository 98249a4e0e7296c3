import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What the network makes of posts before anything is sent.
struct PostComposeTests: ComposeSuite {
  private typealias Samples = PostSamples

  @Test func postIsSignedByItsChannelNow() async throws {
    try await withBench { network in
      let draft = PostDraft(text: "news", replyTo: Samples.post)
      let document = try network.compose(draft, in: Samples.channel, at: ["wss://a.example"])
      let event = try event(document)
      try event.verify()
      #expect(document == PostDocument(networkID: event.id, author: Samples.owner, text: event.text))
      #expect(event.createdAt == 5_000 && event.publicKey == Samples.owner)
      #expect(NostrPost(event) == (try NostrPost(draft, in: Samples.channel, at: ["wss://a.example"], by: Samples.owner)))
    }
  }

  /// Two events with the same bytes would be one.
  @Test func equalPostsAreTwo() async throws {
    try await withBench { network in
      let documents = try (0..<3).map { _ in try network.compose(PostDraft(text: "ok"), in: Samples.channel, at: []) }
      #expect(Set(documents.map(\.networkID)).count == 3)
      #expect(try documents.map { try event($0).createdAt } == [5_000, 5_001, 5_002])
      #expect(try event(network.compose(PostDraft(text: "other"), in: Samples.channel, at: [])).createdAt == 5_000)
    }
  }

  @Test func equalPostsWithoutEndAreNotDatedFarAhead() async throws {
    try await withBench { network in
      for _ in 0...60 { _ = try network.compose(PostDraft(text: "ok"), in: Samples.channel, at: []) }
      #expect { try network.compose(PostDraft(text: "ok"), in: Samples.channel, at: []) } throws: { error in
        if case PostFailure.unavailable = error { true } else { false }
      }
    }
  }

  @Test func whatCannotBePostedIsRefusedWithTheReason() async throws {
    try await withBench { network in
      #expect { try network.compose(PostDraft(text: ""), in: Samples.channel, at: []) } throws: { error in
        if case PostFailure.refused(let refusal) = error { refusal.field == .text } else { false }
      }
      network.lock(NetworkBench.identityID)
      #expect(throws: PostFailure.unavailable("the key of the channel's identity is not at hand")) {
        try network.compose(PostDraft(text: "news"), in: Samples.channel, at: [])
      }
    }
  }

  @Test func deletionNamesThePost() async throws {
    try await withBench { network in
      let post = try network.compose(PostDraft(text: "news"), in: Samples.channel, at: [])
      let deletion = try network.composeDeletion(of: post, in: Samples.channel, reason: "wrong")
      let event = try event(deletion)
      try event.verify()
      #expect(event.kind == 5 && event.publicKey == Samples.owner && event.content == "wrong" && event.createdAt == 5_000)
      #expect(event.tags == [["e", post.networkID], ["k", "42"]])
      #expect(deletion.networkID == event.id && deletion.text == event.text)
    }
  }

  /// What stays of a forgotten post names it, and says nothing of what it said.
  @Test func forgottenPostIsNamedAndDeletedByWhatStays() async throws {
    try await withBench { network in
      let draft = PostDraft(text: "news", mentions: [Samples.bob], hashtags: ["bridge"])
      let post = try network.compose(draft, in: Samples.channel, at: ["wss://a.example"])
      let remnant = try #require(network.remnant(of: post))
      #expect(remnant == #"{"created_at":5000,"kind":42}"#)
      let forgotten = PostDocument(networkID: post.networkID, author: post.author, text: remnant)
      #expect(network.remnant(of: forgotten) == remnant && network.date(of: forgotten) == network.date(of: post))
      let relays = ["wss://b.example"]
      #expect(network.link(to: forgotten, at: relays) == network.link(to: post, at: relays))
      #expect(
        network.reference(to: forgotten, at: relays)
          == PostReference(networkID: post.networkID, author: Samples.owner, kind: 42, relays: relays))
      let deletion = try network.composeDeletion(of: forgotten, in: Samples.channel, reason: "wrong")
      let event = try event(deletion)
      try event.verify()
      #expect(event.tags == [["e", post.networkID], ["k", "42"]] && event.content == "wrong")
      let foreign = PostDocument(networkID: post.networkID, author: Samples.alice, text: remnant)
      #expect { try network.composeDeletion(of: foreign, in: Samples.channel, reason: "") } throws: { error in
        if case PostFailure.unavailable = error { true } else { false }
      }
      #expect(network.remnant(of: PostDocument(networkID: post.networkID, author: post.author, text: "[]")) == nil)
      for content in [Samples.channel, Samples.group] { #expect(network.whyNotForgotten(in: content) == nil) }
    }
  }

  @Test func deletionOfAnythingElseIsNotSigned() async throws {
    try await withBench { network in
      let post = try network.compose(PostDraft(text: "news"), in: Samples.channel, at: [])
      func fails(_ document: PostDocument, _ reason: String = "", in content: ChannelContent = Samples.channel) -> PostFailure?
      {
        do throws(PostFailure) {
          _ = try network.composeDeletion(of: document, in: content, reason: reason)
          return nil
        } catch { return error }
      }
      guard case .refused(let refusal)? = fails(post, "leaked: \(Samples.Link.secret)") else { return #expect(Bool(false)) }
      #expect(refusal.field == .text)
      guard case .unavailable? = fails(post, in: Samples.group) else { return #expect(Bool(false)) }
      guard case .unavailable? = fails(PostDocument(networkID: "", author: "", text: "{}")) else { return #expect(Bool(false)) }
      let foreign = PostDocument(makePost(1))
      guard case .unavailable? = fails(foreign) else { return #expect(Bool(false)) }
      let key = try Samples.key()
      let channel = try #require(NostrEvent(signedBy: key, createdAt: 1, kind: 40, content: "{}"))
      guard case .unavailable? = fails(PostDocument(channel)) else { return #expect(Bool(false)) }
    }
  }

  @Test func othersReferToAPostByWhatItSays() async throws {
    try await withBench { network in
      let draft = PostDraft(text: "news", replyTo: Samples.post, mentions: [Samples.bob, Samples.carol])
      let post = try network.compose(draft, in: Samples.channel, at: [])
      let relays = ["wss://b.example", "wss://a.example"]
      let reference = try #require(network.reference(to: post, at: relays))
      #expect(
        reference
          == PostReference(
            networkID: post.networkID, author: Samples.owner, kind: 42, relays: relays,
            participants: [Samples.alice, Samples.bob, Samples.carol]))
      let link = try #require(network.link(to: post, at: relays))
      let name = try NIP19(String(link.dropFirst("nostr:".utf8.count)))
      #expect(link.hasPrefix("nostr:nevent1"))
      #expect(name == .nevent(id: post.networkID, relays: relays, author: Samples.owner, kind: 42))
      let broken = PostDocument(networkID: post.networkID, author: post.author, text: "not JSON")
      #expect(network.reference(to: broken, at: []) == nil && network.link(to: broken, at: []) == nil)
    }
  }
}
