import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// What others say, as `batonctl` shows it and as words find it; and what is kept of it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MessageScreenTests {
  /// Sets a title, moves the cursor, turns the direction round, hides letters, and begins a new line of its own.
  private static let nasty = "\u{1B}]0;owned\u{7}\u{1B}[2J harbour \u{202E}dne\u{2066}\u{9B}31m\u{AD}\u{E0041}\r\u{8}last"

  /// Whether no character acts on a terminal.
  private func isClean(_ lines: [String]) -> Bool {
    lines.allSatisfy { line in
      line.unicodeScalars.allSatisfy { $0.value >= 0x20 && ![.format, .control].contains($0.properties.generalCategory) }
    }
  }

  private func start(
    _ settings: [String: String] = [:], _ extra: [String: String] = [:]
  ) async throws -> (baton: Installation, daemon: Program, sandbox: Program, channel: String, relays: [String]) {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let relays = try await sandbox.sandboxRelays(1)
    let baton = try Installation(settings)
    let daemon = try await baton.start(extra)
    try await baton.addRelays(relays)
    return (baton, daemon, sandbox, try await baton.createChannel("News", relays: ["r1"]), relays)
  }

  private func stop(_ daemon: Program, _ sandbox: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  @Test func nothingThatOthersWriteActsOnTheTerminal() async throws {
    // LocalRelay takes texts with any characters.
    let port = Program.freePort()
    let relay = try Program(
      ThirdPartyRelay.python + "/python3", ["-B", ThirdPartyRelay.scripts + "/local_relay.py", "\(port)"])
    try await relay.line(containing: "ready")
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:\(port)"])
    let channel = try await baton.createChannel("News", relays: ["r1"])
    let post = try await baton.publish("The bridge is open.")
    let (name, key) = (try #require(post["networkId"]?.string), try #require(post["author"]?.string))
    _ = try await baton.post(1, until: \.isPublished)

    let follow = try Program("batonctl", ["messages", "News", "--follow", "--socket", baton.socket])
    try await follow.line(containing: "The bridge is open.")
    var plan = MessagePlan(channel: channel, relays: ["ws://127.0.0.1:\(port)"])
    let file = "https://files.example/\u{202E}gpj"
    plan.say(Self.nasty, by: "eve", tags: [["imeta", "url \(file)", "m image/\u{1B}[5m", "alt \(Self.nasty)"]])
    plan.react("\u{1B}[7m", to: name, of: key, by: "eve")
    plan.answer(name, of: key, "the end", by: "ann")
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    let state = try await baton.watchMessages { $0.messages.count == 3 }
    let nasty = try #require(state.message(Self.nasty), "the text itself stays as it was written")
    #expect(nasty["networkId"]?.string == written.ids[Self.nasty])
    try await baton.sync()
    try await follow.line(containing: "the end")

    for command in [
      ["messages", "News"], ["messages", "News", "--json"], ["messages", "News", "--search", "harbour"],
      ["messages", "News", "--around", "\(nasty["id"]?.integer ?? 0)"], ["inbox"], ["inbox", "--json"], ["inbox", "--unread"],
      ["messages", "News", "--search", "harbour", "--json"], ["messages", "sync", "News"], ["messages", "read", "News"],
    ] {
      let shown = try await baton.control(command)
      #expect(shown.status == 0 && isClean(shown.lines) && !shown.lines.isEmpty, "\(command): \(shown.lines)")
    }
    #expect(isClean(follow.lines), "\(follow.lines)")
    for command in [["messages", "News"], ["messages", "News", "--search", "harbour"]] {
      #expect(try await baton.control(command).lines.contains { $0.contains("harbour") }, "\(command)")
    }
    // The same as JSON, which every reader decodes to the same text.
    let json = try JSONParser.parse(try await baton.control("messages", "News", "--json").lines.joined(separator: "\n"))
    #expect(json.array?.contains { $0["text"]?.string == Self.nasty } == true, "\(json)")
    // All of it was marked as read.
    let inbox = try await baton.control("inbox", "--unread", "--json")
    #expect(inbox.status == 0 && !inbox.lines.joined().contains("News"), "\(inbox.lines)")
    follow.signal(SIGINT)
    _ = await follow.status()
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    relay.signal(SIGKILL)
    _ = await relay.status()
  }

  @Test func decisionsAboutChannelsHoldOverRestartsAndReadings() async throws {
    let (baton, first, sandbox, channel, relays) = try await start()
    func say(_ text: String) async throws {
      var plan = MessagePlan(channel: channel, relays: relays)
      plan.say(text, by: "ann")
      try await baton.write(plan)
    }
    func control(_ command: String...) async throws -> String {
      let shown = try await baton.control(command)
      #expect(shown.status == 0, "\(command): \(shown.lines)")
      return shown.lines.joined(separator: "\n")
    }
    try await say("first")
    _ = try await baton.watchMessages { $0.texts == ["first"] }
    #expect(try await control("channel", "mute", "News") == "Channel 1 is muted.")
    #expect(try await control("channel", "pin", "News") == "Channel 1 is pinned.")
    #expect(try await control("inbox", "--unread") == "No unread conversations.")
    #expect(try await control("inbox").contains("first"))
    #expect(try await control("channel", "hide", "News").contains("hidden until a new message arrives"))
    #expect(try await control("inbox") == "No conversations.")
    #expect(try await control("inbox", "--hidden").contains("first"))
    #expect(try await control("channel", "freeze", "News") == "Channel 1 is frozen, but other people can still write there.")
    let refused = try await baton.control("post", "News", "text")
    #expect(refused.status == 1)

    first.signal(SIGKILL)
    _ = await first.status()
    let daemon = try await baton.start()
    try await baton.sync()
    let shown = try await control("channel", "show", "News")
    #expect(shown.contains("\nmarked    pinned, muted, hidden, frozen") && shown.contains("\nunread    1\n"), "\(shown)")
    #expect(try await control("channel", "list", "--filter", "{\"hidden\": true}", "-o", "name") == "id:1")
    // Dates are whole seconds, and what is from the second of the truncation goes with it.
    try await say("second")
    _ = try await baton.watchMessages { $0.texts.count == 2 }
    #expect(try await control("inbox").contains("second"))
    #expect(try await control("channel", "truncate", "News", "--yes") == "The messages of channel 1 are deleted here.")
    try await baton.sync()
    #expect(try await baton.allMessages().isEmpty)
    #expect(try await control("channel", "list", "--sort=-lastMessageAt", "--json").contains("\"unread\":0"))
    var plan = MessagePlan(channel: channel, relays: relays)
    plan.say("third", by: "ann", at: 5)
    try await baton.write(plan)
    _ = try await baton.watchMessages { $0.texts.contains("third") }
    #expect(try await baton.allMessages().compactMap { $0["text"]?.string } == ["third"])
    for (word, state) in [("unmute", "muted"), ("unpin", "pinned"), ("unfreeze", "frozen"), ("unhide", "hidden")] {
      #expect(try await control("channel", word, "News") == "Channel 1 is not \(state).")
    }
    #expect(try await !control("channel", "show", "News").contains("\nmarked"))
    await stop(daemon, sandbox)
  }

  @Test func wordsFindTheMessagesThatHoldThem() async throws {
    let (baton, daemon, sandbox, channel, relays) = try await start()
    var plan = MessagePlan(channel: channel, relays: relays)
    let texts = [
      "The Café at the harbour", "a café without a harbour view", "harbour master", "harbouring doubts", "nothing of that",
      "100% \"quoted\" AND (odd) NEAR/2 col:umn * -minus ^caret", "Straße nach Köln", "hafen 港", "deleted harbour",
    ]
    for text in texts { plan.say(text, by: "ann") }
    plan.delete("#deleted harbour", by: "ann")
    try await baton.write(plan)
    try await baton.sync()
    _ = try await baton.watchMessages { $0.messages.count == texts.count && $0.texts.count == texts.count - 1 }
    func found(_ words: String, _ more: [String: JSONValue] = [:]) async throws -> [String] {
      let parameters: [String: JSONValue] = ["text": .string(words), "channelId": 1]
      let hits = try #require(try await baton.messages("Search", parameters.merging(more) { _, new in new })["hits"]?.array)
      for hit in hits {
        let pieces = hit["excerpt"]?.array ?? []
        #expect(pieces.contains { $0["hit"] == true }, "\(hit)")
        let whole = pieces.compactMap { $0["text"]?.string }.joined()
        #expect(!whole.isEmpty && hit["message"]?["text"]?.string?.contains(whole) == true, "\(hit)")
      }
      return hits.compactMap { $0["message"]?["text"]?.string }.sorted()
    }
    #expect(try await found("harbour") == ["The Café at the harbour", "a café without a harbour view", "harbour master"])
    #expect(try await found("HARBOUR cafe") == ["The Café at the harbour", "a café without a harbour view"])
    #expect(try await found("\"the harbour\"") == ["The Café at the harbour"])
    #expect(try await found("harbour*").count == 4)
    #expect(try await found("koln") == ["Straße nach Köln"])
    #expect(try await found("港") == ["hafen 港"])
    // No word of a query is more than a word.
    for odd in ["AND", "NEAR/2", "col:umn", "-minus", "^caret", "100%", "(odd)"] {
      #expect(try await found(odd) == [texts[5]], "\(odd)")
    }
    #expect(try await found("harbour OR nothing").isEmpty)
    #expect(try await found("harbour", ["limit": 1, "newestFirst": true]).count == 1)
    #expect(try await found("harbour", ["limit": 2, "offset": 2, "newestFirst": true]).count == 1)
    await #expect {
      _ = try await found("***")
    } throws: { "\($0)".contains("org.batond.Messages.InvalidSearch") }
    let everywhere = try await baton.messages("Search", ["text": "master"])
    #expect(everywhere["hits"]?.array?.count == 1 && everywhere["hasMore"] == false)
    await stop(daemon, sandbox)
  }

  @Test func onlySoMuchOfTheHistoryIsReadAndSoMuchIsKept() async throws {
    let (baton, first, sandbox, channel, relays) = try await start(
      ["BATON_MESSAGES_DAYS": "2"], ["BATON_MESSAGES_FOLLOW": "false"])
    var plan = MessagePlan(channel: channel, relays: relays)
    for number in 1...50 { plan.say("hour \(number)", by: "author \(number % 5)", at: -Int64(number) * 3_600) }
    for number in 3...9 { plan.say("day \(number)", by: "author 1", at: -Int64(number) * 86_400) }
    try await baton.write(plan)
    first.signal(SIGTERM)
    #expect(await first.status() == 0)

    func texts(_ extra: [String: String]) async throws -> [String] {
      let daemon = try await baton.start(extra)
      try await baton.sync()
      let all = try await baton.allMessages().compactMap { $0["text"]?.string }
      daemon.signal(SIGTERM)
      #expect(await daemon.status() == 0)
      return all
    }
    #expect(try await texts(["BATON_MESSAGES_COUNT": "10"]).suffix(10) == (1...10).reversed().map { "hour \($0)" }[...])
    let days = try await texts([:])
    #expect(days.contains("hour 40") && !days.contains { $0.hasPrefix("day") }, "\(days)")
    #expect(try await texts(["BATON_MESSAGES_DAYS": "0"]).count == 57)

    // What is over the limit goes with the next message, the first ones first.
    let last = try await baton.start(["BATON_MESSAGES_KEEP": "20"])
    plan = MessagePlan(channel: channel, relays: relays)
    plan.say("now", by: "ann")
    try await baton.write(plan)
    try await baton.sync()
    let kept = try await baton.allMessages().compactMap { $0["text"]?.string }
    #expect(kept == (1...19).reversed().map { "hour \($0)" } + ["now"], "\(kept)")
    await stop(last, sandbox)
  }

  /// Someone who says more than anyone could mean.
  @Test func floodOfOneAuthorLeavesRoomForOthers() async throws {
    let (baton, daemon, sandbox, channel, relays) = try await start()
    var plan = MessagePlan(channel: channel, relays: relays)
    for number in 1...400 { plan.say("flood \(number)", by: "mallory", at: -120) }
    for number in 1...10 { plan.say("hello \(number)", by: "ann", at: -120) }
    try await baton.write(plan)
    try await baton.sync()
    let texts = try await baton.allMessages().compactMap { $0["text"]?.string }
    // All of them are dated in one minute.
    #expect(texts.count { $0.hasPrefix("flood") } == 60, "\(texts.count)")
    #expect(texts.count { $0.hasPrefix("hello") } == 10)
    try await baton.sync()
    #expect(try await baton.allMessages().compactMap { $0["text"]?.string } == texts, "the same is left out again")
    await stop(daemon, sandbox)
  }
}
