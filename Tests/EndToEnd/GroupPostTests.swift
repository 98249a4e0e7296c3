import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Posts of groups, read by independent clients. The relay takes nothing that is more than a minute old, and no deletion that authors ask
/// for (kind 5), as relays of groups do.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GroupPostTests {
  /// A group on a relay of the sandbox.
  final class Club {
    let baton: Installation
    let url: String
    let id: String
    private let sandbox: Program
    private let faults: String
    private var daemon: Program
    private let credentials: [String: String]

    /// - Parameter secret: the secret key of the group's owner, as hexadecimal digits; `nil` lets the daemon draw one.
    init(secret: String? = nil) async throws {
      sandbox = try Program("baton-sandbox", ["--relays", "1"])
      let relays = try await sandbox.sandboxRelays(1)
      url = try #require(relays.first)
      let line = try await sandbox.line(containing: "control ")
      faults = String(try #require(line.split(separator: " ").last))
      baton = try Installation()
      var owner: [String] = []
      if let secret {
        let folder = baton.folder.path + "/credentials"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try secret.write(toFile: folder + "/desk", atomically: true, encoding: .utf8)
        credentials = ["CREDENTIALS_DIRECTORY": folder]
        owner = ["--identity", "desk"]
      } else {
        credentials = [:]
      }
      daemon = try await baton.start(credentials)
      try await baton.addRelays([url])
      if secret != nil { #expect(try await baton.control("identity", "add", "desk", "--credential", "desk").status == 0) }
      let created = try await baton.control(
        ["channel", "create", "Club", "--kind", "group", "--relay", "r1", "--quiet"] + owner)
      #expect(created.status == 0, "\(created.lines)")
      let link = try #require(created.lines.last)
      let reader = try await baton.read(link)
      id = try #require(reader.json["id"]?.string)
    }

    /// Makes the relay misbehave.
    func set(_ fault: String) async throws {
      let order = "import urllib.request; urllib.request.urlopen('\(faults)/relays/1/\(fault)', data=b'')"
      #expect(try await Program.run("/usr/bin/python3", ["-c", order], environment: ["no_proxy": "127.0.0.1"]).status == 0)
    }

    /// The posts that the relay serves, or the reactions (kind 7), oldest first, as an independent anonymous reader gets them.
    func served(kind: Int64 = 9) async throws -> [JSONValue] {
      try await baton.events(at: url, ["kinds": [.integer(kind)], "#h": [.string(id)]]).reversed()
    }

    func kill() async {
      daemon.signal(SIGKILL)
      _ = await daemon.status()
    }

    func startAgain() async throws { daemon = try await baton.start(credentials) }

    func stop() async {
      daemon.signal(SIGTERM)
      #expect(await daemon.status() == 0)
      sandbox.signal(SIGKILL)
      _ = await sandbox.status()
    }
  }

  @Test func readersFindEveryPostOnceWithTheTagsThatTheyNeed() async throws {
    let club = try await Club()
    let first = try await club.baton.control("post", "Club", "The bridge is open.", "--wait", "all")
    #expect(first.status == 0 && first.lines.contains { $0.contains("on 1 of 1 relays") }, "\(first.lines)")
    try await club.baton.publish("Since when?", ["replyTo": 1])
    try await club.baton.publish("As we said:", ["quotes": [1]])
    for number in 4...12 { try await club.baton.publish("post \(number)") }
    // Two equal posts are two.
    for _ in 13...14 { try await club.baton.publish("again") }
    let posts = try await club.baton.posts { posts in posts.count == 14 && posts.values.allSatisfy(\.isPublished) }
    let ids = posts.compactMapValues { $0["networkId"]?.string }
    let events = try await club.served()
    #expect(events.compactMap { $0["id"]?.string }.sorted() == ids.values.sorted())
    let meaning = try await club.baton.meaning(of: events)
    let (parent, author) = (try #require(ids[1]), try #require(posts[1]?["author"]?.string))
    for (number, id) in ids {
      let post = try #require(meaning[id], "post \(number)")
      #expect(post["kind"] == 9 && post["group"]?.string == club.id && post["author"]?.string == author, "\(post)")
      guard number == 2 || number == 3 else { continue }
      #expect(post["quotes"] == [[.string(parent), .string(club.url), .string(author)]], "\(post)")
      #expect(post["links"] == [[.string(parent), .string(author), 9, [.string(club.url)]]], "\(post)")
    }
    #expect(posts[1]?["link"]?.string?.hasPrefix("nostr:nevent1") == true)
    await club.stop()
  }

  @Test func postWhoseAnswerWasLostWithTheDaemonIsFoundAndNotPublishedAgain() async throws {
    let club = try await Club()
    try await club.set("mute")
    try await club.baton.publish("news")
    _ = try await club.baton.post(1) { $0.statuses == ["r1": "sent"] }
    // It left, and no one answers.
    while try await club.served().isEmpty {}
    await club.kill()
    try await club.set("none")
    try await club.startAgain()
    let post = try await club.baton.post(1, until: \.isPublished)
    #expect(try await club.served().compactMap { $0["id"] } == [post["networkId"]])
    await club.stop()
  }

  /// The relay says that it takes the post, and forgets it: the next attempt is another event.
  @Test func postThatTheRelayLostIsPublishedAgainUnderAnotherName() async throws {
    let club = try await Club()
    try await club.set("lose")
    try await club.baton.publish("news")
    let sent = try await club.baton.post(1) { ["accepted", "failed"].contains($0.statuses["r1"]) }
    let name = try #require(sent["networkId"]?.string)
    await #expect {
      _ = try await club.baton.publish("yes", ["replyTo": 1])
    } throws: { "\($0)".contains("org.batond.Posts.InvalidPost") && "\($0)".contains("until readers find it there") }
    let reaction = try await club.baton.control("post", "react", "1", "+", "--json")
    let error = try JSONParser.parse(reaction.lines.last ?? "")["error"]
    #expect(reaction.status == 1 && error == "org.batond.Posts.InvalidPost", "\(reaction.lines)")
    _ = try await club.baton.post(1) { $0.statuses == ["r1": "failed"] }
    try await club.set("none")
    let retried = try await club.baton.control("post", "retry", "1")
    #expect(retried.status == 0, "\(retried.lines)")
    let post = try await club.baton.post(1, until: \.isPublished)
    #expect(post["networkId"]?.string != name)
    #expect(try await club.served().compactMap { $0["id"] } == [post["networkId"]])
    // Now that it has a name, it can be answered.
    try await club.baton.publish("yes", ["replyTo": 1])
    _ = try await club.baton.post(2, until: \.isPublished)
    await club.stop()
  }

  @Test func postsAreEditedAndDeleted() async throws {
    let club = try await Club()
    for text in ["wrong", "keep"] { try await club.baton.publish(text) }
    _ = try await club.baton.posts { posts in posts.count == 2 && posts.values.allSatisfy(\.isPublished) }
    let forecast = try await club.baton.control("post", "show", "1", "--actions")
    #expect(forecast.status == 0 && !forecast.lines.contains { $0.contains("may continue to show") }, "\(forecast.lines)")
    let edited = try await club.baton.control("post", "edit", "1", "right", "--wait", "all")
    #expect(edited.status == 0, "\(edited.lines)")
    let old = try await club.baton.post(1) { $0.statuses == ["r1": "deleted"] }
    #expect(old["replacedBy"] == 3 && old["phase"] == "deleted", "\(old)")
    #expect(try await club.served().compactMap { $0["content"]?.string }.sorted() == ["keep", "right"])

    let deleted = try await club.baton.control("post", "delete", "3", "--reason", "wrong bridge")
    #expect(deleted.status == 0, "\(deleted.lines)")
    _ = try await club.baton.post(3) { $0.statuses == ["r1": "deleted"] }
    let left = try await club.served()
    #expect(left.compactMap { $0["content"]?.string } == ["keep"])
    // Independent libraries find the request of the admin valid.
    let requests = try await club.baton.events(at: club.url, ["kinds": [9_005], "#h": [.string(club.id)]])
    let meaning = try await club.baton.meaning(of: requests)
    #expect(meaning.values.contains { $0["reason"] == "wrong bridge" && $0["deletes"]?.array?.count == 1 }, "\(meaning)")
    await club.stop()
  }
  @Test func reactionsAreFoundByReadersAndTakenBack() async throws {
    let club = try await Club()
    try await club.baton.publish("The bridge is open.")
    let target = try await club.baton.post(1, until: \.isPublished)
    let made = try await club.baton.control("post", "react", "1", "👍", "--wait", "all", "--json")
    #expect(made.status == 0, "\(made.lines)")
    let again = try await club.baton.control("post", "react", "1", "👍", "--wait", "none", "--json")
    #expect(try again.status == 0 && JSONParser.parse(again.lines.last ?? "")["id"] == 2, "\(again.lines)")
    let post = try await club.baton.post(2, until: \.isPublished)
    #expect(post["reactionTo"] == 1 && post["link"]?.string?.hasPrefix("nostr:nevent1") == true, "\(post)")

    let events = try await club.served(kind: 7)
    #expect(events.compactMap { $0["id"] } == [post["networkId"]])
    let id = try #require(post["networkId"]?.string)
    let reaction = try #require(try await club.baton.meaning(of: events)[id])
    let (named, author) = (try #require(target["networkId"]?.string), try #require(target["author"]?.string))
    #expect(reaction["to"] == [.string(named), .string(club.url), .string(author)] && reaction["kinds"] == [9], "\(reaction)")
    #expect(reaction["text"] == "👍" && reaction["group"]?.string == club.id && reaction["author"]?.string == author)
    #expect(try await club.baton.control("post", "list", "-o", "name").lines == ["id:1"])
    #expect(try await club.baton.control("post", "show", "1").lines.contains("reactions 👍"))

    #expect(try await club.baton.control("post", "delete", "2").status == 0)
    _ = try await club.baton.post(2) { $0.statuses == ["r1": "deleted"] }
    #expect(try await club.served(kind: 7).isEmpty)
    #expect(try await club.served().compactMap { $0["id"] } == [.string(named)], "the post stays")
    // It can be made again, as another event.
    #expect(try await club.baton.control("post", "react", "1", "👍", "--wait", "all").status == 0)
    let second = try await club.baton.post(3, until: \.isPublished)
    #expect(try await club.served(kind: 7).compactMap { $0["id"] } == [second["networkId"]])
    #expect(second["networkId"] != post["networkId"])
    await club.stop()
  }

  /// What names its attempts is all that is left of a post, also for the next daemon.
  @Test func postThatIsForgottenStaysAtTheRelayUntilItIsDeleted() async throws {
    let club = try await Club()
    for text in ["old", "new"] { try await club.baton.publish(text) }
    let before = try await club.baton.posts { posts in posts.count == 2 && posts.values.allSatisfy(\.isPublished) }
    let set = try await club.baton.control("post", "retention", "Club", "--count", "1", "--json")
    #expect(set.status == 0, "\(set.lines)")
    let old = try await club.baton.post(1) { $0["forgottenAt"]?.string != nil }
    #expect(old["text"] == "" && old["networkId"] == before[1]?["networkId"] && old["link"] == before[1]?["link"], "\(old)")
    #expect(try await club.served().compactMap { $0["content"]?.string }.sorted() == ["new", "old"])
    await club.kill()
    try await club.startAgain()
    let shown = try await club.baton.control("post", "show", "1", "--actions")
    #expect(shown.status == 0 && !shown.lines.contains { $0.contains("may continue to show") }, "\(shown.lines)")
    let deleted = try await club.baton.control("post", "delete", "1", "--reason", "old")
    #expect(deleted.status == 0, "\(deleted.lines)")
    _ = try await club.baton.post(1) { $0.statuses == ["r1": "deleted"] }
    #expect(try await club.served().compactMap { $0["content"]?.string } == ["new"])
    await club.stop()
  }
}
