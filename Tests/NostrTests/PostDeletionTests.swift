import Channels
import RelayNetwork
import Testing

@testable import Nostr

/// Deletions and reactions: their tags, and what they never name.
struct PostDeletionTests {
  private typealias Samples = PostSamples

  private static let own = [
    NostrPost.Published(id: PostSamples.postID, kind: 42), NostrPost.Published(id: PostSamples.quotedID, kind: 7),
    NostrPost.Published(id: PostSamples.postID, kind: 42),
  ]
  private static let attempt = NostrPost.Attempt(clientID: "x7")

  // MARK: - Deletions

  @Test func deletionNamesPostsAndKinds() throws {
    let deletion = try NostrPost.deletion(
      of: Self.own, in: Samples.channel, reason: "wrong news", by: Samples.owner, attempt: Self.attempt)
    #expect(Samples.shown(deletion) == #"[5,[["e","POST"],["e","QUOTED"],["k","7"],["k","42"]],"wrong news"]"#)
    let inGroup = try NostrPost.deletion(
      of: [NostrPost.Published(id: Samples.postID, kind: 9)], in: Samples.group, by: Samples.owner, attempt: Self.attempt)
    #expect(
      Samples.shown(inGroup)
        == #"[5,[["h","club"],["e","POST"],["k","9"],["client-id","x7"]],""]"#)
  }

