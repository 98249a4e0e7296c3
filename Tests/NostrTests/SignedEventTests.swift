import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Events that were signed before: what is taken, and why the rest is not.
struct SignedEventTests {
  private typealias Samples = PostSamples

  private static let now: Int64 = 1_700_000_000
  private static let root = ["e", Samples.channelID, "wss://a.example", "root"]

  private let key: SecretKey

  init() throws { key = try Samples.key() }

  private func event(
    kind: Int = 42, _ tags: [[String]] = [root], _ content: String = "news", at date: Int64 = now, by key: SecretKey? = nil
  ) throws -> NostrEvent {
    let key = key ?? self.key
    return try NostrPost(author: key.publicKey, kind: kind, tags: tags, content: content).signed(by: key, createdAt: date)
  }

  /// An event that other programs may have signed: no text is refused.
  private func foreign(_ tags: [[String]] = [root], _ content: String = "news", at date: Int64 = now) throws -> NostrEvent {
    let digest = NostrEvent.digest(publicKey: key.publicKey, createdAt: date, kind: 42, tags: tags, content: content)
    let signature = try #require(key.sign(digest: digest, auxiliary: nil))
    return NostrEvent(
      id: Hex.encode(digest), publicKey: key.publicKey, createdAt: date, kind: 42, tags: tags, content: content,
      signature: Hex.encode(signature))
  }

  private func read(_ text: String) throws -> SignedPost { try SignedEvent.read(text, in: Samples.channel, at: Self.now) }

  private func flaw(_ text: String) -> AdoptionFlaw? {
    do throws(AdoptionFlaw) {
      _ = try SignedEvent.read(text, in: Samples.channel, at: Self.now)
      return nil
    } catch {
      return error
    }
  }

  private func flaw(_ event: NostrEvent) -> AdoptionFlaw? { flaw(event.text) }

  // MARK: - What is taken

  @Test func postIsReadAsItWasSigned() throws {
    let draft = PostDraft(text: "yes", replyTo: Samples.post, quotes: [Samples.quoted])
    let event = try Samples.message(draft).signed(by: key, createdAt: Self.now - 86_400)
    guard case .post(let post) = try read(event.text) else {
      Issue.record("it is a post")
      return
    }
    #expect(post.document == PostDocument(networkID: event.id, author: Samples.owner, text: event.text))
    #expect(post.text == event.content && post.date == Timestamp(milliseconds: (Self.now - 86_400) * 1_000))
    #expect(post.replyTo == Samples.postID && post.quotes == [Samples.quotedID])
  }

  /// Spaces, the order of members, further members and other ways to write a letter are not part of what was signed.
  @Test func onlyWhatWasSignedIsKept() throws {
    let event = try event([Self.root], "caf\u{E9}")
    let tags = "[ [\"e\", \"\(Samples.channelID)\",\n \"wss:\\/\\/a.example\", \"root\"] ]"
    let text = """
      { "sig": "\(event.signature)", "kind": 42, "content": "caf\\u00e9", "relay": "wss://x", "tags": \(tags),
        "created_at": \(event.createdAt), "pubkey": "\(event.publicKey)", "id": "\(event.id)" }
      """
    guard case .post(let post) = try read(text) else {
      Issue.record("it is a post")
      return
    }
    #expect(post.document.text == event.text && post.text == "caf\u{E9}")
  }

  @Test func everythingThatIsPublishedHereIsTaken() throws {
    let file = PostDraft.Attachment(url: "https://files.example/a.jpg", mimeType: "image/jpeg", altText: "a \"bridge\"")
    let drafts = [
      PostDraft(text: "a\nb\tc"), PostDraft(text: String(repeating: "\"", count: PostDraft.textBytesMax)),
      PostDraft(
        text: "see \(Samples.Link.bob)", mentions: [Samples.alice], contentWarning: "", hashtags: ["a"],
        emoji: ["s": "https://h/s"], attachments: [file]),
    ]
    for draft in drafts {
      let event = try Samples.message(draft).signed(by: key, createdAt: Self.now)
      #expect(flaw(event) == nil, "\(draft.text.prefix(20))")
    }
    let published = NostrPost.Published(id: Samples.postID, kind: 42)
    let deletion = try NostrPost.deletion(of: [published], in: Samples.channel, reason: "wrong", by: Samples.owner)
      .signed(by: key, createdAt: Self.now)
    #expect(try read(deletion.text) == .deletion(PostDocument(deletion), of: Samples.postID))
  }

