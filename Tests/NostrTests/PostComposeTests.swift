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
      #expect(try event(network.compose(PostDraft(text: "other"), in: Samples.channel, at: [])).createdAt == 5_003)
    }
  }

  /// Of posts that are dated within one second readers would not see which came first.
  @Test func postIsDatedAfterTheOneBefore() async throws {
    try await withBench { network in
      func dates(_ numbers: ClosedRange<Int>) throws -> [Int64] {
        try numbers.map { try event(network.compose(PostDraft(text: "line \($0)"), in: Samples.channel, at: [])).createdAt }
      }
      #expect(try dates(1...61) == Array(5_000...5_060))
      #expect(try dates(62...64) == [5_060, 5_060, 5_060], "they are not dated further ahead")
      let equal = try event(network.compose(PostDraft(text: "line 64"), in: Samples.channel, at: []))
      #expect(equal.createdAt < 5_060, "there is a second before for an equal one")
      let deletion = try network.composeDeletion(of: PostDocument(equal), in: Samples.channel, reason: "")
      #expect(try event(deletion).createdAt == equal.createdAt, "what is deleted is not dated after that")
      // A draft, or a post for later, has no place in the order yet.
      var trial = PostDraft(text: "line")
      trial.isTrial = true
      for _ in 1...3 { #expect(try event(network.compose(trial, in: Samples.channel, at: [])).createdAt == 5_000) }
      let other = ChannelContent(
        identity: NetworkBench.identityID, networkID: Samples.editionID, trustAnchor: Samples.owner, document: "{}")
      #expect(try event(network.compose(PostDraft(text: "line"), in: other, at: [])).createdAt == 5_000)
    }
  }

  @Test(arguments: [(4_000, 5_000), (5_000, 5_001), (5_039, 5_040), (5_059, 5_060), (5_060, 5_000), (9_000, 5_000)])
  func answerIsDatedAfterItsQuestionIfRelaysTakeThat(_ question: Int64, _ answer: Int64) async throws {
    try await withBench { network in
      var draft = PostDraft(text: "yes", replyTo: Samples.post)
      draft.replyTo?.writtenAt = Timestamp(milliseconds: question * 1_000 + 999)
      let composed = try network.compose(draft, in: Samples.channel, at: [])
      #expect(network.date(of: composed) == Timestamp(milliseconds: answer * 1_000))
    }
  }

  /// What a relay refused as being ahead, or says that it refuses, bounds the dates of all posts that it gets.
  @Test func strictestRelayBoundsTheDates() async throws {
    try await withBench { network in
      let relays = ["wss://a.example", "wss://b.example"]
      let refusal = try #require(DateRefusal("invalid: event creation date is too far off from the current time"))
      network.learn(refusal, 7, false, of: try RelayURL(relays[0]))
      network.learn(refusal, -3_600, false, of: try RelayURL(relays[1]))
      #expect(network.aheadMax(at: relays) == 3 && network.aheadMax(at: ["wss://b.example"]) == 60)
      network.learn(refusal, 9, false, of: try RelayURL(relays[0]))
      #expect(network.aheadMax(at: relays) == 3, "what was learned first is stricter")
      let dates = try (1...6).map {
        try event(network.compose(PostDraft(text: "\($0)"), in: Samples.channel, at: relays)).createdAt
      }
      #expect(dates == [5_000, 5_001, 5_002, 5_003, 5_003, 5_003])
      var answer = PostDraft(text: "yes", replyTo: Samples.post)
      answer.replyTo?.writtenAt = Timestamp(milliseconds: 5_030_000)
      #expect(try event(network.compose(answer, in: Samples.channel, at: relays)).createdAt == 5_003)
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
