import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What stays of posts of groups that are forgotten: it names all attempts, and says nothing of what the post said.
struct GroupRemnantTests {
  private typealias Samples = PostSamples

  /// A post of three attempts, of which readers found the second.
  private static let post: GroupPost = {
    let post = makeGroupPost(1, datedAt: 100, 107, 109)
    return post.found(post.attempts[1].id)
  }()

  private func withBench(_ body: (NostrNetwork) throws -> Void) async throws {
    let bench = try NetworkBench(identity: try Samples.key(), now: { 5_000 })
    try body(bench.network)
    await bench.end()
  }

  private func altered(_ document: PostDocument, _ change: (inout [String: JSONValue]) -> Void) throws -> PostDocument {
    var members = try #require(try JSONParser.parse(document.text).object)
    change(&members)
    return PostDocument(networkID: document.networkID, author: document.author, text: JSONValue.object(members).text)
  }

  @Test func remnantNamesThePostAsThePostDoes() throws {
    for post in [Self.post, makeGroupPost(1), makeGroupPost(1, datedAt: 100), makeGroupPost(1, datedAt: 107, 100)] {
      let remnant = GroupRemnant(post)
      #expect(remnant.ids == post.ids && remnant.id == post.id && remnant.createdAt == post.createdAt)
      #expect(remnant.document.networkID == post.document.networkID && remnant.document.author == post.author)
      #expect(GroupRemnant(remnant.document) == remnant && GroupRemnant(post.document) == remnant)
      #expect(GroupPost(remnant.document) == nil, "nothing is left that could be sent")
    }
  }

  @Test func remnantHoldsKindAndAttemptsOnly() {
    let attempts = Self.post.attempts.map { "[\"\($0.id)\",\($0.createdAt)]" }.joined(separator: ",")
    let text = "{\"attempts\":[\(attempts)],\"found\":\"\(Self.post.attempts[1].id)\",\"kind\":9}"
    #expect(GroupRemnant(Self.post).document.text == text)
    #expect(GroupRemnant(makeGroupPost(1)).document.text == #"{"attempts":[],"kind":9}"#)
  }

  @Test func remnantOfAsManyAttemptsAsAreKeptIsRead() {
    let post = (1...100 as ClosedRange<Int64>).reduce(makeGroupPost(1)) { $0.dated(at: $1).post }
    #expect(GroupRemnant(GroupRemnant(post).document)?.attempts == post.attempts && post.attempts.count == 32)
  }

