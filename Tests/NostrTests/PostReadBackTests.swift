import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What a relay serves as our post, and the sizes that it says it takes.
struct PostReadBackTests {
  private typealias Samples = PostSamples

  private let key: SecretKey
  private let post: NostrPost
  private let event: NostrEvent

  init() throws {
    key = try Samples.key()
    post = try Samples.message(PostDraft(text: "caf\u{E9}", hashtags: ["news"]))
    event = try post.signed(by: key, createdAt: 1_700_000_000)
  }

  /// The event with other parts, but the same id and signature.
  private func altered(
    id: String? = nil, publicKey: String? = nil, createdAt: Int64? = nil, kind: Int? = nil, tags: [[String]]? = nil,
    content: String? = nil, signature: String? = nil
  ) -> NostrEvent {
    NostrEvent(
      id: id ?? event.id, publicKey: publicKey ?? event.publicKey, createdAt: createdAt ?? event.createdAt,
      kind: kind ?? event.kind, tags: tags ?? event.tags, content: content ?? event.content,
      signature: signature ?? event.signature)
  }

  // MARK: - Reading back

  @Test func eventThatWeSignedIsOurs() throws {
    try post.check(event)
    try post.check(event, signed: event)
    // Signed once more it is the same event with another signature.
    let again = try post.signed(by: key, createdAt: event.createdAt)
    #expect(again.signature != event.signature)
    try post.check(again, signed: event)
    let read = try #require(NostrEvent(json: try JSONParser.parse(event.text)))
    try post.check(read, signed: event)
  }

