import Foundation
import RelayNetwork
import StrictJSON
import TestTools
import Testing

@testable import Nostr

/// Our posts in the eyes of two libraries of different authorship, nostr-sdk and aionostr. Made by `scripts/venv`.
@Suite(.timeLimit(.minutes(10)))
struct PostReadersTests {
  private typealias Samples = PostSamples

  /// Has `Tests/EndToEnd/python/read_posts.py` read these events.
  /// - Returns: the exit status, and the lines that it printed.
  private func read(_ events: [NostrEvent]) async throws -> (status: Int32, lines: [String]) {
    let folder = try TemporaryFolder()
    let file = folder.path + "/events.jsonl"
    try events.map { $0.text + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
    return try await Program.run(
      Program.repository + "/.build/venv/bin/python3",
      ["-B", Program.repository + "/Tests/EndToEnd/python/read_posts.py", file])
  }

  /// Signs these, has them read, and compares.
  private func expect(_ expected: [(NostrPost, String)]) async throws {
    let key = try Samples.key()
    let events = try expected.map { try $0.0.signed(by: key, createdAt: 1_700_000_000) }
    let (status, lines) = try await read(events)
    try #require(status == 0 && lines.count == expected.count, "\(lines.suffix(5))")
    for (line, (_, meant)) in zip(lines, expected) {
      #expect(try JSONParser.parse(Samples.named(line)) == JSONParser.parse(meant), "\(Samples.named(line))")
    }
  }

  private static let file = PostDraft.Attachment(
    url: "https://f.example/a.jpg", sha256: String(repeating: "ab", count: 32), mimeType: "image/jpeg", sizeBytes: 1_234,
    dimensions: .init(width: 640, height: 480), altText: "a bridge", fallbacks: ["https://g.example/a.jpg"])

  @Test func postsInChannelsMeanWhatTheyAreMeantTo() async throws {
    let odd = "plain \"quoted\" \\ / \t\n é \u{2028} 👩‍👩‍👧 </b>"
    let full = PostDraft(
      text: "yes :soap: \(Samples.Link.bob)", replyTo: Samples.post, quotes: [Samples.quoted], mentions: [Samples.carol],
      contentWarning: "war", hashtags: ["Köln"], emoji: ["soap": "https://e.example/s.png"], attachments: [Self.file])
    let hash = String(repeating: "ab", count: 32)
    try await expect([
      (
        try Samples.message(PostDraft(text: odd)),
        JSONValue.object([
          "kind": 42, "author": "OWNER", "root": ["CHANNEL", "wss://a.example"], "text": .string(odd),
        ]).text
      ),
      (
        try Samples.message(full),
        #"""
        {"kind":42,"author":"OWNER","root":["CHANNEL","wss://a.example"],"reply":["POST","wss://a.example","ALICE"],
        "quotes":[["QUOTED","wss://b.example","BOB"]],"links":[["QUOTED","BOB",null,["wss://b.example"]]],
        "people":["BOB"],"mentions":["ALICE","BOB","CAROL"],"hashtags":["köln"],"warnings":[["war"]],
        "emoji":{"soap":"https://e.example/s.png"},"files":[{"url":"https://f.example/a.jpg","m":"image/jpeg",
        """# + #""x":"\#(hash)","size":"1234","dim":"640x480","alt":"a bridge","fallback":["https://g.example/a.jpg"]}],"#
          + #""text":"yes :soap: BOB-LINK\nQUOTED-LINK\nhttps://f.example/a.jpg"}"#
      ),
    ])
  }

  @Test func postsInGroupsMeanWhatTheyAreMeantTo() async throws {
    let attempt = NostrPost.Attempt(clientID: "x7")
    try await expect([
      (
        try Samples.groupMessage(PostDraft(text: "hi"), attempt: attempt),
        #"{"kind":9,"author":"OWNER","group":"club","text":"hi"}"#
      ),
      (
        try Samples.groupMessage(
          PostDraft(text: "yes", replyTo: Samples.groupPost, mentions: [Samples.carol]), attempt: attempt),
        #"""
        {"kind":9,"author":"OWNER","group":"club","quotes":[["POST","wss://a.example","ALICE"]],"mentions":["ALICE","CAROL"],
        "links":[["POST","ALICE",9,["wss://a.example","wss://b.example"]]],"text":"POST-LINK\nyes"}
        """#
      ),
    ])
  }

  @Test func deletionsAndReactionsMeanWhatTheyAreMeantTo() async throws {
    let posts = [NostrPost.Published(id: Samples.postID, kind: 42), NostrPost.Published(id: Samples.quotedID, kind: 7)]
    let inGroup = [NostrPost.Published(id: Samples.postID, kind: 9)]
    let soap = NostrPost.Reaction.custom(shortcode: "soap", url: "https://e.example/s.png")
    let owner = Samples.owner
    try await expect([
      (
        try .deletion(of: posts, in: Samples.channel, reason: "wrong", by: owner),
        #"{"kind":5,"author":"OWNER","deletes":["POST","QUOTED"],"kinds":[7,42],"reason":"wrong"}"#
      ),
      (
        try .deletion(of: inGroup, in: Samples.group, by: owner),
        #"{"kind":5,"author":"OWNER","group":"club","deletes":["POST"],"kinds":[9],"reason":""}"#
      ),
      (
        try .adminDeletion(of: inGroup, in: Samples.group, by: owner),
        #"{"kind":9005,"author":"OWNER","group":"club","deletes":["POST"],"kinds":[],"reason":""}"#
      ),
      (
        try .reaction(.emoji("👍"), to: Samples.post, in: Samples.channel, by: owner),
        #"{"kind":7,"author":"OWNER","to":["POST","wss://a.example","ALICE"],"kinds":[42],"mentions":["ALICE"],"text":"👍"}"#
      ),
      (
        try .reaction(soap, to: Samples.groupPost, in: Samples.group, by: owner),
        #"""
        {"kind":7,"author":"OWNER","group":"club","to":["POST","wss://a.example","ALICE"],"kinds":[9],"mentions":["ALICE"],
        "emoji":{"soap":"https://e.example/s.png"},"text":":soap:"}
        """#
      ),
    ])
  }

  /// The reader does refuse: its rules are not empty.
  @Test func readersRefuseWhatBreaksARule() async throws {
    let key = try Samples.key()
    let root = ["e", Samples.channelID, "", "root"]
    let broken: [[[String]]] = [
      [], [["e", Samples.channelID, ""]], [root, root], [root, ["q", Samples.quotedID, "", Samples.bob]],
      [root, ["imeta", "url https://f.example/a", "m image/png"]], [root, ["h", "club"]],
    ]
    for tags in broken {
      let post = NostrPost(author: Samples.owner, kind: 42, tags: tags, content: "hi")
      #expect(try await read([post.signed(by: key, createdAt: 1)]).status == 1, "\(tags)")
    }
    let event = try Samples.message(PostDraft(text: "hi")).signed(by: key, createdAt: 1)
    let forged = NostrEvent(
      id: event.id, publicKey: event.publicKey, createdAt: 2, kind: 42, tags: event.tags, content: event.content,
      signature: event.signature)
    #expect(try await read([event, forged]).status == 1)
  }
}
