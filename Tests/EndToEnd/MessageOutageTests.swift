import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Daemons that end, relays that are down, and clients that come back later: nothing that was said is lost, or there twice.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MessageOutageTests {
  private func stop(_ daemon: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test func whatWasSaidWhileTheDaemonWasDownIsFoundUnasked() async throws {
    let relays = try await PostRelays()
    var (baton, daemon, channel) = try await MessageTests.start(relays)
    var plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.sayMany(1...60, "before") { _ in 0 }
    try await baton.write(plan)
    _ = try await baton.watchMessages { $0.messages.count == 60 }
    try await baton.sync()
    let before = try await baton.expectServed(in: channel, at: relays.urls)

    for (round, signal) in [SIGKILL, SIGTERM].enumerated() {
      daemon.signal(signal)
      _ = await daemon.status()
      var meanwhile = MessagePlan(channel: channel, relays: relays.urls)
      meanwhile.sayMany(1...40, "meanwhile \(round)") { -Int64($0 % 7) }
      meanwhile.say("slow clock \(round)", by: "author 1", at: -86_400)
      meanwhile.say("fast clock \(round)", by: "author 2", at: 600)
      meanwhile.delete("#meanwhile \(round) 8", by: "author 8")
      try await baton.write(meanwhile)
      daemon = try await baton.start()
      let count = 60 + (round + 1) * 41
      _ = try await baton.watchMessages { $0.texts.count == count }
    }
    // Once more, so that it is known of all relays what they hold.
    try await baton.sync()
    let after = try await baton.expectServed(in: channel, at: relays.urls)
    let known = Set(before.compactMap { $0["id"]?.integer })
    #expect(after.compactMap { $0["id"]?.integer }.filter(known.contains) == before.compactMap { $0["id"]?.integer })
    for (old, new) in zip(before, after.filter { known.contains($0["id"]?.integer ?? 0) }) {
      #expect(old["networkId"] == new["networkId"] && old["receivedAt"] == new["receivedAt"], "\(new)")
    }
    await relays.stop(daemon)
  }

  @Test func syncSaysWhichRelayCouldNotBeReadAndWhatItHadIsReadLater() async throws {
    let relays = try await PostRelays()
    let (baton, daemon, channel) = try await MessageTests.start(relays)
    let fresh = try await baton.sync()["conversation"]
    let syncedAt = try #require(fresh?.freshness[1]?["syncedAt"]?.string)
    var plan = MessagePlan(channel: channel, relays: [relays.urls[0]])
    plan.say("only there", by: "ann")
    try await baton.write(plan)
    _ = try await baton.watchMessages { $0.message("only there") != nil }

    await relays.lose()
    var others = MessagePlan(channel: channel, relays: Array(relays.urls.dropFirst()))
    others.sayMany(1...20, "elsewhere") { _ in 0 }
    try await baton.write(others)
    _ = try await baton.watchMessages { $0.messages.count == 21 }
    let dead = try await baton.sync(isComplete: false)["conversation"]
    #expect(
      dead?.freshness[1]?["cause"] == "unreachable" && dead?.freshness[1]?["detail"]?.string?.isEmpty == false,
      "\(dead ?? .null)")
    // What was known of it stays known, and the others are as fresh as before.
    #expect(dead?.freshness[1]?["syncedAt"]?.string == syncedAt, "\(dead ?? .null)")
    for id in Int64(2)...3 {
      let freshness = dead?.freshness[id]
      #expect(freshness?["cause"] == nil && freshness?["syncedAt"]?.string ?? "" > syncedAt, "\(dead ?? .null)")
    }
    let shown = try await baton.control("messages", "sync", "News")
    #expect(shown.lines.contains { $0.contains("r1") && $0.contains("unreachable") }, "\(shown.lines)")

    try await relays.restart()
    plan = MessagePlan(channel: channel, relays: [relays.urls[0]])
    plan.say("back again", by: "ann")
    try await baton.write(plan)
    // No one asks for anything: the relay is back.
    _ = try await baton.watchMessages { $0.message("back again") != nil }
    let healed = try await baton.sync()["conversation"]
    #expect(healed?.freshness[1]?["cause"] == nil && healed?.freshness[1]?["syncedAt"]?.string ?? "" > syncedAt)
    try await baton.expectServed(in: channel, at: relays.urls)
    await relays.stop(daemon)
  }

  @Test func watchGoesOnWhereItEndedWithoutLossAndRepetition() async throws {
    let relays = try await PostRelays()
    var (baton, daemon, channel) = try await MessageTests.start(relays)
    var plan = MessagePlan(channel: channel, relays: relays.urls)
    // Dates are whole seconds: none of these is in the one in which reading began.
    plan.sayMany(1...30, "first") { _ in 5 }
    let first = try await baton.write(plan)
    _ = try await baton.watchMessages { $0.messages.count == 30 }
    // From here on it is known which relays have them, so they do not change by themselves.
    try await baton.sync()
    var client = try await baton.watchMessages { state in
      state.messages.count == 30
        && state.messages.values.allSatisfy { message in
          let number = message["text"]?.string?.split(separator: " ").last.flatMap { Int($0) } ?? 0
          return message["relayIds"]?.array?.count == (number.isMultiple(of: 2) ? 3 : 1)
        }
    }

    // No one watches, and then no one could.
    plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.sayMany(1...20, "second") { _ in 5 }
    plan.delete(try #require(first.ids["first 12"]), by: "author 0")
    try await baton.write(plan)
    _ = try await baton.watchMessages { $0.messages.count == 50 }
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.sayMany(1...20, "third") { _ in 5 }
    try await baton.write(plan)
    daemon = try await baton.start()
    try await baton.sync()

    client.forgetSent()
    client = try await baton.watchMessages(from: client) {
      $0.messages.count == 70 && $0.texts.count == 69 && $0.conversations[1]?["unread"] == 69
    }
    let fresh = client.messages.filter { $0.value["text"]?.string?.hasPrefix("first") == false }.keys
    #expect(Set(client.sent) == Set(fresh), "what has not changed is not sent again: \(client.sent)")
    // Whoever begins now knows the same.
    let newcomer = try await baton.watchMessages {
      $0.messages.count == 70 && $0.conversations[1]?["unread"] == 69 && $0.revision >= client.revision
    }
    #expect(newcomer.messages == client.messages)
    for field in ["revision", "unread", "lastMessageId"] {
      #expect(newcomer.conversations[1]?[field] == client.conversations[1]?[field], "\(field)")
    }
    #expect(client.conversations[1]?["unread"] == 69, "\(client.conversations)")
    await relays.stop(daemon)
  }

  /// LocalRelay serves five hundred messages at once, and takes what is written while the daemon is away.
  @Test func killedDaemonLosesNoMessageAndHasNoneTwice() async throws {
    let port = Program.freePort()
    let relay = try Program(
      ThirdPartyRelay.python + "/python3", ["-B", ThirdPartyRelay.scripts + "/local_relay.py", "\(port)"])
    try await relay.line(containing: "ready")
    let url = "ws://127.0.0.1:\(port)"
    let count = 1_000
    let baton = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms", "BATON_MESSAGES_COUNT": "\(2 * count)"])
    var daemon = try await baton.start()
    try await baton.addRelays([url])
    let channel = try await baton.createChannel("News", relays: ["r1"])
    var plan = MessagePlan(channel: channel, relays: [url])
    // As many authors that none says more than is kept of one in a minute.
    for number in 1...count { plan.say("message \(number)", by: "author \(number % 40)", at: -Int64(number % 3)) }
    plan.perSecond = 200

    let seed = Seeds.repeated ?? UInt64.random(in: 0 ... .max)
    var random = Seeded(state: seed)
    let writer = try baton.beginWriting(plan)
    var seen = WatchedMessages()
    for _ in 0..<4 {
      let wanted = min(count, seen.messages.count + Int(random.next() % 200) + 1)
      seen = try await baton.watchMessages(from: seen) { $0.messages.count >= wanted }
      daemon.signal(SIGKILL)
      #expect(await daemon.status() == -SIGKILL)
      daemon = try await baton.start()
    }
    let written = try await baton.written(writer)
    #expect(written.refused.isEmpty && written.ids.count == count, "\(written.refused.count)")
    try await baton.sync()
    let all = try await baton.allMessages()
    #expect(Set(all.compactMap { $0["networkId"]?.string }) == Set(written.ids.values), "seed \(seed): \(all.count)")
    #expect(all.count == count, "seed \(seed)")
    // What clients were told before is what is there: nothing got another name, and nothing is gone.
    let listed = Dictionary(all.map { ($0["id"]?.integer ?? 0, $0["networkId"]) }) { first, _ in first }
    for (id, message) in seen.messages { #expect(listed[id] == message["networkId"], "seed \(seed): \(message)") }
    seen = try await baton.watchMessages(from: seen) { $0.messages.count == count }
    #expect(Set(seen.messages.keys) == Set(listed.keys), "seed \(seed)")
    await stop(daemon)
    relay.signal(SIGKILL)
    _ = await relay.status()
  }
}