  @Test func forgedEventIsNot() throws {
    let other = try post.signed(by: key, createdAt: event.createdAt + 1)
    for signed in [nil, event] {
      #expect(throws: ReadBackFlaw.forged(.wrongID)) { try post.check(altered(id: other.id), signed: signed) }
      #expect(throws: ReadBackFlaw.forged(.wrongID)) { try post.check(altered(createdAt: 1), signed: signed) }
      #expect(throws: ReadBackFlaw.forged(.wrongID)) { try post.check(altered(content: "cafe\u{301}"), signed: signed) }
      #expect(throws: ReadBackFlaw.forged(.wrongID)) { try post.check(altered(tags: []), signed: signed) }
      #expect(throws: ReadBackFlaw.forged(.wrongSignature)) {
        try post.check(altered(signature: other.signature), signed: signed)
      }
      #expect(throws: ReadBackFlaw.forged(.malformed)) { try post.check(altered(signature: "00"), signed: signed) }
    }
  }

  @Test func genuineEventThatIsAnotherOneIsNot() throws {
    func served(_ post: NostrPost, by key: SecretKey? = nil, at date: Int64? = nil) throws -> NostrEvent {
      try post.signed(by: key ?? self.key, createdAt: date ?? event.createdAt)
    }
    func changed(author: String? = nil, kind: Int? = nil, tags: [[String]]? = nil, content: String? = nil) -> NostrPost {
      NostrPost(
        author: author ?? post.author, kind: kind ?? post.kind, tags: tags ?? post.tags, content: content ?? post.content)
    }
    let stranger = SecretKey.random()
    let foreign = try served(changed(author: stranger.publicKey), by: stranger)
    #expect(throws: ReadBackFlaw.otherAuthor) { try post.check(foreign) }
    let ofOtherKind = try served(changed(kind: 1))
    #expect(throws: ReadBackFlaw.otherKind) { try post.check(ofOtherKind) }
    let elsewhere = try served(changed(tags: [["e", Samples.postID, "", "root"], ["t", "news"]]))
    #expect(throws: ReadBackFlaw.otherChannel) { try post.check(elsewhere) }
    let nowhere = try served(changed(tags: [["t", "news"]]))
    #expect(throws: ReadBackFlaw.otherChannel) { try post.check(nowhere) }
    let tagged = try served(changed(tags: post.tags + [["t", "more"]]))
    #expect(throws: ReadBackFlaw.otherContent) { try post.check(tagged) }
    // Swift takes these texts as equal; their ids differ.
    let decomposed = try served(changed(content: "cafe\u{301}"))
    #expect(decomposed.content == event.content && decomposed.id != event.id)
    #expect(throws: ReadBackFlaw.otherContent) { try post.check(decomposed) }
    let later = try served(post, at: event.createdAt + 1)
    try post.check(later)
    #expect(throws: ReadBackFlaw.otherEvent) { try post.check(later, signed: event) }
  }

  @Test func attemptInAGroupIsFoundByItsTag() throws {
    let draft = PostDraft(text: "hi")
    let first = try Samples.groupMessage(draft, attempt: .init(clientID: "x7"))
    let served = try first.signed(by: key, createdAt: 5)
    #expect(served.tag(NostrPost.Attempt.clientTag) == "x7")
    try first.check(served)
    let other = try Samples.groupMessage(draft, attempt: .init(clientID: "x8"))
    #expect(throws: ReadBackFlaw.otherContent) { try other.check(served) }
    let elsewhere = try NostrPost(
      author: Samples.owner, kind: 9, tags: [["h", "pub"], ["client-id", "x7"]], content: "hi"
    ).signed(by: key, createdAt: 5)
    #expect(throws: ReadBackFlaw.otherChannel) { try first.check(elsewhere) }
  }

  // MARK: - Sizes

  private func limits(_ limitation: JSONValue) throws -> EventLimits {
    try #require(RelayInformation(json: ["limitation": limitation])).limits
  }

  @Test func bytesAreThoseOfTheMessage() throws {
    let tags = #"[["e","\#(Samples.channelID)","wss://a.example","root"],["t","news"]]"#
    let message =
      #"["EVENT",{"id":"\#(event.id)","pubkey":"\#(Samples.owner)","created_at":1700000000,"kind":42,"tags":\#(tags),"#
      + #""content":"café","sig":"\#(event.signature)"}]"#
    #expect(event.sentBytes == message.utf8.count && ClientMessage.event(event.text) == message)
  }

  @Test func limitThatIsExceededIsNamed() throws {
    let bytes = Int64(event.sentBytes)
    #expect(
      try limits(["max_message_length": .integer(bytes), "max_content_length": 4, "max_event_tags": 2]).excess(of: event) == nil
    )
    let long = EventLimits.Excess(limit: .messageLength, count: Int(bytes), max: Int(bytes) - 1)
    let tight = try limits(["max_message_length": .integer(bytes - 1), "max_content_length": 1])
    #expect(tight.excess(of: event) == long)
    #expect(long.description.contains("max_message_length"))
    #expect(
      try limits(["max_content_length": 3]).excess(of: event) == EventLimits.Excess(limit: .contentLength, count: 4, max: 3))
    #expect(try limits(["max_event_tags": 1]).excess(of: event) == EventLimits.Excess(limit: .eventTags, count: 2, max: 1))
  }

  /// NIP-11 counts characters as Unicode does, and not as readers do.
  @Test func contentIsCountedInCodePoints() throws {
    let family = try Samples.message(PostDraft(text: "👩‍👩‍👧")).signed(by: key, createdAt: 1)
    #expect(try limits(["max_content_length": 5]).excess(of: family) == nil)
    #expect(try limits(["max_content_length": 4]).excess(of: family)?.count == 5)
  }

  @Test(
    arguments: [
      nil, [:], ["max_message_length": 0], ["max_event_tags": -1], ["max_content_length": "1"], ["max_message_length": nil], 7,
    ] as [JSONValue])
  func whatIsNoLimitLimitsNothing(_ limitation: JSONValue) throws {
    #expect(try limits(limitation).bounds.isEmpty)
    #expect(try limits(limitation).excess(of: event) == nil)
  }
}
