import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Many posts, daemons that are killed, and relays that want them slowly.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PostStormTests {
  private static let count = 200

  /// Publishes all posts, each with its key, four at a time.
  private func publishAll(_ baton: Installation) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          let client = try await baton.client()
          for number in stride(from: lane, to: Self.count, by: 4) {
            _ = try await client.call(
              "org.batond.Posts.Publish",
              ["channelId": 1, "text": .string("post \(number)"), "idempotencyKey": .string("storm \(number)")])
          }
          await client.close()
        }
      }
      try await group.waitForAll()
    }
  }

  /// Waits for some changes of posts, or until all are where they belong.
  private func wait(_ baton: Installation, forChanges count: Int) async throws {
    var left = count
    _ = try await baton.posts { posts in
      left -= 1
      return left <= 0 || posts.count == Self.count && posts.values.allSatisfy(\.isPublished)
    }
  }

  @Test func killedDaemonLosesNoPostAndPublishesNoneTwice() async throws {
    let relays = try await PostRelays()
    let baton = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms"])
    var daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: ["r1", "r2", "r3"])

    let seed = Seeds.repeated ?? UInt64.random(in: 0 ... .max)
    var random = Seeded(state: seed)
    for _ in 0..<5 {
      // All are asked for again after each end, as a script would that does not know how far it came.
      let publishing = Task { try await publishAll(baton) }
      try await wait(baton, forChanges: Int(random.next() % 300) + 1)
      daemon.signal(SIGKILL)
      #expect(await daemon.status() == -SIGKILL)
      _ = try? await publishing.value
      daemon = try await baton.start()
    }
    try await publishAll(baton)
    let posts = try await baton.posts { posts in
      posts.count == Self.count && posts.values.allSatisfy { $0.statuses.values.filter { $0 == "verified" }.count == 3 }
    }
    let expected = (0..<Self.count).map { "post \($0)" }.sorted()
    #expect(posts.values.compactMap { $0["text"]?.string }.sorted() == expected, "seed \(seed)")
    for relay in relays.urls {
      let found = try await baton.posts(of: channel, at: relay)
      #expect(found.compactMap { $0["content"]?.string }.sorted() == expected, "seed \(seed): \(found.count) at \(relay)")
      let ids = Set(posts.values.compactMap { $0["networkId"]?.string })
      #expect(Set(found.compactMap { $0["id"]?.string }) == ids, "seed \(seed) at \(relay)")
    }
    await relays.stop(daemon)
  }

  /// LocalRelay takes 60 notes a minute by default and answers the others with `rate-limited:`.
  @Test func relayThatLimitsTheRateMakesNoPostFail() async throws {
    let relays = try await PostRelays(notesPerMinute: 60)
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: ["r1", "r2", "r3"])
    let file = baton.folder.path + "/posts.jsonl"
    try (1...80).map { "{\"text\": \"line \($0)\"}\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
    let imported = try await baton.control("post", "import", "News", file)
    #expect(imported.status == 0, "\(imported.lines.suffix(5))")

    // The relay that limits has some of them, and the others have all.
    let posts = try await baton.posts { posts in
      posts.count == 80 && posts.values.contains { $0.relays["r2"]?["cause"] == "rateLimited" }
        && posts.values.allSatisfy { $0.statuses["r1"] == "verified" && $0.statuses["r3"] == "verified" }
    }
    #expect(posts.values.allSatisfy { ["pending", "sent", "accepted", "verified"].contains($0.statuses["r2"] ?? "") })
    #expect(posts.values.filter { $0.statuses["r2"] == "verified" }.count >= 20)
    for status in ["failed", "skipped"] {
      let listed = try await baton.control("post", "list", "News", "--status", status)
      #expect(listed.lines == ["No posts match."], "\(listed.lines)")
    }

    // Whoever does not know how far an import came repeats it.
    let again = try await baton.control("post", "import", "News", file)
    #expect(again.status == 0, "\(again.lines.suffix(5))")
    #expect(try await baton.posts { $0.count >= 80 }.count == 80)
    #expect(try await baton.posts(of: channel, at: relays.urls[0]).count == 80)
    await relays.stop(daemon)
  }

  @Test func importNamesTheLinesThatItRefuses() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let address = try await sandbox.sandboxRelays(1)
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(address)
    let channel = try await baton.createChannel("News", relays: ["r1"])
    try await baton.publish("earlier")
    let file = baton.folder.path + "/posts.jsonl"
    try """
    {"text": "first"}
    {"text": "\\u0007"}
    {"text": "second", "key": "two"}
    {"text": "first"}
    {"text":
    {"text": "answer", "replyTo": 1}

    """.write(toFile: file, atomically: true, encoding: .utf8)
    let imported = try await baton.control("post", "import", "News", file)
    #expect(imported.status == 1, "\(imported.lines)")
    // The second line holds a control character, and the fifth is no JSON.
    #expect(imported.lines.contains { $0.contains("line 2: ") && $0.contains("control character") }, "\(imported.lines)")
    #expect(imported.lines.contains { $0.contains("line 5: ") }, "\(imported.lines)")
    let posts = try await baton.posts { $0.count == 4 && $0.values.allSatisfy(\.isPublished) }
    #expect(posts.values.compactMap { $0["text"]?.string }.sorted() == ["answer", "earlier", "first", "second"])
    #expect(try await baton.posts(of: channel, at: try #require(address.first)).count == 4)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
