import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Independent relays of three authors: nostr-relay as `r1`, rust-nostr's LocalRelay as `r2`, monstr's as `r3`.
final class PostRelays {
  /// nostr-relay. It keeps its events when it is killed.
  private let third: ThirdPartyRelay
  private var programs: [Program]
  let urls: [String]

  /// - Parameter notesPerMinute: what LocalRelay takes on one connection; as many as come if `nil`.
  init(notesPerMinute: Int? = nil) async throws {
    third = try ThirdPartyRelay()
    let (local, monstr) = (Program.freePort(), Program.freePort())
    programs = [
      try await third.start(),
      try Self.python("local_relay.py", ["\(local)"] + (notesPerMinute.map { ["--rate", "\($0)"] } ?? [])),
      try Self.python("monstr_relay.py", ["\(monstr)"]),
    ]
    urls = [third.url, "ws://127.0.0.1:\(local)", "ws://127.0.0.1:\(monstr)"]
    for program in programs.dropFirst() { try await program.line(containing: "ready") }
  }

  private static func python(_ script: String, _ arguments: [String]) throws -> Program {
    try Program(ThirdPartyRelay.python + "/python3", ["-B", ThirdPartyRelay.scripts + "/" + script] + arguments)
  }

  /// Kills nostr-relay.
  func lose() async {
    programs[0].signal(SIGKILL)
    _ = await programs[0].status()
  }

  /// Takes an event out of the database of nostr-relay, which must be down.
  func forget(_ id: String) async throws { try await third.forget(id) }

  /// Starts nostr-relay again.
  func restart() async throws { programs[0] = try await third.start() }

  /// Ends the daemon, then the relays.
  func stop(_ daemon: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    for program in programs { program.signal(SIGKILL) }
    for program in programs { _ = await program.status() }
  }
}

extension Installation {
  /// Creates a channel and waits until all of its relays are active.
  /// - Returns: the id of its event.
  func createChannel(_ name: String, relays: [String]) async throws -> String {
    let created = try await control(
      ["channel", "create", name, "--quiet"] + relays.flatMap { ["--relay", $0] })
    #expect(created.status == 0, "\(created.lines)")
    let reader = try await read(try #require(created.lines.last))
    #expect(reader.status == 0, "\(reader.json)")
    return try #require(reader.json["id"]?.string)
  }

  func control(_ arguments: [String]) async throws -> (status: Int32, lines: [String]) {
    try await Program.run("batonctl", arguments + ["--socket", socket])
  }

  /// Publishes a post in a channel.
  /// - Returns: the post as stored.
  @discardableResult
  func publish(
    _ text: String, in channel: Int64 = 1, _ parameters: [String: JSONValue] = [:]
  ) async throws -> JSONValue {
    let client = try await client()
    let basics: [String: JSONValue] = ["channelId": .integer(channel), "text": .string(text)]
    let reply = try await client.call("org.batond.Posts.Publish", parameters.merging(basics) { own, _ in own })
    await client.close()
    return try #require(reply["post"])
  }

  /// All posts by id, deleted ones included, as soon as `isDone`.
  func posts(until isDone: ([Int64: JSONValue]) -> Bool) async throws -> [Int64: JSONValue] {
    let client = try await client()
    var posts: [Int64: JSONValue] = [:]
    // The stream begins with every post that ever changed, in its present form.
    for try await reply in try await client.stream("org.batond.Posts.Watch", ["since": 0]) {
      guard let post = reply["post"], let id = post["id"]?.integer else { continue }
      posts[id] = post
      guard isDone(posts) else { continue }
      await client.close()
      return posts
    }
    throw Program.Ended(description: "the watch ended")
  }

  /// The post as soon as `isDone`.
  func post(_ id: Int64, until isDone: (JSONValue) -> Bool) async throws -> JSONValue {
    try #require(try await posts { $0[id].map(isDone) == true }[id])
  }

  /// The posts of a channel that a relay serves, as an independent anonymous reader gets them.
  func posts(of channel: String, at relay: String) async throws -> [JSONValue] {
    try await events(at: relay, ["kinds": [42], "#e": [.string(channel)]])
  }

  /// What two independent libraries read in events, by the ids of these; they check ids, signatures and the rules for tags.
  func meaning(of events: [JSONValue]) async throws -> [String: JSONValue] {
    let file = folder.path + "/events.jsonl"
    try events.map { $0.text + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
    let result = try await Program.run(
      ThirdPartyRelay.python + "/python3", ["-B", ThirdPartyRelay.scripts + "/read_posts.py", file])
    #expect(result.status == 0 && result.lines.count == events.count, "\(result.lines.suffix(3))")
    var meaning: [String: JSONValue] = [:]
    for (event, line) in zip(events, result.lines) { meaning[event["id"]?.string ?? ""] = try JSONParser.parse(line) }
    return meaning
  }
}

extension JSONValue {
  /// Of a post: its relays by name.
  var relays: [String: JSONValue] {
    Dictionary((self["relays"]?.array ?? []).map { ($0["relayName"]?.string ?? "", $0) }) { first, _ in first }
  }

  /// Of a post: its status on each relay, by name.
  var statuses: [String: String] { relays.compactMapValues { $0["status"]?.string } }

  /// Of a post: whether readers find it on all of its relays.
  var isPublished: Bool { self["phase"]?.string == "published" }
}
