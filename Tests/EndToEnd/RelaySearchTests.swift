import Glibc
import StrictJSON
import TestTools
import Testing

/// Searches at independent relays: one searches (nostr-relay with its index of words), one does not (the same without), and one does not
/// say so (LocalRelay shows no description).
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RelaySearchTests {
  @Test func whatARelayFindsIsThereFromThenOn() async throws {
    let searching = try ThirdPartyRelay(searches: true)
    let (plain, port) = (try ThirdPartyRelay(), Program.freePort())
    let relays = [
      try await searching.start(), try await plain.start(),
      try Program(ThirdPartyRelay.python + "/python3", ["-B", ThirdPartyRelay.scripts + "/local_relay.py", "\(port)"]),
    ]
    try await relays[2].line(containing: "ready")
    let urls = [searching.url, plain.url, "ws://127.0.0.1:\(port)"]
    let baton = try Installation()
    var daemon = try await baton.start()
    try await baton.addRelays(urls)
    let channel = try await baton.createChannel("News", relays: ["r1", "r2", "r3"])
    // What a relay gets while someone listens is heard, whatever its date.
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    let day: Int64 = 86_400
    var plan = MessagePlan(channel: channel, relays: urls)
    plan.say("The old bridge is closed.", by: "ann", at: -200 * day)
    plan.say("Bridges are being closed everywhere.", by: "bob", at: -190 * day, on: [0])
    plan.say("The tunnel is open.", by: "bob", at: -180 * day)
    plan.say("A bridge that was a mistake.", by: "ann", at: -170 * day, on: [0])
    plan.delete("#A bridge that was a mistake.", by: "ann", on: [0])
    // Whoever begins to listen is served the latest messages, however old.
    plan.sayMany(1...60, "by the way") { Int64($0) * 60 - 4_000 }
    plan.say("Good morning.", by: "ann", at: -60)
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    // The relay with the index says OK before it has stored a message, and then tells it to everyone as new.
    for url in urls {
      while try await !baton.posts(of: channel, at: url).contains(where: { $0["content"] == "Good morning." }) {}
    }
    daemon = try await baton.start()
    _ = try await baton.watchMessages { $0.texts.contains("Good morning.") }
    try await baton.sync()

    let before = try await baton.control("messages", "News", "--search", "closed")
    // A relay that is asked for the latest message serves one. The relay with the index keeps what it finds in a set, so it may serve
    // any other.
    let known = ["old bridge", "everywhere"].filter { words in before.lines.contains { $0.contains(words) } }
    #expect(before.status == 0 && known.count < 2, "\(before.lines)")
    let found = try await baton.control("messages", "News", "--search", "closed", "--on-relays")
    #expect(found.status == 0, "\(found.lines)")
    #expect(found.lines.contains("batonctl: warning: relay 'r2' does not offer search"), "\(found.lines)")
    let silent = "batonctl: warning: relay 'r3' did not search: it shows no"
    #expect(found.lines.contains { $0.hasPrefix(silent) }, "\(found.lines)")
    let text = found.lines.joined(separator: "\n")
    #expect(text.contains("The old bridge is") && text.contains("everywhere") && !text.contains("tunnel"), "\(found.lines)")
    // It stays, and nothing of it is news.
    let after = try await baton.control("messages", "News", "--search", "bridge", "--json")
    let hits = try JSONParser.parse(after.lines.joined(separator: "\n")).array ?? []
    #expect(hits.compactMap { $0["message"]?["text"]?.string } == ["The old bridge is closed."])
    let unread = try await baton.conversation()["unread"]?.integer
    #expect(unread == 0, "\(String(describing: unread))")

    for (arguments, words) in [
      (["messages", "--search", "bridge", "--on-relays"], "--on-relays needs a channel and --search."),
      (["messages", "News", "--on-relays"], "--on-relays needs a channel and --search."),
      (["messages", "News", "--search", "x", "--on-relays", "--timeout", "6min"], "--timeout must be 5min or less."),
      (["messages", "News", "--search", "?", "--on-relays"], "it contains no letter or digit"),
    ] {
      let refused = try await baton.control(arguments)
      #expect(refused.status != 0 && refused.lines.joined().contains(words), "\(arguments): \(refused.lines)")
    }
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    for relay in relays { relay.signal(SIGKILL) }
    for relay in relays { _ = await relay.status() }
  }
}
