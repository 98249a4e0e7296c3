import Channels
import RelayNetwork
import Testing

@testable import Nostr

/// What the network makes of posts in groups before anything is sent.
struct GroupComposeTests: ComposeSuite {
  private typealias Samples = PostSamples

  /// A post that readers have found.
  private func published(_ draft: PostDraft, on network: NostrNetwork) throws -> PostDocument {
    let post = try #require(GroupPost(try network.compose(draft, in: Samples.group, at: []))).dated(at: 6_000).post
    return post.found(post.id).document
  }

  private func refusal(_ body: () throws -> Void) -> PostRefusal? {
    do {
      try body()
      return nil
    } catch {
      guard case PostFailure.refused(let refusal) = error else { return nil }
      return refusal
    }
  }

  @Test func postIsStoredUnsigned() async throws {
    try await withBench { network in
      let draft = PostDraft(text: "news", replyTo: Samples.groupPost, mentions: [Samples.bob])
      let document = try network.compose(draft, in: Samples.group, at: ["wss://a.example"])
      let group = try #require(GroupPost(document))
      #expect(document.networkID.isEmpty && document.author == Samples.owner && group.attempts.isEmpty)
      let clientID = try #require(group.post.tags.last)
      #expect(clientID[0] == "client-id" && clientID[1].utf8.count == 32)
      let expected = try NostrPost(
        draft, in: Samples.group, by: Samples.owner, attempt: NostrPost.Attempt(clientID: clientID[1]))
      #expect(group.post == expected && group.post.kind == 9 && group.post.tags.first == ["h", "club"])
    }
  }

  /// Two events with the same bytes would be one.
  @Test func equalPostsAreTwo() async throws {
    try await withBench { network in
      let events = try (0..<3).map { _ in
        try #require(GroupPost(try network.compose(PostDraft(text: "ok"), in: Samples.group, at: []))).dated(at: 5_000).event.id
      }
      #expect(Set(events).count == 3)
    }
  }

  @Test func whatCannotBePostedIsRefusedWithTheReason() async throws {
    try await withBench { network in
      func field(_ draft: PostDraft) -> PostRefusal.Field? {
        refusal { _ = try network.compose(draft, in: Samples.group, at: []) }?.field
      }
      #expect(field(PostDraft(text: "")) == .text)
      #expect(field(PostDraft(text: "leaked: \(Samples.Link.secret)")) == .text)
      network.lock(NetworkBench.identityID)
      #expect(throws: PostFailure.unavailable("the key of the channel's identity is not at hand")) {
        try network.compose(PostDraft(text: "news"), in: Samples.group, at: [])
      }
    }
  }

  @Test func onlyWhatReadersFoundIsAnsweredAndQuoted() async throws {
    try await withBench { network in
      let new = try network.compose(PostDraft(text: "news"), in: Samples.group, at: [])
      let sent = try #require(GroupPost(new)).dated(at: 6_000).post.document
      let twice = try #require(GroupPost(sent)).dated(at: 6_001).post.document
      for (document, relays) in [(new, ["wss://a.example"]), (sent, []), (twice, ["wss://a.example"])] {
        #expect(network.link(to: document, at: relays) == nil)
        let reference = try #require(network.reference(to: document, at: relays))
        let answer = refusal {
          _ = try network.compose(PostDraft(text: "yes", replyTo: reference), in: Samples.group, at: [])
        }
        #expect(answer?.field == .replyTo && answer?.reason.contains("until readers find it there") == true)
        for place in [Samples.channel, Samples.group] {
          let quote = refusal {
            let draft = PostDraft(text: "see", quotes: [Samples.quoted, reference])
            _ = try network.compose(draft, in: place, at: [])
          }
          #expect(quote?.field == .quotes && quote?.reason.hasPrefix("quote 2 is in a group") == true)
        }
      }
      #expect(network.reference(to: sent, at: ["wss://a.example"])?.networkID == sent.networkID, "readers found it there")
      let found = try #require(GroupPost(sent)).found(sent.networkID).document
      let reference = try #require(network.reference(to: found, at: ["wss://a.example"]))
      let reply = try #require(
        GroupPost(try network.compose(PostDraft(text: "yes", replyTo: reference), in: Samples.group, at: [])))
      #expect(reply.post.tags.contains(["q", found.networkID, "wss://a.example", Samples.owner]))
      let link = try #require(network.link(to: found, at: ["wss://a.example"]))
      #expect(reply.post.content == "\(link)\nyes")
      #expect(
        try NIP19(String(link.dropFirst("nostr:".utf8.count)))
          == .nevent(id: found.networkID, relays: ["wss://a.example"], author: Samples.owner, kind: 9))
    }
  }

  @Test func othersReferToAPostByWhatItSays() async throws {
    try await withBench { network in
      let post = try published(PostDraft(text: "news", mentions: [Samples.bob, Samples.carol]), on: network)
      #expect(
        network.reference(to: post, at: ["wss://a.example"])
          == PostReference(
            networkID: post.networkID, author: Samples.owner, kind: 9, relays: ["wss://a.example"],
            participants: [Samples.bob, Samples.carol]))
      #expect(network.date(of: post) == Timestamp(seconds: 6_000))
      let new = try network.compose(PostDraft(text: "news"), in: Samples.group, at: [])
      #expect(network.date(of: new) == nil)
      let broken = PostDocument(networkID: post.networkID, author: post.author, text: "{}")
      #expect(network.reference(to: broken, at: []) == nil && network.link(to: broken, at: []) == nil)
      #expect(network.date(of: broken) == nil)
      let place = PostPlace(document: post, publishedAt: Timestamp(seconds: 6_000), capabilities: [])
      #expect(network.forecast(of: place).canDelete && network.forecast(of: place).canEdit)
    }
  }

  @Test func deletionIsStoredUnsigned() async throws {
    try await withBench { network in
      let new = try network.compose(PostDraft(text: "news"), in: Samples.group, at: [])
      for post in [new, try published(PostDraft(text: "news"), on: network)] {
        let deletion = try network.composeDeletion(of: post, in: Samples.group, reason: "wrong")
        #expect(GroupDeletion(deletion) == GroupDeletion(author: Samples.owner, reason: "wrong"))
        for reason in ["leaked: \(Samples.Link.secret)", String(repeating: "x", count: 501), "a\u{1}"] {
          #expect(refusal { _ = try network.composeDeletion(of: post, in: Samples.group, reason: reason) }?.field == .text)
        }
      }
    }
  }

  @Test func deletionOfAnythingElseIsNotMade() async throws {
    try await withBench { network in
      func isUnavailable(_ document: PostDocument) -> Bool {
        do throws(PostFailure) {
          _ = try network.composeDeletion(of: document, in: Samples.group, reason: "")
          return false
        } catch {
          if case .unavailable = error { return true } else { return false }
        }
      }
      #expect(isUnavailable(PostDocument(networkID: "", author: "", text: "{}")))
      #expect(isUnavailable(makeGroupPost(1).document), "it is someone else's")
      let inChannel = try network.compose(PostDraft(text: "news"), in: Samples.channel, at: [])
      #expect(isUnavailable(inChannel))
    }
  }
}
