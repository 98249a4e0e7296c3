import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// The examples that read along: a moderation bot, a bridge and a digest.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConversationExampleTests {
  private static let examples = Program.repository + "/examples"

  private func start() async throws -> (baton: Installation, daemon: Program, sandbox: Program, channel: String, relay: String)
  {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let relay = try #require(try await sandbox.sandboxRelays(1).first)
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays([relay])
    return (baton, daemon, sandbox, try await baton.createChannel("News", relays: ["r1"]), relay)
  }

  private func say(_ texts: [String], by author: String, in channel: String, at relay: String, _ baton: Installation)
    async throws
  {
    var plan = MessagePlan(channel: channel, relays: [relay])
    for text in texts { plan.say(text, by: author) }
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
  }

  private func stop(_ programs: Program...) async {
    for program in programs {
      program.signal(SIGKILL)
      _ = await program.status()
    }
  }

  private func environment(_ baton: Installation) -> [String: String] {
    // The folder of the programs comes first, so that scripts find batonctl.
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return ["BATON_SOCKET": baton.socket, "PATH": Program.products + ":" + path]
  }

  @Test func moderationBotHidesWordsAndMutesWhoInsists() async throws {
    var (baton, daemon, sandbox, channel, relay) = try await start()
    try await say(["The casino is closed.", "A good day"], by: "ann", in: channel, at: relay, baton)
    _ = try await baton.watchMessages { $0.messages.count == 2 }
    let words = baton.folder.path + "/words.txt"
    try "# bad words\nCasino\ncheap pills\n".write(toFile: words, atomically: true, encoding: .utf8)
    let bot = try Program(
      "/usr/bin/python3", ["-u", Self.examples + "/moderation-bot/moderation_bot.py", words, "--mute-after", "2"],
      environment: environment(baton))
    try await bot.line(containing: "watching")
    #expect(try await baton.allMessages().map { $0["text"] } == ["A good day"])
    let before = bot.lines.count

    // Case, accents and what no one sees do not help, and a part of a word is none.
    try await say(["CA\u{200B}SÍNO now", "the casinos here"], by: "eve", in: channel, at: relay, baton)
    // It counts what it has heard the reply of.
    try await bot.line(containing: "hid message", from: before)
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    try await say(["cheap pills", "hello"], by: "eve", in: channel, at: relay, baton)
    daemon = try await baton.start()
    try await bot.line(containing: "muted")
    _ = try await baton.watchMessages { $0.messages.count == 6 && $0.messages.values.count { $0["hidden"] == true } == 5 }
    #expect(try await baton.allMessages().map { $0["text"] } == ["A good day"])
    bot.signal(SIGTERM)
    #expect(await bot.status() == 0)
    try "# nothing\n".write(toFile: words, atomically: true, encoding: .utf8)
    let none = try await Program.run(
      "/usr/bin/python3", [Self.examples + "/moderation-bot/moderation_bot.py", words], environment: environment(baton))
    #expect(none.status == 1 && none.lines.contains { $0.contains("holds no words") }, "\(none.lines)")
    await stop(daemon, sandbox)
  }

  @Test func bridgePrintsEachMessageOnce() async throws {
    var (baton, daemon, sandbox, channel, relay) = try await start()
    try await say(["one", "tw\u{1B}o\nlines"], by: "ann", in: channel, at: relay, baton)
    _ = try await baton.watchMessages { $0.messages.count == 2 }
    let bridge = try Program("example-bridge", ["1"], environment: environment(baton))
    var lines: [String] = []
    func read(until text: String) async throws { lines.append(try await bridge.line(containing: text)) }
    for text in ["one", "lines"] { try await read(until: text) }
    try await baton.publish("three")
    try await read(until: "three")
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    try await say(["four"], by: "ann", in: channel, at: relay, baton)
    daemon = try await baton.start()
    try await read(until: "four")
    let messages = try lines.map { try JSONParser.parse($0) }
    #expect(messages.map { $0["text"]?.string } == ["one", "tw\u{1B}o\nlines", "three", "four"], "\(lines)")
    #expect(messages.map { $0["own"] } == [false, false, true, false])
    #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
    #expect(Set(messages.compactMap { $0["id"]?.integer }).count == 4)
    let wrong = try await Program.run(Program.products + "/example-bridge", ["News"])
    #expect(wrong.status == 64)
    await stop(bridge, daemon, sandbox)
  }

  @Test func digestPrintsWhatIsUnreadOnce() async throws {
    let (baton, daemon, sandbox, channel, relay) = try await start()
    func digest(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
      try await Program.run("/bin/sh", [Self.examples + "/digest/digest.sh"] + arguments, environment: environment(baton))
    }
    #expect(try await digest().lines.isEmpty)
    try await say(["one", "two"], by: "ann", in: channel, at: relay, baton)
    _ = try await baton.watchMessages { $0.messages.count == 2 && $0.conversations[1]?["unread"] == 2 }
    for arguments in [["--keep"], []] {
      let printed = try await Program.run(
        "/bin/sh", [Self.examples + "/digest/digest.sh"] + arguments, environment: environment(baton))
      #expect(printed.status == 0 && ["    one", "    two"].allSatisfy(printed.lines.contains), "\(printed.lines)")
    }
    #expect(try await digest().lines.isEmpty)
    #expect(try await digest("--all").status == 64)
    await stop(daemon, sandbox)
  }
}