  // MARK: - Flaws

  @Test func textThatIsNoEventIsRefused() throws {
    #expect(flaw(String(repeating: " ", count: SignedEvent.bytesMax + 1)) == .tooLarge)
    #expect(flaw("[]") == .forged(.malformed))
    let twice = try event().text.replacing(#""kind":42"#, with: #""kind":42,"kind":1"#)
    let deep = #"{"id":\#(String(repeating: "[", count: 100))"#
    for (text, reason) in [("", JSONParseError.Reason.unexpectedEnd), (twice, .duplicateKey), (deep, .tooDeep)] {
      guard case .notJSON(let error)? = flaw(text) else {
        Issue.record("\(text.prefix(40)) is taken")
        continue
      }
      #expect(error.reason == reason)
    }
  }

  @Test(arguments: [
    (#""kind":42"#, #""kind":"42""#), (#""kind":42"#, #""kind":42.0"#), (#""kind":42"#, #""kind":-1"#),
    (#""kind":42"#, #""kind":70000"#), (#""content":"news""#, #""content":null"#), (#""content":"news""#, #""text":"news""#),
    (#""created_at":1700000000"#, #""created_at":"1700000000""#), (#""tags":[["#, #""tags":[7,["#),
    (#""tags":[["#, #""tags":[[7,"#), (#""sig":""#, #""sig":"00"#),
  ])
  func wrongTypesAreRefused(_ part: String, _ other: String) throws {
    let text = try event().text
    #expect(text.contains(part))
    #expect(flaw(text.replacing(part, with: other)) == .forged(.malformed))
  }

  @Test func forgedEventIsRefused() throws {
    let (event, other) = (try event(), try event([Self.root], "other"))
    #expect(flaw(event.text.replacing("news", with: "fake")) == .forged(.wrongID))
    #expect(flaw(event.text.replacing(event.id, with: other.id)) == .forged(.wrongID))
    #expect(flaw(event.text.replacing(event.signature, with: other.signature)) == .forged(.wrongSignature))
    // Swift takes these texts as equal.
    let composed = try self.event([Self.root], "caf\u{E9}")
    #expect(flaw(composed.text.replacing("caf\u{E9}", with: "cafe\u{301}")) == .forged(.wrongID))
  }

  @Test func onlyTheChannelsOwnPostsAreTaken() throws {
    let stranger = SecretKey.random()
    #expect(flaw(try event(by: stranger)) == .otherAuthor)
    #expect(flaw(try event().text.replacing(Samples.owner, with: Samples.alice)) == .otherAuthor)
    for kind in [0, 1, 7, 9, 40, 41, 9005] { #expect(flaw(try event(kind: kind)) == .otherKind(kind)) }
    let elsewhere = ["e", Samples.postID, "", "root"]
    #expect(flaw(try event([elsewhere])) == .otherChannel)
    #expect(flaw(try event([Self.root, elsewhere])) == .severalRoots)
    #expect(flaw(try event([])) == .noRoot)
    #expect(flaw(try event([["e", Samples.channelID]])) == .noRoot, "the mark counts, and not the place")
    #expect(flaw(try event([["e", Samples.channelID, "", "reply"]])) == .noRoot)
    #expect(flaw(try event([Self.root, ["h", "club"]])) == .ofGroup)
  }

  @Test func datesAreThoseOfPosts() throws {
    #expect(flaw(try event(at: Self.now + SignedEvent.aheadMax)) == nil)
    #expect(flaw(try event(at: Self.now + SignedEvent.aheadMax + 1)) == .tooFarAhead)
    #expect(flaw(try event(at: .max)) == .tooFarAhead)
    #expect(flaw(try event(at: 0)) == nil)
    #expect(flaw(try event(at: -1)) == .beforeTheEpoch)
    #expect(flaw(try event(at: .min)) == .beforeTheEpoch)
    #expect(flaw(try event([Self.root, ["expiration", "1"]])) == .expires)
  }

  @Test func textsThatHarmAreRefused() throws {
    #expect(flaw(try event([Self.root], "my key is \(Samples.Link.secret)")) == .secretKey)
    #expect(flaw(try event([Self.root, ["t", Samples.Link.secret]])) == .secretKey)
    #expect(flaw(try foreign([Self.root], "bell \u{7}")) == .controlCharacter)
    #expect(flaw(try foreign([Self.root, ["t", "a\u{1B}[2J"]])) == .controlCharacter)
    for flaw in [AdoptionFlaw.secretKey, .controlCharacter, .otherKind(1), .deletes(3), .tooFarAhead] {
      #expect(!flaw.description.contains(Samples.Link.secret) && NostrEvent.isSignable(flaw.description))
    }
  }

  @Test func deletionNamesOnePostAndNeverTheChannel() throws {
    func deletion(_ tags: [[String]]) throws -> NostrEvent { try event(kind: 5, tags, "") }
    for id in [Samples.channelID, Samples.editionID, Samples.earlierID] {
      #expect(flaw(try deletion([["e", id]])) == .channelItself)
      #expect(flaw(try deletion([["e", Samples.postID], ["e", id]])) == .channelItself)
    }
    #expect(flaw(try deletion([["e", Samples.postID], ["a", "30023:\(Samples.owner):x"]])) == .deletesAddress)
    #expect(flaw(try deletion([["e", Samples.postID], ["expiration", "1"]])) == .expires)
    #expect(flaw(try deletion([])) == .deletes(0))
    #expect(flaw(try deletion([["k", "42"]])) == .deletes(0))
    #expect(flaw(try deletion([["e", Samples.postID], ["e", Samples.quotedID]])) == .deletes(2))
    #expect(flaw(try deletion([["e", Samples.postID], ["e", Samples.postID]])) == nil, "one post, named twice")
    #expect(flaw(try deletion([["e", "nothing"]])) == .malformedTarget)
    #expect(flaw(try deletion([["e", Samples.postID], ["h", "club"]])) == .ofGroup)
  }

  // MARK: - Through the network

  private func withBench(_ body: (NostrNetwork) throws -> Void) async throws {
    let bench = try NetworkBench(identity: key, now: { Self.now })
    try body(bench.network)
    await bench.end()
  }

  @Test func whatWasPublishedLeavesAndComesBackUnchanged() async throws {
    try await withBench { network in
      let document = try network.compose(PostDraft(text: "news"), in: Samples.channel, at: [])
      let text = try #require(network.signedText(of: document))
      #expect(text == document.text && !text.contains("\n"))
      guard case .post(let post) = try network.signed(text, in: Samples.channel) else {
        Issue.record("it is a post")
        return
      }
      #expect(post.document == document)
      let deletion = try network.composeDeletion(of: document, in: Samples.channel, reason: "")
      #expect(try network.signed(deletion.text, in: Samples.channel) == .deletion(deletion, of: document.networkID))
    }
  }

  @Test func whatIsRefusedSaysWhy() async throws {
    try await withBench { network in
      #expect(throws: PostFailure.refused(PostRefusal(.document, AdoptionFlaw.otherKind(1).description))) {
        try network.signed(try event(kind: 1).text, in: Samples.channel)
      }
      #expect {
        try network.signed(try event(kind: 9, [["h", "club"]]).text, in: Samples.group)
      } throws: { error in
        if case PostFailure.unsupported = error { true } else { false }
      }
    }
  }

  /// An event that is adopted in the second in which an equal post is composed would be the same event.
  @Test func equalPostThatIsComposedLaterIsAnotherEvent() async throws {
    try await withBench { network in
      let equal = try Samples.message(PostDraft(text: "news"), at: []).signed(by: key, createdAt: Self.now)
      _ = try network.signed(equal.text, in: Samples.channel)
      let composed = try network.compose(PostDraft(text: "news"), in: Samples.channel, at: [])
      #expect(composed.networkID != equal.id)
    }
  }

  @Test func onlyEventsAreExported() async throws {
    try await withBench { network in
      let event = try event()
      func exported(_ text: String, as id: String = event.id) -> String? {
        network.signedText(of: PostDocument(networkID: id, author: Samples.owner, text: text))
      }
      #expect(exported(event.text) == event.text)
      #expect(exported("") == nil && exported("{}") == nil)
      #expect(exported(event.text, as: Samples.postID) == nil)
      #expect(exported(event.text.replacing(event.signature, with: "")) == nil, "it is signed again for each attempt")
    }
  }
}