  @Test func adminDeletesPostsOfOthersInGroupsOnly() throws {
    let posts = [Samples.postID, Samples.quotedID].map { NostrPost.Published(id: $0, kind: 9) }
    let deletion = try NostrPost.adminDeletion(
      of: posts, in: Samples.group, reason: "spam", by: Samples.owner, attempt: Self.attempt)
    #expect(
      Samples.shown(deletion)
        == #"[9005,[["h","club"],["e","POST"],["e","QUOTED"],["client-id","x7"]],"spam"]"#)
    #expect(throws: DeletionRefusal.notAGroup) {
      try NostrPost.adminDeletion(of: Self.own, in: Samples.channel, by: Samples.owner)
    }
  }

  private static let refused: [([NostrPost.Published], String, DeletionRefusal)] = [
    ([], "", .nothingNamed),
    ([.init(id: PostSamples.channelID, kind: 40)], "", .channelItself(id: PostSamples.channelID)),
    // A kind that is a lie does not help.
    ([.init(id: PostSamples.channelID, kind: 42)], "", .channelItself(id: PostSamples.channelID)),
    ([.init(id: PostSamples.editionID, kind: 42)], "", .channelItself(id: PostSamples.editionID)),
    ([.init(id: PostSamples.earlierID, kind: 42)], "", .channelItself(id: PostSamples.earlierID)),
    (own + [.init(id: PostSamples.channelID, kind: 42)], "", .channelItself(id: PostSamples.channelID)),
    ([.init(id: PostSamples.linkedID, kind: 40)], "", .notAPost(id: PostSamples.linkedID, kind: 40)),
    ([.init(id: PostSamples.linkedID, kind: 41)], "", .notAPost(id: PostSamples.linkedID, kind: 41)),
    ([.init(id: PostSamples.linkedID, kind: 0)], "", .notAPost(id: PostSamples.linkedID, kind: 0)),
    ([.init(id: PostSamples.linkedID, kind: 5)], "", .notAPost(id: PostSamples.linkedID, kind: 5)),
    ([.init(id: PostSamples.linkedID, kind: 9007)], "", .notAPost(id: PostSamples.linkedID, kind: 9007)),
    ([.init(id: PostSamples.linkedID, kind: 39000)], "", .notAPost(id: PostSamples.linkedID, kind: 39000)),
    ([.init(id: PostSamples.editionID.uppercased(), kind: 42)], "", .malformedID),
    ([.init(id: "22", kind: 42)], "", .malformedID),
    (Array(repeating: own[0], count: 101), "", .tooMany(101)), (own, "a\u{0}", .unusableReason),
    (own, String(repeating: "a", count: 501), .unusableReason),
    (own, "leaked:\(PostSamples.Link.secret)", .secretInReason),
  ]

  @Test(arguments: refused)
  func deletionOfWhatIsNoPostIsRefused(_ posts: [NostrPost.Published], _ reason: String, _ refusal: DeletionRefusal) {
    #expect(throws: refusal) { try NostrPost.deletion(of: posts, in: Samples.channel, reason: reason, by: Samples.owner) }
    #expect(!refusal.description.isEmpty)
    // A group consists of events of its relay and of requests. Their kinds tell them from posts.
    if case .channelItself = refusal { return }
    #expect(throws: refusal) { try NostrPost.adminDeletion(of: posts, in: Samples.group, reason: reason, by: Samples.owner) }
  }

  /// Whatever is asked for, nothing that is signed names the channel or one of its editions.
  @Test func noDeletionEverNamesTheChannel() throws {
    var random = SplitMix64(seed: 5)
    func hex() -> String { Hex.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }) }
    let kinds = [42, 42, 42, 42, 42, 42, 7, 7, 9, 11, 1111, 40, 41, 5, 0, 9007]
    var (made, refused) = (0, 0)
    for _ in 0..<3_000 {
      let earlier = (0..<Int.random(in: 0...3, using: &random)).map { _ in hex() }
      let edition = ChannelEdition(networkID: hex(), document: "{}", signedAt: 1, earlier: earlier)
      let channel = ChannelContent(
        identity: NetworkBench.identityID, networkID: hex(), trustAnchor: Samples.owner, document: "{}", edition: 2,
        newestEdition: Bool.random(using: &random) ? edition : nil)
      let own = [channel.networkID] + (channel.newestEdition.map { [$0.networkID] + $0.earlier } ?? [])
      let posts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        let id = Int.random(in: 0..<8, using: &random) == 0 ? own.randomElement(using: &random) ?? "" : hex()
        let isShouted = Int.random(in: 0..<30, using: &random) == 0
        return NostrPost.Published(id: isShouted ? id.uppercased() : id, kind: kinds.randomElement(using: &random) ?? 42)
      }
      let namesChannel = posts.contains { own.contains($0.id.lowercased()) }
      guard let deletion = try? NostrPost.deletion(of: posts, in: channel, by: Samples.owner, attempt: Self.attempt) else {
        refused += 1
        continue
      }
      made += 1
      #expect(!namesChannel)
      let words = deletion.tags.joined().map { $0.lowercased() } + [deletion.content]
      #expect(!words.contains { word in own.contains { word.contains($0) } }, "\(deletion.tags)")
      #expect(deletion.tags.allSatisfy { ["e", "k"].contains($0.first) && $0.count == 2 })
      #expect(Set(deletion.tags.filter { $0.first == "e" }.map { $0[1] }) == Set(posts.map(\.id)))
    }
    #expect(made > 300 && refused > 300)
  }

  // MARK: - Reactions

  @Test func reactionEndsWithItsTarget() throws {
    func react(
      _ reaction: NostrPost.Reaction, to post: PostReference = Samples.post, in channel: ChannelContent = Samples.channel
    ) throws -> String {
      Samples.shown(try NostrPost.reaction(reaction, to: post, in: channel, by: Samples.owner, attempt: Self.attempt))
    }
    let target = #"["e","POST","wss://a.example","ALICE"]"#
    #expect(try react(.like) == #"[7,[["p","ALICE"],["k","42"],\#(target)],"+"]"#)
    #expect(try react(.dislike) == #"[7,[["p","ALICE"],["k","42"],\#(target)],"-"]"#)
    #expect(try react(.emoji("🤙🏽")) == #"[7,[["p","ALICE"],["k","42"],\#(target)],"🤙🏽"]"#)
    #expect(
      try react(.custom(shortcode: "soap", url: "https://e.example/s.png"))
        == #"[7,[["p","ALICE"],["k","42"],["emoji","soap","https://e.example/s.png"],\#(target)],":soap:"]"#)
    #expect(
      try react(.like, to: Samples.groupPost, in: Samples.group)
        == #"[7,[["h","club"],["p","ALICE"],["k","9"],["client-id","x7"],\#(target)],"+"]"#)
    var unseen = Samples.post
    (unseen.kind, unseen.relays) = (nil, [])
    #expect(
      Samples.shown(try NostrPost.reaction(.like, to: unseen, in: Samples.channel, by: Samples.owner))
        == #"[7,[["p","ALICE"],["e","POST","","ALICE"]],"+"]"#)
    // Groups have posts of several kinds: a comment is one too.
    var comment = Samples.groupPost
    comment.kind = 1111
    #expect(
      try react(.like, to: comment, in: Samples.group)
        == #"[7,[["h","club"],["p","ALICE"],["k","1111"],["client-id","x7"],\#(target)],"+"]"#)
  }

  @Test(arguments: ["👍", "❤️", "1️⃣", "🇪🇺", "👩‍👩‍👧‍👦"])
  func emojiAreEmoji(_ text: String) throws {
    let reaction = try NostrPost.reaction(.emoji(text), to: Samples.post, in: Samples.channel, by: Samples.owner)
    #expect(reaction.content == text)
  }

  @Test(
    arguments: [
      .emoji(""), .emoji("1"), .emoji("a"), .emoji("👍👍"), .emoji("é"), .emoji("+"), .emoji(" "),
      .emoji("1\u{301}"), .emoji("#\u{FE0F}"),
      .custom(shortcode: "a b", url: "https://e.example/s.png"), .custom(shortcode: "soap", url: "s.png"),
      .custom(shortcode: "soap", url: "https://e.example/\(PostSamples.Link.secret)"),
    ] as [NostrPost.Reaction])
  func whatIsNoReactionIsRefused(_ reaction: NostrPost.Reaction) {
    #expect { try NostrPost.reaction(reaction, to: Samples.post, in: Samples.channel, by: Samples.owner) } throws: {
      ($0 as? PostRefusal)?.field == .reaction
    }
  }

  @Test(arguments: [PostSamples.channelID, PostSamples.editionID, PostSamples.earlierID, "22"])
  func onlyPostsAreReactedTo(_ id: String) {
    let target = PostReference(networkID: id, author: Samples.owner)
    #expect { try NostrPost.reaction(.like, to: target, in: Samples.channel, by: Samples.owner) } throws: {
      ($0 as? PostRefusal)?.field == .reaction
    }
  }
}