  @Test func damagedRemnantIsNone() throws {
    let document = GroupRemnant(Self.post).document
    let (first, found) = (Self.post.attempts[0], Self.post.attempts[1])
    let other = makeGroupPost(2, datedAt: 100)
    func listed(_ attempts: JSONValue...) -> JSONValue { .array(attempts + [[.string(found.id), .integer(found.createdAt)]]) }
    let changes: [(inout [String: JSONValue]) -> Void] = [
      { $0["kind"] = nil }, { $0["kind"] = 42 }, { $0["kind"] = "9" }, { $0["kind"] = 9_005 }, { $0["kind"] = -9 },
      { $0["attempts"] = nil }, { $0["attempts"] = .null }, { $0["attempts"] = [] },
      { $0["attempts"] = listed([.string(first.id)]) }, { $0["attempts"] = listed([.string(first.id), 100, 1]) },
      { $0["attempts"] = listed([.string(first.id), "100"]) }, { $0["attempts"] = listed([100, .string(first.id)]) },
      { $0["attempts"] = listed([.string(String(first.id.dropLast())), 100]) },
      { $0["attempts"] = listed([.string(first.id.uppercased()), 100]) }, { $0["attempts"] = listed(["", 100]) },
      { $0["attempts"] = listed([.string(found.id), 100]) }, { $0["attempts"] = listed(.string(first.id)) },
      { $0["attempts"] = .array((0..<33).map { [.string(Samples.key(number: $0)), 100] } + [[.string(found.id), 107]]) },
      { $0["found"] = .string(other.id) }, { $0["found"] = .null }, { $0["found"] = "" }, { $0["found"] = nil },
      { $0["more"] = 1 }, { $0["tags"] = [["h", "club"]] }, { $0["content"] = "post 1" },
    ]
    for (number, change) in changes.enumerated() { #expect(GroupRemnant(try altered(document, change)) == nil, "\(number)") }
    #expect(GroupRemnant(try altered(document) { $0["kind"] = 7 })?.kind == 7, "reactions are forgotten as well")
    for text in ["", "{}", "[]", "not JSON", document.text + "x", String(document.text.dropLast())] {
      #expect(GroupRemnant(PostDocument(networkID: document.networkID, author: document.author, text: text)) == nil, "\(text)")
    }
    for id in ["", first.id, other.id] {
      #expect(GroupRemnant(PostDocument(networkID: id, author: document.author, text: document.text)) == nil, "\(id)")
    }
    #expect(GroupRemnant(PostDocument(networkID: document.networkID, author: "me", text: document.text)) == nil)
    #expect(GroupRemnant(PostDocument(makePost(1))) == nil, "that is an event of a channel")
    let ofChannel = PostDocument(
      networkID: found.id, author: document.author, text: #"{"created_at":100,"kind":42}"#)
    #expect(GroupRemnant(ofChannel) == nil)
  }

  @Test func deletionNamesAllAttempts() throws {
    let deletion = GroupDeletion(author: sessionKey.publicKey, reason: "wrong")
    let remnant = try #require(GroupRemnant(GroupRemnant(Self.post).document))
    #expect(try deletion.events(for: remnant, in: sessionGroup) == deletion.events(for: Self.post, in: sessionGroup))
    let none = GroupRemnant(makeGroupPost(1))
    #expect(throws: DeletionRefusal.nothingNamed) { try deletion.events(for: none, in: sessionGroup) }
  }

  // MARK: - What the network makes of it

  private func forgotten(_ post: PostDocument, by network: NostrNetwork) throws -> PostDocument {
    PostDocument(networkID: post.networkID, author: post.author, text: try #require(network.remnant(of: post)))
  }

  @Test func forgottenPostIsNamedDatedAndForeseenByWhatStays() async throws {
    try await withBench { network in
      let draft = PostDraft(text: "news", mentions: [Samples.bob], hashtags: ["bridge"])
      let new = try #require(GroupPost(network.compose(draft, in: Samples.group, at: [])))
      let (once, relays) = (new.dated(at: 6_000).post, ["wss://b.example"])
      let twice = once.dated(at: 6_001).post
      for post in [new, once, twice, twice.found(once.id)].map(\.document) {
        let forgotten = try forgotten(post, by: network)
        #expect(!forgotten.text.contains("news") && !forgotten.text.contains(Samples.bob))
        #expect(network.remnant(of: forgotten) == forgotten.text && network.date(of: forgotten) == network.date(of: post))
        for places in [[], relays] {
          #expect(network.link(to: forgotten, at: places) == network.link(to: post, at: places))
          var reference = network.reference(to: post, at: places)
          // Whom it mentioned is forgotten too.
          reference?.participants = []
          #expect(network.reference(to: forgotten, at: places) == reference && reference != nil)
        }
        let place = PostPlace(document: forgotten, publishedAt: Timestamp(seconds: 6_000), capabilities: [])
        #expect(network.forecast(of: place).canDelete)
        #expect(network.signedText(of: forgotten) == nil)
      }
    }
  }

  @Test func deletionOfAForgottenPostIsStoredUnsigned() async throws {
    try await withBench { network in
      let new = try network.compose(PostDraft(text: "news"), in: Samples.group, at: [])
      let sent = try #require(GroupPost(new)).dated(at: 6_000).post.document
      // Nothing of the first one was sent.
      for post in [new, sent] {
        let forgotten = try forgotten(post, by: network)
        let deletion = try network.composeDeletion(of: forgotten, in: Samples.group, reason: "wrong")
        #expect(GroupDeletion(deletion) == GroupDeletion(author: Samples.owner, reason: "wrong"))
        #expect { try network.composeDeletion(of: forgotten, in: Samples.group, reason: "a\u{1}") } throws: { error in
          if case PostFailure.refused = error { true } else { false }
        }
      }
      #expect {
        try network.composeDeletion(of: forgotten(Self.post.document, by: network), in: Samples.group, reason: "")
      } throws: {
        $0 as? PostFailure == .unavailable(NostrNetwork.foreignPost)
      }
    }
  }
}
