import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// What others say on independent relays, written and read there by independent clients.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MessageTests {
  static let everywhere = ["r1", "r2", "r3"]
  private static let day: Int64 = 86_400

  /// A daemon with a channel on three relays of different make.
  /// - Parameter extra: environment variables of the first start.
  static func start(
    _ relays: PostRelays, _ settings: [String: String] = [:], _ extra: [String: String] = [:]
  ) async throws -> (baton: Installation, daemon: Program, channel: String) {
    let baton = try Installation(settings.merging(["BATON_NOSTR_REDIAL_MAX": "500ms"]) { own, _ in own })
    let daemon = try await baton.start(extra)
    try await baton.addRelays(relays.urls)
    return (baton, daemon, try await baton.createChannel("News", relays: everywhere))
  }

  /// The channel has a history before anything in it is read.
  @Test func whatTheRelaysHoldTogetherIsListedOnceInBothDirections() async throws {
    let relays = try await PostRelays()
    var (baton, daemon, channel) = try await Self.start(relays, [:], ["BATON_MESSAGES_FOLLOW": "false"])
    await #expect {
      _ = try await baton.messages("Sync", ["channelId": 1])
    } throws: { "\($0)".contains("org.batond.Messages.NotFollowed") }
    // Settings are changed one by one. An error names the earlier ones, which hold.
    let partly = try await baton.control("channel", "edit", "1", "--mute", "--hide")
    #expect(partly.status == 1 && partly.lines.contains { $0.hasSuffix("warning: Channel 1 is muted.") }, "\(partly)")
    #expect(try await baton.control("channel", "edit", "1", "--no-mute").status == 0)

    var history = MessagePlan(channel: channel, relays: relays.urls)
    // Sixty in one second, and others minutes apart.
    history.sayMany(1...180, "once upon a time") { $0 <= 60 ? -5_000 : -Int64($0) * 97 }
    history.say("back-dated", by: "author 1", at: -20 * Self.day)
    history.say("deleted before it came", by: "author 2", at: -300, isLate: true)
    history.delete("#deleted before it came", by: "author 2")
    history.delete("#once upon a time 2", by: "author 2")
    let written = try await baton.write(history)
    #expect(written.refused.isEmpty, "\(written.refused)")
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)

    daemon = try await baton.start()
    let reply = try await baton.sync()
    #expect(reply["conversation"]?["unread"] == 0, "the history that is there at the beginning is not news")
    for id in Int64(1)...3 {
      let freshness = reply["conversation"]?.freshness[id]
      #expect(freshness?["syncedAt"]?.string != nil && freshness?["cause"] == nil, "\(freshness ?? .null)")
    }
    let old = try await baton.expectServed(in: channel, at: relays.urls)
    #expect(old.count == 180)
    #expect(old.map { $0["text"] }.prefix(1) == ["back-dated"])
    let dates = old.compactMap { $0["createdAt"]?.string }
    #expect(dates == dates.sorted(), "what was asked for is where its date says")

    var news = MessagePlan(channel: channel, relays: relays.urls)
    news.sayMany(1...120, "by the way") { $0 <= 60 ? 0 : Int64($0) - 90 }
    news.say("from the future", by: "author 3", at: 600)
    news.say("from far away", by: "author 4", at: -10 * Self.day)
    news.delete("#by the way 4", by: "author 4")
    // No one deletes what others wrote.
    news.delete("#by the way 6", by: "stranger")
    #expect(try await baton.write(news).refused.allSatisfy { $0.hasPrefix("stranger deletes") })
    try await baton.sync()
    let all = try await baton.expectServed(in: channel, at: relays.urls)
    #expect(all.count == 180 + 121)
    let known = Set(old.compactMap { $0["id"]?.integer })
    let still = all.compactMap { $0["id"]?.integer }.filter(known.contains)
    #expect(still == old.compactMap { $0["id"]?.integer }, "the place never changes")
    let texts = Set(all.compactMap { $0["text"]?.string })
    #expect(texts.isSuperset(of: ["from the future", "from far away", "by the way 6"]) && !texts.contains("by the way 4"))
    let future = try #require(all.first { $0["text"] == "from the future" })
    #expect(future["time"] == future["receivedAt"] && future["createdAt"] != future["time"], "no one writes in the future")
    await relays.stop(daemon)
  }

  @Test func messagesSayWhomTheyAnswerAndWhatOthersThinkOfThem() async throws {
    let relays = try await PostRelays()
    let (baton, daemon, channel) = try await Self.start(relays)
    let post = try await baton.publish("The bridge is open.")
    let name = try #require(post["networkId"]?.string)
    let author = try #require(post["author"]?.string)
    _ = try await baton.post(1, until: \.isPublished)

    var plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.answer(name, of: author, "Since when?", by: "ann")
    let picture = "https://files.example/bridge.jpg"
    let facts = ["imeta", "url \(picture)", "m image/jpeg", "size 1234", "alt a bridge"]
    plan.say("Look: \(picture)", by: "bob", tags: [facts])
    for reader in ["cid", "dan", "eve"] { plan.react("+", to: name, of: author, by: reader) }
    plan.react("🌉", to: "#Since when?", of: author, by: "cid")
    // As clients wrote before there were marks.
    plan.add(42, "Old style", by: "eve", tags: [["e", channel], ["e", "#Since when?"]])
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    try await baton.sync()
    let state = try await baton.watchMessages { state in
      state.messages.count == 4 && state.message("Since when?")?["reactions"]?.array?.first?["count"] == 1
        && state.message("The bridge is open.")?["reactions"]?.array?.first?["count"] == 3
    }

    let own = try #require(state.message("The bridge is open."))
    #expect(own["own"] == true && own["mention"] == false && own["networkId"]?.string == name, "\(own)")
    #expect(own["reactions"] == [["reaction": "+", "count": 3, "own": false]], "\(own)")
    let answer = try #require(state.message("Since when?"))
    #expect(answer["replyTo"] == own["id"] && answer["replyToNetworkId"]?.string == name, "\(answer)")
    #expect(answer["mention"] == true && answer["own"] == false && answer["post"] == nil, "\(answer)")
    #expect(answer["author"]?.string == written.authors["ann"] && answer["networkId"]?.string == written.ids["Since when?"])
    #expect(answer["reactions"] == [["reaction": "🌉", "count": 1, "own": false]], "\(answer)")
    let file = state.message("Look: \(picture)")?["attachments"]?.array ?? []
    #expect(file.count == 1 && file.first?["url"]?.string == picture && file.first?["mimeType"] == "image/jpeg", "\(file)")
    #expect(file.first?["sizeBytes"] == 1234 && file.first?["altText"] == "a bridge", "\(file)")
    #expect(state.message("Old style")?["replyToNetworkId"]?.string == written.ids["Since when?"])
    #expect(state.conversations[1]?["unreadMentions"] == 1, "\(state.conversations)")
    await relays.stop(daemon)
  }

  @Test func channelAnswersAndReactsToWhatOthersWrote() async throws {
    let relays = try await PostRelays()
    let (baton, daemon, channel) = try await Self.start(relays)
    var plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.say("Since when?", by: "ann", on: [0, 1])
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    try await baton.sync()
    let question = try #require(try await baton.allMessages().first)
    let (id, author) = (try #require(question["networkId"]?.string), try #require(question["author"]?.string))
    let message = "\(question["id"]?.integer ?? 0)"

    let reply = try await baton.control("messages", "reply", message, "Since nine.", "--wait", "all")
    #expect(
      reply.status == 0 && reply.lines.first == "Post 1 answers message \(message). Delivering to 3 relays.", "\(reply.lines)")
    for _ in 1...2 {
      let react = try await baton.control("messages", "react", message, "👍", "--wait", "all", "--json")
      #expect(react.status == 0, "\(react.lines)")
    }
    for relay in relays.urls {
      let answers = try await baton.events(at: relay, ["kinds": [42, 7], "#e": [.string(id)]])
      let meaning = try await baton.meaning(of: answers)
      #expect(meaning.count == 2, "\(relay): \(answers)")
      for post in meaning.values {
        #expect(post["mentions"] == [.string(author)], "\(post)")
        // Readers are sent where the message was read, which is not everywhere.
        let reference = (post["kind"] == 7 ? post["to"] : post["reply"])?.array ?? []
        #expect(reference.first?.string == id && relays.urls.prefix(2).contains(reference[1].string ?? ""), "\(post)")
      }
    }
    let state = try await baton.watchMessages { state in
      state.message("Since nine.")?["post"]?["phase"] == "published"
        && state.message("Since when?")?["reactions"]?.array?.isEmpty == false
    }
    #expect(state.message("Since nine.")?["replyTo"] == question["id"])
    #expect(state.message("Since when?")?["reactions"] == [["reaction": "👍", "count": 1, "own": true]])
    let report = try await baton.control("messages", "report", message, "spam", "every hour", "--wait", "all")
    #expect(report.status == 0, "\(report.lines)")
    for relay in relays.urls {
      let reports = try await baton.events(at: relay, ["kinds": [1984], "#e": [.string(id)]])
      #expect(reports.count == 1 && reports.first?["content"] == "every hour", "\(reports)")
      #expect(reports.first?["tags"] == [["e", .string(id), "spam"], ["p", .string(author)]], "\(reports)")
    }
    let refused = try await baton.control("messages", "remove", message, "--yes")
    #expect(refused.status != 0 && refused.lines.contains { $0.contains("anyone may write in a channel") }, "\(refused.lines)")
    #expect(try await baton.control("post", "list", "-o", "name").lines == ["id:1"])
    await relays.stop(daemon)
  }

  /// Names come from profiles (kind 0) on the channel's relays; what is hidden stays hidden whatever happens to the daemon.
  @Test func peopleHaveNamesAndAreMutedForGood() async throws {
    let relays = try await PostRelays()
    var (baton, daemon, channel) = try await Self.start(relays)
    var plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.add(0, #"{"name":"ann","display_name":"Ann Ö."}"#, label: "profile", by: "ann", tags: [])
    plan.say("Since when?", by: "ann")
    plan.say("Buy my stuff", by: "eve")
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    let state = try await baton.watchMessages { $0.message("Since when?")?["authorName"] == "Ann Ö." && $0.messages.count == 2 }
    let (ann, eve) = (try #require(written.authors["ann"]), try #require(written.authors["eve"]))
    #expect(state.message("Buy my stuff")?["authorName"] == nil)
    let people = try await baton.control("people", "News", "--search", "ANN O", "--json")
    #expect(try JSONParser.parse(people.lines.joined()).array?.map { $0["author"]?.string } == [ann], "\(people.lines)")

    let muted = try await baton.control("people", "mute", eve)
    #expect(
      muted.status == 0 && muted.lines.first?.contains("is muted. 1 of their messages is stored here.") == true,
      "\(muted.lines)")
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.say("Buy more", by: "eve")
    plan.say("And where?", by: "ann")
    try await baton.write(plan)
    daemon = try await baton.start()
    _ = try await baton.watchMessages { $0.messages.count == 4 }
    try await baton.sync()
    #expect(try await Set(baton.allMessages().map { $0["text"] }) == ["Since when?", "And where?"])
    let shown = try await baton.control("messages", "News")
    #expect(shown.lines.contains { $0.contains("Ann Ö. (\(ann.prefix(8))") } && !shown.lines.contains { $0.contains("Buy") })
    let hidden = try await baton.control("messages", "News", "--hidden", "-o", "name")
    #expect(hidden.lines.count == 2, "\(hidden.lines)")
    let list = try await baton.control("people", "--muted")
    #expect(list.lines.contains { $0.contains("muted") && $0.contains(String(eve.prefix(8))) }, "\(list.lines)")
    #expect(try await baton.control("people", "unmute", eve).status == 0)
    #expect(try await baton.allMessages().count == 4)
    await relays.stop(daemon)
  }

  @Test func reactionThatIsTakenBackCountsNoMore() async throws {
    let relays = try await PostRelays()
    let (baton, daemon, channel) = try await Self.start(relays)
    var plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.say("The bridge is open.", by: "ann")
    let ann = try #require(try await baton.write(plan).authors["ann"])
    let state = try await baton.watchMessages { $0.messages.count == 1 }
    let name = try #require(state.messages.values.first?["networkId"]?.string)
    plan = MessagePlan(channel: channel, relays: relays.urls)
    for reader in ["bob", "cid", "dan"] { plan.react("+", to: name, of: ann, by: reader) }
    plan.delete("#+ by bob to \(name)", by: "bob", kind: 7)
    // Not everyone may take it back.
    plan.delete("#+ by cid to \(name)", by: "stranger", kind: 7)
    try await baton.write(plan)
    try await baton.sync()
    #expect(try await baton.allMessages().map { $0["reactions"] } == [[["reaction": "+", "count": 2, "own": false]]])
    await relays.stop(daemon)
  }

  @Test func ownPostIsAMessageAtOnceWithItsStatusAndOnlyOnce() async throws {
    let relays = try await PostRelays()
    let (baton, daemon, channel) = try await Self.start(relays)
    await relays.lose()
    try await baton.publish("The bridge is open.")
    let early = try await baton.watchMessages { $0.messages.values.contains { $0["post"]?["id"] == 1 } }
    let first = try #require(early.messages.values.first)
    #expect(early.messages.count == 1 && first["own"] == true && first["text"] == "The bridge is open.", "\(first)")
    let partly = try await baton.watchMessages(from: early) { state in
      state.messages.values.contains { $0["post"]?["phase"] == "partial" && $0["post"]?["shownCount"] == 2 }
    }
    #expect(partly.messages.count == 1)
    try await relays.restart()
    let done = try await baton.watchMessages(from: partly) {
      $0.messages.values.contains { $0["post"]?["phase"] == "published" }
    }
    #expect(Array(done.messages.keys) == [first["id"]?.integer])
    try await baton.sync()
    let listed = try await baton.expectServed(in: channel, at: relays.urls)
    #expect(listed.map { $0["id"] } == [first["id"]])
    let post = try #require(listed.first?["post"])
    #expect(post["relayCount"] == 3 && post["shownCount"] == 3 && post["summary"]?.string?.contains("3") == true, "\(post)")
    #expect(try await baton.conversation()["unread"] == 0, "own messages are never unread")

    #expect(try await baton.control("post", "delete", "1", "--yes").status == 0)
    _ = try await baton.watchMessages(from: done) { $0.messages.values.allSatisfy { $0["deletedAt"] != nil } }
    #expect(try await baton.allMessages().isEmpty)
    #expect(try await baton.allMessages(isDeletedShown: true).map { $0["text"] } == [""])
    await relays.stop(daemon)
  }

  @Test func onlyWhatIsNewsIsUnreadAndARestartKeepsThat() async throws {
    let relays = try await PostRelays()
    var (baton, daemon, channel) = try await Self.start(relays, [:], ["BATON_MESSAGES_FOLLOW": "false"])
    var history = MessagePlan(channel: channel, relays: relays.urls)
    history.sayMany(1...30, "long ago") { -Int64($0) * 60 }
    try await baton.write(history)
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    daemon = try await baton.start()
    #expect(try await baton.sync()["conversation"]?["unread"] == 0)

    let key = try #require(try await baton.publish("Hello")["author"]?.string)
    var news = MessagePlan(channel: channel, relays: relays.urls)
    // Dates are whole seconds: none of these is in the one in which reading began.
    news.sayMany(1...20, "lately") { _ in 5 }
    news.say("Hello yourself", by: "ann", at: 5, tags: [["p", key]])
    try await baton.write(news)
    let unread = try await baton.watchMessages { $0.conversations[1]?["unread"] == 21 && $0.texts.count == 52 }
    #expect(unread.conversations[1]?["unreadMentions"] == 1 && unread.texts.count == 52)

    let arrived = unread.messages.values.filter { $0["own"] == false && $0["text"]?.string?.hasPrefix("long") == false }
      .compactMap { $0["id"]?.integer }.sorted()
    try #require(arrived.count == 21)
    let mark: [String: JSONValue] = ["channelId": 1, "through": .integer(arrived[9])]
    #expect(try await baton.messages("MarkRead", mark)["conversation"]?["unread"] == 11)
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    daemon = try await baton.start()
    try await baton.sync()
    let again = try await baton.conversation()
    #expect(again["unread"] == 11 && again["readThrough"]?.integer == arrived[9], "\(again)")

    // One of those that are unread is taken back by whoever wrote it. Relays that follow the request serve the message no more.
    let last = try #require(
      unread.messages.values.filter { $0["text"]?.string?.hasPrefix("lately") == true }
        .max { ($0["id"]?.integer ?? 0) < ($1["id"]?.integer ?? 0) })
    let number = try #require(last["text"]?.string?.split(separator: " ").last.flatMap { Int($0) })
    var regret = MessagePlan(channel: channel, relays: relays.urls)
    regret.delete(try #require(last["networkId"]?.string), by: "author \(number % 12)")
    try await baton.write(regret)
    #expect(try await baton.sync()["conversation"]?["unread"] == 10)

    #expect(try await baton.messages("MarkRead", ["channelId": 1])["conversation"]?["unread"] == 0)
    let unreadAgain = try await baton.messages("MarkUnread", ["id": .integer(arrived[0])])["conversation"]
    #expect(unreadAgain?["unread"] == 20 && unreadAgain?["unreadMentions"] == 1, "\(unreadAgain ?? .null)")
    #expect(try await baton.messages("Inbox", ["unread": true])["conversations"]?.array?.count == 1)
    #expect(try await baton.messages("MarkRead", ["channelId": 1])["conversation"]?["unreadMentions"] == 0)
    #expect(try await baton.messages("Inbox", ["unread": true])["conversations"] == [])
    await relays.stop(daemon)
  }

  /// The relay of the sandbox serves something else than what it was given.
  @Test func forgedMessagesAreNotShownAndTheRightOnesAreShownLater() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let relays = try await sandbox.sandboxRelays(1)
    let line = try await sandbox.line(containing: "control ")
    let control = try #require(line.split(separator: " ").last)
    func set(_ fault: String) async throws {
      let order = "import urllib.request; urllib.request.urlopen('\(control)/relays/1/\(fault)', data=b'')"
      #expect(try await Program.run("/usr/bin/python3", ["-c", order], environment: ["no_proxy": "127.0.0.1"]).status == 0)
    }
    let baton = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms"])
    let daemon = try await baton.start()
    try await baton.addRelays(relays)
    let channel = try await baton.createChannel("News", relays: ["r1"])
    func write(_ texts: [String]) async throws {
      var plan = MessagePlan(channel: channel, relays: relays)
      for text in texts { plan.say(text, by: "ann") }
      try await baton.write(plan)
    }
    try await write(["one", "two"])
    _ = try await baton.watchMessages { $0.texts.count == 2 }
    for (fault, text) in [("forge-id", "three"), ("forge-signature", "four")] {
      try await set(fault)
      try await write([text])
      // Whether that counts as everything is the network's affair; afterwards all that the relay serves has been read.
      _ = try await baton.messages("Sync", ["channelId": 1, "timeout": 120])
      #expect(try await baton.allMessages().compactMap { $0["text"]?.string } == ["one", "two"], "\(fault)")
    }
    try await set("none")
    try await baton.sync()
    let listed = try await baton.expectServed(in: channel, at: relays)
    #expect(listed.compactMap { $0["text"]?.string }.sorted() == ["four", "one", "three", "two"])
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
