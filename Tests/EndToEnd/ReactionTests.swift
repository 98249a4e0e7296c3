import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Reactions on independent relays, read by independent clients.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ReactionTests {
  private static let picture = "https://files.example/soap.png"

  /// The reactions to an event that a relay serves, as an independent anonymous reader gets them.
  private func reactions(to id: String, _ baton: Installation, at relay: String) async throws -> [JSONValue] {
    try await baton.events(at: relay, ["kinds": [7], "#e": [.string(id)]])
  }

  @Test func everyReactionIsOnEveryRelayOnceWithTheTagsThatReadersNeed() async throws {
    let relays = try await PostRelays()
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    _ = try await baton.createChannel("News", relays: ["r1", "r2", "r3"])
    #expect(try await baton.control("post", "News", "The bridge is open.", "--wait", "all").status == 0)
    let target = try await baton.post(1, until: \.isPublished)
    let (id, author) = (try #require(target["networkId"]?.string), try #require(target["author"]?.string))

    for (number, reaction) in [(2, ["+"]), (3, ["👍"]), (4, [":soap:", "--emoji-url", Self.picture])] as [(Int64, [String])] {
      let made = try await baton.control(["post", "react", "1"] + reaction + ["--wait", "all", "--json"])
      let post = try JSONParser.parse(made.lines.last ?? "")
      #expect(made.status == 0 && post["id"] == .integer(number) && post["reactionTo"] == 1, "\(made.lines)")
    }
    let again = try await baton.control("post", "react", "1", "+", "--wait", "none", "--json")
    #expect(try again.status == 0 && JSONParser.parse(again.lines.last ?? "")["id"] == 2, "\(again.lines)")

    for relay in relays.urls {
      let events = try await reactions(to: id, baton, at: relay)
      #expect(events.compactMap { $0["content"]?.string }.sorted() == ["+", ":soap:", "👍"], "\(relay)")
      for reaction in try await baton.meaning(of: events).values {
        // Readers are sent where the post was read back.
        let about = reaction["to"]?.array ?? []
        #expect(about.first?.string == id && about.last?.string == author, "\(reaction)")
        #expect(about.count == 3 && relays.urls.contains(about[1].string ?? ""), "\(reaction)")
        #expect(reaction["author"]?.string == author && reaction["mentions"] == [.string(author)], "\(reaction)")
        #expect(reaction["kind"] == 7 && reaction["kinds"] == [42] && reaction["group"] == nil, "\(reaction)")
        #expect((reaction["emoji"] == ["soap": .string(Self.picture)]) == (reaction["text"] == ":soap:"), "\(reaction)")
      }
    }
    #expect(try await baton.control("post", "list", "-o", "name").lines == ["id:1"])
    #expect(try await baton.control("post", "list", "--reactions-to", "1", "-o", "name").lines == ["id:4", "id:3", "id:2"])
    let shown = try await baton.control("post", "show", "1")
    #expect(shown.lines.contains("reactions + 👍 :soap:"), "\(shown.lines)")

    // Taken back, and made again as another event.
    #expect(try await baton.control("post", "delete", "2").status == 0)
    let gone = try await baton.post(2) { $0.statuses == ["r1": "deleted", "r2": "deleted", "r3": "stillServed"] }
    for relay in relays.urls.prefix(2) {
      let texts = try await reactions(to: id, baton, at: relay).compactMap { $0["content"]?.string }
      #expect(texts.sorted() == [":soap:", "👍"], "\(relay)")
    }
    #expect(try await baton.control("post", "react", "1", "+", "--wait", "all").status == 0)
    let second = try await baton.post(5, until: \.isPublished)
    #expect(second["networkId"] != gone["networkId"] && second["reactionTo"] == 1)
    await relays.stop(daemon)
  }

  @Test func whatCannotBeDoneIsRefusedByName() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(try await sandbox.sandboxRelays(1))
    #expect(try await baton.control("channel", "create", "News", "--relay", "r1", "--quiet").status == 0)
    #expect(try await baton.control("post", "News", "The bridge is open.").status == 0)
    #expect(try await baton.control("post", "react", "1", "-").status == 0)
    for (arguments, name) in [
      (["react", "1", "no emoji"], "InvalidPost"), (["react", "2", "+"], "InvalidPost"), (["react", "9", "+"], "NoSuchPost"),
      (["edit", "2", "+"], "InvalidPost"), (["News", "yes", "--reply-to", "2"], "InvalidPost"), (["pin", "1"], "NotSupported"),
      (["unpin", "1"], "NotSupported"), (["pin", "9"], "NoSuchPost"),
    ] as [([String], String)] {
      let result = try await baton.control(["post"] + arguments + ["--json"])
      let error = try JSONParser.parse(result.lines.last ?? "")["error"]
      #expect(result.status == 1 && error == .string("org.batond.Posts.\(name)"), "\(arguments): \(result.lines)")
    }
    let pin = try await baton.control("post", "pin", "1")
    #expect(pin.lines.last?.contains("not supported on nostr: public channels") == true, "\(pin.lines)")
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
