import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Posts on independent relays, read by independent clients.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PostTests {
  private static let everywhere = ["r1", "r2", "r3"]
  /// Someone: the base point of the curve, which is a valid public key.
  private static let someone = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

  @Test func everyPostIsOnEveryRelayOnceWithTheTagsThatReadersNeed() async throws {
    let relays = try await PostRelays()
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: Self.everywhere)

    let first = try await baton.control("post", "News", "The bridge is open.", "--wait", "all")
    #expect(first.status == 0 && first.lines.contains { $0.contains("on 3 of 3 relays") }, "\(first.lines)")
    try await baton.publish("Since when?", ["replyTo": 1])
    try await baton.publish("As we said:", ["quotes": [1]])
    try await baton.publish("Thanks!", ["mentions": [.string(Self.someone)]])
    try await baton.publish("Bridges", ["hashtags": ["bridge", "city"]])
    try await baton.publish("Careful", ["contentWarning": "flashing lights"])
    let picture: JSONValue = [
      "url": "https://files.example/bridge.jpg", "mimeType": "image/jpeg", "width": 640, "height": 480, "altText": "a bridge",
    ]
    try await baton.publish("See", ["attachments": [picture]])
    for number in 8...20 { try await baton.publish("post \(number)") }

    let posts = try await baton.posts { posts in posts.count == 20 && posts.values.allSatisfy(\.isPublished) }
    let ids = posts.compactMapValues { $0["networkId"]?.string }
    let author = try #require(posts[1]?["author"]?.string)
    for relay in relays.urls {
      let events = try await baton.posts(of: channel, at: relay)
      // Each event once, and each with the text of one post.
      #expect(events.compactMap { $0["id"]?.string }.sorted() == ids.values.sorted(), "\(relay)")
      let meaning = try await baton.meaning(of: events)
      for (number, id) in ids {
        let post = try #require(meaning[id], "post \(number) at \(relay)")
        #expect(post["kind"] == 42 && post["author"]?.string == author && post["group"] == nil, "\(post)")
        let root = post["root"]?.array ?? []
        #expect(root.first?.string == channel && relays.urls.contains(root.last?.string ?? ""), "\(post)")
        #expect((post["reply"] != nil) == (number == 2) && (post["quotes"] != nil) == (number == 3), "\(post)")
        #expect((post["mentions"] != nil) == (number == 4) && (post["hashtags"] != nil) == (number == 5), "\(post)")
        #expect((post["warnings"] != nil) == (number == 6) && (post["files"] != nil) == (number == 7), "\(post)")
      }
      func post(_ number: Int64) -> JSONValue { ids[number].flatMap { meaning[$0] } ?? .null }
      let parent = try #require(ids[1])
      for reference in [post(2)["reply"]?.array, post(3)["quotes"]?.array?.first?.array] {
        #expect(reference?.first?.string == parent && reference?.last?.string == author, "\(reference ?? [])")
        // Readers are sent where the parent was read back.
        #expect(reference?.count == 3 && relays.urls.contains(reference?[1].string ?? ""), "\(reference ?? [])")
      }
      #expect(post(4)["mentions"] == [.string(Self.someone)])
      #expect(post(5)["hashtags"] == ["bridge", "city"] && post(6)["warnings"] == [["flashing lights"]])
      let file = post(7)["files"]?.array?.first
      #expect(file?["url"] == "https://files.example/bridge.jpg" && file?["m"] == "image/jpeg", "\(post(7))")
      #expect(file?["dim"] == "640x480" && file?["alt"] == "a bridge", "\(post(7))")
      #expect(post(8)["text"] == "post 8" && post(1)["text"] == "The bridge is open.")
    }
    await relays.stop(daemon)
  }

  @Test func relayThatWasDownGetsWhatItMissedOnce() async throws {
    let relays = try await PostRelays()
    let baton = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms"])
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: Self.everywhere)
    try await baton.publish("before")
    _ = try await baton.post(1, until: \.isPublished)

    await relays.lose()
    for number in 1...3 { try await baton.publish("meanwhile \(number)") }
    // The others have them, and no one waits for the one that is down.
    let behind = try await baton.posts { posts in
      (Int64(2)...4).allSatisfy { id in
        let relays = posts[id]?.relays ?? [:]
        return relays["r2"]?["status"] == "verified" && relays["r3"]?["status"] == "verified"
          && relays["r1"]?["cause"] == "unreachable"
      }
    }
    #expect(behind[4]?["phase"] == "partial" && behind[4]?["shownCount"] == 2 && behind[4]?["relayCount"] == 3)
    let shown = try await baton.control("post", "show", "4")
    #expect(shown.status == 0 && shown.lines.contains { $0.contains("on 2 of 3 relays") }, "\(shown.lines)")
    #expect(shown.lines.contains { $0.contains("r1") && $0.contains("(unreachable)") }, "\(shown.lines)")
    let listed = try await baton.control("post", "list", "News", "--cause", "unreachable", "-o", "name")
    #expect(listed.status == 0 && listed.lines == ["id:4", "id:3", "id:2"], "\(listed.lines)")

    try await relays.restart()
    _ = try await baton.posts { posts in posts.count == 4 && posts.values.allSatisfy(\.isPublished) }
    for relay in relays.urls {
      let texts = try await baton.posts(of: channel, at: relay).compactMap { $0["content"]?.string }
      #expect(texts.sorted() == ["before", "meanwhile 1", "meanwhile 2", "meanwhile 3"], "\(relay)")
    }
    await relays.stop(daemon)
  }

  @Test func relayThatForgetsAPostGetsItAgain() async throws {
    let relays = try await PostRelays()
    let baton = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms"])
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: Self.everywhere)
    // A look at the newest posts is not sure of the second of the oldest that it shows, so the last post must be of a later one.
    var (last, seconds) = (Int64(0), Set<String>())
    repeat {
      last += 1
      try await baton.publish("post \(last)")
      let post = try await baton.post(last) { $0.isPublished }
      seconds.insert(String(try #require(post["createdAt"]?.string).prefix(19)))
    } while seconds.count < 3
    let posts = try await baton.posts { posts in posts.count == last && posts.values.allSatisfy(\.isPublished) }
    let revision = try #require(posts[last]?["revision"]?.integer)

    await relays.lose()
    try await relays.forget(try #require(posts[last]?["networkId"]?.string))
    try await relays.restart()
    // No one asks for anything: the relay is back, and is compared with what it should hold.
    _ = try await baton.post(last) { $0.isPublished && ($0["revision"]?.integer ?? 0) > revision }
    let history = try await baton.control("post", "history", "\(last)")
    #expect(history.lines.contains { $0.contains("a comparison did not find the post") }, "\(history.lines)")
    for relay in relays.urls {
      let texts = try await baton.posts(of: channel, at: relay).compactMap { $0["content"]?.string }
      #expect(texts.sorted() == (1...last).map { "post \($0)" }.sorted(), "\(relay)")
    }
    for number in 1..<last {
      let other = try await baton.post(number) { _ in true }
      #expect(other["revision"] == posts[number]?["revision"], "nothing happened to post \(number)")
    }
    await relays.stop(daemon)
  }

  /// nostr-relay and LocalRelay delete; monstr's relay says that it does; the sandbox refuses.
  @Test func deletionSaysWhatBecameOfThePostOnEachRelay() async throws {
    let relays = try await PostRelays()
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let stubborn = try await sandbox.sandboxRelays(1)
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls + stubborn)
    let channel = try await baton.createChannel("News", relays: Self.everywhere + ["r4"])
    for text in ["wrong", "right"] { try await baton.publish(text) }
    _ = try await baton.posts { posts in posts.count == 2 && posts.values.allSatisfy(\.isPublished) }

    let line = try await sandbox.line(containing: "control ")
    let control = try #require(line.split(separator: " ").last)
    let order = "import urllib.request; urllib.request.urlopen('\(control)/relays/1/refuse', data=b'')"
    #expect(try await Program.run("/usr/bin/python3", ["-c", order], environment: ["no_proxy": "127.0.0.1"]).status == 0)
    let deleted = try await baton.control("post", "delete", "1", "--reason", "wrong bridge")
    #expect(deleted.status == 0, "\(deleted.lines)")
    let expected = ["r1": "deleted", "r2": "deleted", "r3": "stillServed", "r4": "unsupported"]
    let post = try await baton.post(1) { $0.statuses == expected }
    #expect(post["phase"] == "stillServed" && post["link"] == nil && post["deletedAt"] != nil, "\(post)")

    // Each relay is as Baton says, and neither the other post nor the channel went with it.
    let texts = [["right"], ["right"], ["right", "wrong"], ["right", "wrong"]]
    for (relay, texts) in zip(relays.urls + stubborn, texts) {
      let found = try await baton.posts(of: channel, at: relay).compactMap { $0["content"]?.string }
      #expect(found.sorted() == texts, "\(relay)")
      #expect(try await baton.events(at: relay, ["ids": [.string(channel)]]).count == 1, "\(relay)")
    }
    // A list leaves it out, unless it is asked for.
    #expect(try await baton.control("post", "list", "News", "-o", "name").lines == ["id:2"])
    #expect(try await baton.control("post", "list", "News", "--deleted", "-o", "name").lines == ["id:2", "id:1"])
    await relays.stop(daemon)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  /// monstr's relay goes on serving the old post, though it takes the deletion.
  @Test func editReplacesThePostOnEveryRelay() async throws {
    let relays = try await PostRelays()
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: Self.everywhere)
    try await baton.publish("parent")
    try await baton.publish("wrong", ["replyTo": 1])
    _ = try await baton.posts { posts in posts.count == 2 && posts.values.allSatisfy(\.isPublished) }
    let edited = try await baton.control("post", "edit", "2", "right", "--wait", "all")
    #expect(edited.status == 0, "\(edited.lines)")
    let new = try await baton.post(3, until: \.isPublished)
    #expect(new["replaces"] == 2 && new["replyTo"] == 1 && new["text"] == "right")
    let expected = ["r1": "deleted", "r2": "deleted", "r3": "stillServed"]
    let old = try await baton.post(2) { $0.statuses == expected }
    #expect(old["replacedBy"] == 3 && old["deletedAt"] != nil && old["link"] == nil, "\(old)")
    let texts = [["parent", "right"], ["parent", "right"], ["parent", "right", "wrong"]]
    for (relay, texts) in zip(relays.urls, texts) {
      let found = try await baton.posts(of: channel, at: relay)
      #expect(found.compactMap { $0["content"]?.string }.sorted() == texts, "\(relay)")
      // Independent libraries find the new post valid, and it answers the same post.
      let event = try #require(found.first { $0["content"] == "right" })
      #expect(event["id"] == new["networkId"])
      #expect(try await baton.meaning(of: [event]).count == 1)
      let parent = try #require(found.first { $0["content"] == "parent" })["id"]
      let tags = event["tags"]?.array?.compactMap(\.array) ?? []
      #expect(tags.contains { $0.count > 3 && $0[0] == "e" && $0[1] == parent && $0[3] == "reply" }, "\(event)")
    }
    await relays.stop(daemon)
  }

  @Test func relayThatIsAddedGetsEarlierPostsAndOneThatIsRemovedDeparts() async throws {
    let relays = try await PostRelays()
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let channel = try await baton.createChannel("News", relays: ["r1", "r2"])
    for number in 1...5 { try await baton.publish("post \(number)") }
    #expect(try await baton.control("post", "delete", "2").status == 0)
    let wanted: Set<Int64> = [1, 3, 4, 5]
    _ = try await baton.posts { posts in
      posts[2]?["phase"] == "deleted" && wanted.allSatisfy { posts[$0]?.isPublished == true }
    }

    #expect(try await baton.control("channel", "add-relay", "News", "r3").status == 0)
    let all = try await baton.posts { posts in
      wanted.allSatisfy { posts[$0]?.relays["r3"]?["status"] == "verified" && posts[$0]?.isPublished == true }
    }
    #expect(all[2]?.relays["r3"] == nil && all[1]?["relayCount"] == 3)
    let late = try await baton.posts(of: channel, at: relays.urls[2]).compactMap { $0["content"]?.string }
    #expect(late.sorted() == ["post 1", "post 3", "post 4", "post 5"])

    #expect(try await baton.control("channel", "remove-relay", "News", "r1", "--yes").status == 0)
    let left = try await baton.posts { posts in wanted.allSatisfy { posts[$0]?.relays["r1"]?["departed"] == true } }
    #expect(left[1]?["relayCount"] == 2 && left[1]?["shownCount"] == 2 && left[1]?.isPublished == true)
    try await baton.publish("post 6")
    let newest = try await baton.post(6, until: \.isPublished)
    #expect(newest.statuses == ["r2": "verified", "r3": "verified"])
    let stayed = try await baton.posts(of: channel, at: relays.urls[0]).compactMap { $0["content"]?.string }
    #expect(!stayed.contains("post 6"))
    await relays.stop(daemon)
  }

  @Test func whatCannotBePublishedIsRefusedByName() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let address = try await sandbox.sandboxRelays(1)
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(address)
    let club = try await baton.control("channel", "create", "Club", "--kind", "group", "--relay", "r1", "--quiet")
    let news = try await baton.control("channel", "create", "News", "--relay", "r1", "--quiet")
    #expect(club.status == 0 && news.status == 0, "\(club.lines + news.lines)")

    // The example of NIP-19.
    let secret = "my key is nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
    for text in [secret, ""] {
      for channel in [1, 2] as [Int64] {
        await #expect {
          _ = try await baton.publish(text, in: channel)
        } throws: { "\($0)".contains("org.batond.Posts.InvalidPost") }
      }
    }
    for channel in ["Club", "News"] {
      let leak = try await baton.control("post", channel, secret)
      #expect(leak.status == 1 && leak.lines.last?.contains("contains a secret key") == true, "\(leak.lines)")
      #expect(!leak.lines.contains { $0.contains("vl029mgpspedva04g90vltkh6") }, "\(leak.lines)")
    }
    // Nothing was stored or sent.
    #expect(try await baton.control("post", "list").lines.contains { $0.hasPrefix("No posts.") })
    #expect(try await baton.events(at: try #require(address.first), ["kinds": [9, 42]]).isEmpty)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
