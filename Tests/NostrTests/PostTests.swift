import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// The form of posts: each tag rule with the JSON that it leads to.
struct PostTests {
  private typealias Samples = PostSamples
  private typealias Link = PostSamples.Link

  private static let root = #"["e","CHANNEL","wss://a.example","root"]"#

  // MARK: - Channels

  @Test func postNamesItsChannelOnceAsTheRoot() throws {
    let draft = PostDraft(text: "hello")
    #expect(Samples.shown(try Samples.message(draft)) == "[42,[\(Self.root)],\"hello\"]")
    #expect(Samples.shown(try Samples.message(draft, at: [])) == #"[42,[["e","CHANNEL","","root"]],"hello"]"#)
    // What is no address of a relay is no hint.
    #expect(Samples.shown(try Samples.message(draft, at: ["a.example", "wss://a.example"])) == "[42,[\(Self.root)],\"hello\"]")
  }

  @Test func replyNamesItsParentAndEverybodyConcernedOnce() throws {
    var parent = Samples.post
    let reply = #"["e","POST","wss://a.example","reply","ALICE"]"#
    parent.participants = [Samples.bob, Samples.owner, Samples.alice, Samples.bob, "junk", Samples.bob.uppercased()]
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "yes", replyTo: parent)))
        == #"[42,[\#(Self.root),\#(reply),["p","ALICE"],["p","BOB"]],"yes"]"#)
    // Where the parent was not read back there is no hint, and no one mentions themselves.
    parent = PostReference(networkID: Samples.postID, author: Samples.owner, participants: [Samples.owner])
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "yes", replyTo: parent)))
        == #"[42,[\#(Self.root),["e","POST","","reply","OWNER"]],"yes"]"#)
  }

  @Test func parentOfAStrangerCannotMakeAReplyTooLong() throws {
    var parent = Samples.post
    parent.participants = (0..<5_000).map(Samples.key(number:))
    let post = try Samples.message(PostDraft(text: "yes", replyTo: parent))
    #expect(post.tags.count == 3 + PostReference.participantsMax)
  }

  @Test func namesThatAParentRepeatsTakeNoPlaceOfOthers() throws {
    var parent = Samples.post
    parent.participants = Array(repeating: Samples.carol, count: 100) + [Samples.alice, Samples.bob]
    let post = try Samples.message(PostDraft(text: "yes", replyTo: parent))
    #expect(post.tags.suffix(3) == [["p", Samples.alice], ["p", Samples.carol], ["p", Samples.bob]])
  }

  @Test func quotesAreLinkedUnlessTheTextLinksThem() throws {
    let quote = #"["q","QUOTED","wss://b.example","BOB"]"#
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "look", quotes: [Samples.quoted, Samples.quoted])))
        == #"[42,[\#(Self.root),\#(quote)],"look\nQUOTED-LINK"]"#)
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "\(Link.quoted): look", quotes: [Samples.quoted])))
        == #"[42,[\#(Self.root),\#(quote)],"QUOTED-LINK: look"]"#)
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "", quotes: [Samples.quoted])))
        == #"[42,[\#(Self.root),\#(quote)],"QUOTED-LINK"]"#)
    // The text of a link counts only behind its scheme (NIP-27).
    let bare = String(Link.linkedOfBob.dropFirst(6))
    #expect(Samples.shown(try Samples.message(PostDraft(text: bare))) == "[42,[\(Self.root)],\"\(bare)\"]")
  }

  @Test func postsThatTheTextLinksAreQuotedWithoutHint() throws {
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "\(Link.linkedOfBob) (\(Link.linked))")))
        == #"[42,[\#(Self.root),["q","LINKED","","BOB"]],"LINKED-BOB (LINKED-NOTE)"]"#)
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: Link.linked)))
        == #"[42,[\#(Self.root),["q","LINKED"]],"LINKED-NOTE"]"#)
  }

  @Test func peopleAreMentionedHoweverTheyAreWritten() throws {
    let mentions = [Samples.alice.uppercased(), String(Link.bob.dropFirst(6)), Link.bobWithRelay, Samples.owner]
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "hi \(Link.carol), hi", mentions: mentions)))
        == #"[42,[\#(Self.root),["p","ALICE"],["p","BOB"],["p","CAROL"]],"hi CAROL-LINK, hi"]"#)
    // Only the second of two links without a gap has a beginning and an end.
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "\(Link.bobWithRelay)\(Link.carol)")))
        == #"[42,[\#(Self.root),["p","CAROL"]],"BOB-PROFILECAROL-LINK"]"#)
  }

  @Test func linksCountAsMentionsAndQuotes() throws {
    let (mentionsMax, quotesMax) = (PostDraft.mentionsMax, PostDraft.quotesMax)
    let people = (0..<mentionsMax).map { "nostr:" + NIP19.npub(publicKey: Samples.key(number: $0)).text }
    let posts = (0..<quotesMax).map { "nostr:" + NIP19.note(id: Samples.key(number: $0)).text }
    var draft = PostDraft(text: (people + posts).joined(separator: " "), mentions: people)
    #expect(try Samples.message(draft).tags.count == 1 + mentionsMax + quotesMax)
    draft.mentions = [Samples.alice]
    let crowd = PostRefusal(
      .text, "with the links in its text the post mentions 51 people, at most 50 are allowed. Remove links")
    #expect(throws: crowd) { try Samples.message(draft) }
    (draft.mentions, draft.quotes) = ([], [Samples.quoted])
    let pile = PostRefusal(.text, "with the links in its text the post quotes 21 posts, at most 20 are allowed. Remove links")
    #expect(throws: pile) { try Samples.message(draft) }
  }

  // MARK: - The same everywhere

  @Test func hashtagsWarningsAndEmojiAreTags() throws {
    let draft = PostDraft(
      text: ":b: :a:", contentWarning: "war", hashtags: ["News", "KÖLN", "news"],
      emoji: ["b": "https://e.example/b.png", "a": "https://e.example/a.png"])
    let emoji = #"["emoji","a","https://e.example/a.png"],["emoji","b","https://e.example/b.png"]"#
    #expect(
      Samples.shown(try Samples.message(draft))
        == #"[42,[\#(Self.root),["t","news"],["t","köln"],["content-warning","war"],\#(emoji)],":b: :a:"]"#)
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "a", contentWarning: "")))
        == #"[42,[\#(Self.root),["content-warning"]],"a"]"#)
  }

  @Test func filesAreDescribedAndTheirAddressesStandInTheText() throws {
    let file = PostDraft.Attachment(
      url: "https://f.example/a.jpg", sha256: String(repeating: "AB", count: 32), mimeType: "image/JPEG", sizeBytes: 1_234,
      dimensions: .init(width: 640, height: 480), altText: "a bridge", blurhash: "LEHV6nWB2yk8",
      fallbacks: ["https://g.example/a.jpg", "https://h.example/a.jpg"])
    let hash = String(repeating: "ab", count: 32)
    let imeta =
      #"["imeta","url https://f.example/a.jpg","m image/jpeg","x \#(hash)","size 1234","dim 640x480","alt a bridge","#
      + #""blurhash LEHV6nWB2yk8","fallback https://g.example/a.jpg","fallback https://h.example/a.jpg"]"#
    let bare = PostDraft.Attachment(url: "https://f.example/b", altText: "")
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "see\n", attachments: [file, bare])))
        == #"[42,[\#(Self.root),\#(imeta)],"see\nhttps://f.example/a.jpg\nhttps://f.example/b"]"#)
    #expect(
      Samples.shown(try Samples.message(PostDraft(text: "https://f.example/a.jpg, see", attachments: [file])))
        == #"[42,[\#(Self.root),\#(imeta)],"https://f.example/a.jpg, see"]"#)
  }

  @Test(arguments: [
    ("https://f.example/a", true), ("see https://f.example/a.", true), ("(https://f.example/a)!", true),
    ("https://f.example/a\u{3000}b", true), ("https://f.example/ab https://f.example/a", true), ("", false),
    ("https://f.example/ab", false), ("https://f.example/a/", false), ("https://f.example/a.jpg", false),
    ("https://f.example/a\u{301}", false), ("https://f.example/a?b", false), ("https://f.example/A", false),
  ])
  func longerAddressIsAnotherOne(_ text: String, _ isThere: Bool) {
    #expect(PostLinks.holds(text, url: "https://f.example/a") == isThere)
  }

  /// The time limit is for a search that looks at all that follows, for each of the addresses.
  @Test(.timeLimit(.minutes(10))) func addressesInOneLongWordAreFound() {
    let address = "http://a"
    let word = String(repeating: address, count: 1 << 16)
    #expect(!PostLinks.holds(word + "/", url: address) && PostLinks.holds(word, url: address))
  }

  // MARK: - Groups

  @Test func groupTakesPostsByItsNameAndRepliesAsQuotes() throws {
    #expect(Samples.shown(try Samples.groupMessage(PostDraft(text: "hello"))) == #"[9,[["h","club"]],"hello"]"#)
    #expect(
      Samples.shown(try Samples.groupMessage(PostDraft(text: "yes", replyTo: Samples.groupPost, mentions: [Samples.carol])))
        == #"[9,[["h","club"],["q","POST","wss://a.example","ALICE"],["p","ALICE"],["p","CAROL"]],"POST-LINK\nyes"]"#)
    #expect(
      Samples.shown(
        try Samples.groupMessage(
          PostDraft(text: "both", replyTo: Samples.groupPost, quotes: [Samples.groupPost, Samples.quoted])))
        == #"[9,[["h","club"],["q","POST","wss://a.example","ALICE"],["q","QUOTED","wss://b.example","BOB"],["p","ALICE"]],"#
        + #""POST-LINK\nboth\nQUOTED-LINK"]"#)
    #expect(
      Samples.shown(try Samples.groupMessage(PostDraft(text: "to \(Link.post)", replyTo: Samples.groupPost)))
        == #"[9,[["h","club"],["q","POST","wss://a.example","ALICE"],["p","ALICE"]],"to POST-LINK"]"#)
  }

  @Test func linkToAParentNamesItsKindIfThatIsKnown() throws {
    for kind in [1111, nil] {
      var parent = Samples.groupPost
      parent.kind = kind
      let post = try Samples.groupMessage(PostDraft(text: "yes", replyTo: parent))
      let link = try NIP19(String(post.content.dropFirst("nostr:".count).prefix { $0 != "\n" }))
      #expect(
        link
          == .nevent(
            id: parent.networkID, relays: parent.relays, author: parent.author, kind: kind.flatMap(UInt32.init(exactly:))))
    }
  }

  @Test func attemptInAGroupNamesItself() throws {
    let attempt = NostrPost.Attempt(clientID: "x7")
    #expect(
      Samples.shown(try Samples.groupMessage(PostDraft(text: "hi", hashtags: ["a"]), attempt: attempt))
        == #"[9,[["h","club"],["t","a"],["client-id","x7"]],"hi"]"#)
    // Channels take the same bytes each time.
    let draft = PostDraft(text: "hi")
    #expect(
      try NostrPost(draft, in: Samples.channel, at: ["wss://a.example"], by: Samples.owner, attempt: attempt)
        == Samples.message(draft))
  }

  // MARK: - Signing

  @Test func sameDraftAndDateGiveTheSameBytesExceptTheSignature() throws {
    func draft() -> PostDraft {
      PostDraft(
        text: "a/b \"c\"\n\té", replyTo: Samples.post, quotes: [Samples.quoted], hashtags: ["b", "a"],
        emoji: Dictionary(uniqueKeysWithValues: (0..<20).map { ("e\($0)", "https://e.example/\($0)") }))
    }
    let key = try Samples.key()
    #expect(key.publicKey == Samples.owner)
    let (first, second) = (try Samples.message(draft()), try Samples.message(draft()))
    let zeros = [UInt8](repeating: 0, count: 32)
    let event = try first.signed(by: key, createdAt: 1_700_000_000, auxiliary: zeros)
    #expect(try second.signed(by: key, createdAt: 1_700_000_000, auxiliary: zeros).text == event.text)
    #expect(try second.signed(by: key, createdAt: 1_700_000_000).id == event.id)
    try event.verify()
    #expect(NostrPost(event) == first && event.createdAt == 1_700_000_000)
    #expect(throws: NetworkFailure.self) { try first.signed(by: .random(), createdAt: 1) }
    let odd = ChannelContent(
      kind: .group, identity: NetworkBench.identityID, networkID: "a\u{0}b", trustAnchor: Samples.carol, document: "{}")
    let post = try NostrPost(PostDraft(text: "hi"), in: odd, by: Samples.owner)
    #expect(throws: NetworkFailure.self) { try post.signed(by: key, createdAt: 1) }
  }

  // MARK: - Refusals

  private static let malformed: [(PostDraft, PostRefusal.Field, String)] = [
    (PostDraft(text: "a\u{0}"), .text, "U+0000"), (PostDraft(text: "my key: \(Link.secret)!"), .text, "secret key"),
    (PostDraft(text: "nostr:\(Link.secret)"), .text, "secret key"),
    (PostDraft(text: Link.secret.uppercased()), .text, "secret key"),
    (PostDraft(text: "N" + Link.secret.dropFirst()), .text, "secret key"),
    (PostDraft(text: "key\(Link.secret)\(Link.secret)n1"), .text, "secret key"),
    (PostDraft(text: "a", contentWarning: Link.secret), .contentWarning, "the warning contains a secret key"),
    (PostDraft(text: "a", hashtags: ["a", Link.secret]), .hashtags, "hashtag 2 contains a secret key"),
    (PostDraft(text: "a", emoji: ["e": "https://e.example/\(Link.secret)"]), .emoji, "'e' contains a secret key"),
    (
      PostDraft(text: "a", attachments: [.init(url: "https://f.example/?key=\(Link.secret)")]), .attachments,
      "the address of attachment 1 contains a secret key"
    ),
    (
      PostDraft(text: "a", attachments: [.init(url: "https://f.example/a", altText: "my \(Link.secret)")]), .attachments,
      "the description of attachment 1 contains a secret key"
    ),
    (
      PostDraft(
        text: "a",
        attachments: [
          .init(url: "https://f.example/a", fallbacks: ["https://g.example/a", "https://h.example/\(Link.secret)"])
        ]), .attachments, "another address of attachment 1 contains a secret key"
    ),
    (PostDraft(text: "a", replyTo: PostReference(networkID: "22", author: Samples.alice)), .replyTo, "64"),
    (PostDraft(text: "a", replyTo: PostReference(networkID: Samples.postID, author: "alice")), .replyTo, "64"),
    (
      PostDraft(text: "a", replyTo: PostReference(networkID: Samples.channelID, author: Samples.owner)), .replyTo,
      "channel itself"
    ),
    (
      PostDraft(text: "a", replyTo: PostReference(networkID: Samples.editionID, author: Samples.owner)), .replyTo,
      "channel itself"
    ),
    (
      PostDraft(text: "a", replyTo: PostReference(networkID: Samples.earlierID, author: Samples.owner)), .replyTo,
      "channel itself"
    ),
    (PostDraft(text: "a", quotes: [Samples.post, PostReference(networkID: "33", author: Samples.bob)]), .quotes, "quote 2"),
    (PostDraft(text: "a", mentions: [Samples.alice, "bob@example.org"]), .mentions, "mention 2"),
    (PostDraft(text: "a", mentions: [Link.secret]), .mentions, "mention 1"),
    (PostDraft(text: "a", mentions: [Link.linked]), .mentions, "mention 1"),
  ]

  @Test func whatOnlyLooksLikeASecretKeyIsAllowed() throws {
    let last = String(Link.secret.dropLast())
    for text in [
      last, last + "p", String(repeating: "nsec1", count: 1_000), "nsec1é" + last,
    ] {
      #expect(try Samples.message(PostDraft(text: text)).content == text)
    }
  }

  @Test(arguments: malformed)
  func whatNostrCannotSayIsRefused(_ draft: PostDraft, _ field: PostRefusal.Field, _ words: String) {
    #expect { try Samples.message(draft) } throws: { error in
      guard let refusal = error as? PostRefusal else { return false }
      return refusal.field == field && refusal.reason.contains(words) && !refusal.reason.contains(Link.secret)
    }
  }
}
