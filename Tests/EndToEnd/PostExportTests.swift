import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// What leaves Baton as signed events, and comes in again, with independent relays and readers.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PostExportTests {
  private static let everywhere = ["r1", "r2", "r3"]

  private func events(_ lines: [String]) throws -> [JSONValue] { try lines.map { try JSONParser.parse($0) } }

  /// A state of before the posts is restored, and gets them back from the export.
  @Test func exportBringsBackWhatTheDatabaseLost() async throws {
    let relays = try await PostRelays()
    let baton = try Installation()
    var daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: Self.everywhere)
    let (copy, file) = (baton.folder.path + "/copy.db", baton.folder.path + "/posts.jsonl")
    #expect(try await baton.control("backup", copy).status == 0)

    try await baton.publish("The bridge is \"open\".\nSee you – soon…")
    try await baton.publish("Since when?", ["replyTo": 1])
    try await baton.publish("wrong")
    try await baton.publish("right")
    _ = try await baton.posts { posts in posts.count == 4 && posts.values.allSatisfy(\.isPublished) }
    #expect(try await baton.control("post", "News", "later", "--at", "+1d").status == 0)
    #expect(try await baton.control("post", "delete", "3").status == 0)
    let gone = ["r1": "deleted", "r2": "deleted", "r3": "stillServed"]
    let before = try await baton.posts { $0[3]?.statuses == gone }

    let exported = try await baton.control("post", "export", "News", "--output", file)
    #expect(exported.status == 0 && exported.lines == ["3 posts and 1 deletion exported"], "\(exported.lines)")
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    // On standard output it is the same, in either form, and a file that is there is left alone.
    for form in [[], ["--json"]] {
      let printed = try await baton.control(["post", "export", "News", "--quiet"] + form)
      #expect(printed.lines == lines, "\(printed.lines)")
    }
    let refused = try await baton.control("post", "export", "News", "--output", file)
    #expect(refused.status == 64 && refused.lines.last?.contains("File exists") == true, "\(refused.lines)")
    #expect(try await baton.control("post", "export", "News", "--after", "3", "--quiet").lines == lines.suffix(1))

    // Independent libraries read each line, and each is what relays serve.
    let found = try events(lines)
    let meaning = try await baton.meaning(of: found)
    #expect(meaning.count == 4 && found.map { $0["kind"] } == [42, 42, 5, 42])
    #expect(meaning[found[2]["id"]?.string ?? ""]?["deletes"] == [before[3]?["networkId"] ?? .null])
    let served = try await baton.posts(of: channel, at: relays.urls[0])
    for event in found where event["kind"] == 42 { #expect(served.contains(event), "\(event)") }

    // Here they are known.
    let known = try await baton.control("post", "import", "News", file)
    #expect(
      known.status == 0 && known.lines == ["offered    4", "accepted   0", "duplicate  4", "refused    0"], "\(known.lines)")

    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    let state = baton.folder.path + "/state"
    #expect(try await Program.run("batond", ["restore", "--state-dir", state, copy]).status == 0)
    daemon = try await baton.start()
    #expect(try await baton.control("post", "list", "--deleted").lines.first?.hasPrefix("No posts") == true)
    // What was deleted is not known, so there is nothing to delete.
    for (accepted, duplicate) in [("3", "0"), ("0", "3")] {
      let result = try await baton.control("post", "import", "News", file)
      let counts = ["offered    4", "accepted   \(accepted)", "duplicate  \(duplicate)", "refused    1"]
      #expect(result.status == 1 && Array(result.lines.prefix(4)) == counts, "\(result.lines)")
      #expect(result.lines.last?.contains("line 3: ") == true && result.lines.last?.contains("that Baton knows") == true)
    }
    let after = try await baton.posts { posts in posts.count == 3 && posts.values.allSatisfy(\.isPublished) }
    let ids = after.keys.sorted()
    for (id, old) in zip(ids, [Int64(1), 2, 4]) {
      for field in ["networkId", "author", "text"] { #expect(after[id]?[field] == before[old]?[field], "\(field) of \(old)") }
      let event = try #require(found.first { $0["id"] == after[id]?["networkId"] })
      let seconds = try #require(event["created_at"]?.integer)
      #expect(after[id]?["createdAt"]?.string == RFC3339.text(milliseconds: seconds * 1_000))
    }
    #expect(after[ids[1]]?["replyTo"] == .integer(ids[0]), "it answers the post as it is known now")
    // Each relay has each post once, and the deleted one has not come back where it was gone.
    for relay in relays.urls.prefix(2) {
      let texts = try await baton.posts(of: channel, at: relay).compactMap { $0["id"]?.string }
      #expect(texts.sorted() == after.values.compactMap { $0["networkId"]?.string }.sorted(), "\(relay)")
    }
    // And they leave as they came.
    let again = try await baton.control("post", "export", "News", "--quiet")
    #expect(again.lines == [lines[0], lines[1], lines[3]], "\(again.lines)")
    await relays.stop(daemon)
  }

  @Test func onlyTheChannelsOwnEventsAreImported() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(try await sandbox.sandboxRelays(1))
    for name in ["News", "Sports"] {
      #expect(try await baton.control("channel", "create", name, "--quiet").status == 0)
    }
    try await baton.publish("mine", in: 1)
    try await baton.publish("elsewhere", in: 2)
    _ = try await baton.posts { posts in posts.count == 2 && posts.values.allSatisfy(\.isPublished) }
    func exported(_ channel: String) async throws -> String {
      try #require(try await baton.control("post", "export", channel, "--quiet").lines.first)
    }
    let (mine, elsewhere) = (try await exported("News"), try await exported("Sports"))
    let file = baton.folder.path + "/events.jsonl"
    let deep = #"{"sig":\#(String(repeating: "[", count: 1_000))"#
    let huge = #"{"sig":"\#(String(repeating: "0", count: 300_000))"}"#
    let lines = [
      elsewhere, mine.replacing("mine", with: "forged"), mine.replacing(#""kind":42"#, with: #""kind":"42""#),
      mine.replacing(#""kind":42"#, with: #""kind":42,"kind":42"#), deep, huge, mine, #"{"text":"new"}"#,
    ]
    try lines.map { $0 + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
    let result = try await baton.control("post", "import", "News", file)
    #expect(result.status == 1, "\(result.lines)")
    #expect(
      Array(result.lines.prefix(4)) == ["offered    8", "accepted   1", "duplicate  1", "refused    6"], "\(result.lines)")
    let reasons = [
      "another key than the channel's", "not the hash", "NIP-01", "same key twice", "nested too deeply",
      "more than 262144 bytes",
    ]
    for (line, reason) in zip(result.lines.dropFirst(4), reasons) { #expect(line.contains(reason), "\(line)") }
    #expect(try await baton.client().posts.list().posts.map(\.text) == ["new", "elsewhere", "mine"])
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
