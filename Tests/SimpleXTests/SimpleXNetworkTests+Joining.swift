import Channels
import RelayNetwork
import ScriptedCore
import Testing

@testable import SimpleX

// Channels of others, over real connections to a scripted core.
extension SimpleXNetworkTests {
  private static let identity = IdentityID(rawValue: 1)
  private static let channel = ChannelID(rawValue: 9)

  private func join(_ link: String, _ bench: Bench) async throws -> FoundChannel {
    let reference = try #require(try bench.network.channel(fromLink: link))
    return try await bench.network.join(reference, as: Self.identity)
  }

  /// Why a channel cannot be joined.
  private func refusal(_ link: String, _ bench: Bench) async throws -> String {
    let reference = try #require(try bench.network.channel(fromLink: link))
    do {
      _ = try await bench.network.join(reference, as: Self.identity)
      return "joined"
    } catch {
      return error.description
    }
  }

  /// Asks until it is joined, as it is once there is a connection again.
  private func joinsInTheEnd(_ link: String, _ bench: Bench) async throws {
    var last = ""
    for _ in 0..<400_000 {
      last = try await refusal(link, bench)
      if last == "joined" { return }
    }
    Issue.record("it is never joined: \(last); \(bench.reports.suffix(5))")
  }

  /// Joins, and loses the connections before the answer to `command` is there.
  private func cutOff(_ link: String, at command: String, _ bench: Bench) async throws {
    try await bench.server.holdNextReply(to: command)
    async let first = refusal(link, bench)
    try await bench.server.wait(forCommand: command)
    try await bench.server.dropConnections()
    #expect(try await first != "joined")
  }

  private func memberships(_ bench: Bench) async throws -> [Int64: String] {
    try await bench.server.withModel { $0.memberships }
  }

  @Test func channelOfOthersIsJoinedReadAndLeft() async throws {
    let bench = try await Bench()
    let link = try await bench.server.withModel { $0.offer("Their News", about: "all of it") }
    let found = try await join(link, bench)
    #expect(found.name == "Their News" && found.about == "all of it" && !found.isOwn)
    #expect(found.content.networkID.wholeMatch(of: /1\/public-\d+/) != nil && found.content.trustAnchor == link)
    #expect(bench.network.link(of: found.content, activeRelays: []) == link)
    let said = try await bench.server.received.filter { $0.contains("connect ") || $0.contains("prepare") }
    #expect(said.count == 3 && said[0] == "/_connect plan 1 \(link)" && said[2] == "/_connect group #1 incognito=on")
    #expect(said[1].hasPrefix("/_prepare group 1 simplex:/contact#/?v=") && said[1].contains(" \(link) direct=off {"))
    #expect(try await join(link, bench).content.networkID == found.content.networkID, "again does no harm")
    #expect(try await memberships(bench) == [1: "joined"])

    try await bench.server.withModel { _ = $0.say(.init("Hello"), by: nil, channel: 1) }
    bench.network.follow(FollowedChannel(id: Self.channel, content: found.content, relays: [:], isOwned: false))
    await bench.heard { report in
      guard case .read(let batch) = report else { return false }
      bench.network.took(batch.id)
      return batch.news.contains {
        if case .message(let message) = $0.what { message.text == "Hello" && !message.isOwn } else { false }
      }
    }
    await bench.heard { $0 == .synced(channel: Self.channel, relay: .network, .complete) }

    bench.network.unfollow(Self.channel)
    try await bench.network.leave(found.content)
    #expect(try await memberships(bench) == [:])
    try await bench.network.leave(found.content)
    #expect(try await bench.server.received.count { $0 == "/_leave #1" } == 1, "what is gone is not left again")
    #expect(try await !join(link, bench).isOwn, "it can be joined again")
    try await bench.end()
  }

  /// The number of a channel that is gone is given out again.
  @Test func anotherChannelOfTheSameNumberIsNotLeft() async throws {
    let bench = try await Bench()
    let links = try await bench.server.withModel { model in [model.offer("One"), model.offer("Two")] }
    let first = try await join(links[0], bench)
    try await bench.network.leave(first.content)
    let second = try await join(links[1], bench)
    #expect(first.content.group == second.content.group && first.content.networkID != second.content.networkID)
    try await bench.network.leave(first.content)
    #expect(try await memberships(bench) == [1: "joined"])
    try await bench.end()
  }

  @Test(arguments: [
    (CoreModel.Offer.Fate.noRelays, "no relay serves"), (.tooOld, "too old"), (.person, "known kind of channel"),
    (.unreachable, "reports"),
  ])
  func channelThatCannotBeJoinedLeavesNothingBehind(_ fate: CoreModel.Offer.Fate, _ words: String) async throws {
    let bench = try await Bench()
    let link = try await bench.server.withModel { $0.offer("Theirs", fate) }
    let refusal = try await refusal(link, bench)
    #expect(refusal.contains(words), "\(refusal)")
    #expect(try await memberships(bench) == [:])
    try await bench.server.withModel { $0.change(link, to: .joins) }
    #expect(try await self.refusal(link, bench) == "joined")
    try await bench.end()
  }

  @Test func linksThatLeadNowhereAreRefused() async throws {
    let bench = try await Bench()
    let (channel, dead) = ("https://smp8.simplex.im/c#", String(repeating: "B", count: 42) + "A")
    #expect(try await refusal(channel + dead, bench).contains("chat core reports"))
    for letter in ["a", "g", "r"] {
      #expect(throws: NetworkFailure.self) {
        try bench.network.channel(fromLink: "https://smp8.simplex.im/\(letter)#\(dead)")
      }
    }
    #expect(throws: NetworkFailure.self) { try bench.network.channel(fromLink: channel + "short") }
    #expect(try bench.network.channel(fromLink: "nostr:nevent1abc") == nil)
    #expect(try await bench.server.received.allSatisfy { !$0.contains("_prepare") })
    try await bench.end()
  }

  /// An attempt that was cut off after any of its steps is gone on with.
  @Test(arguments: ["/_connect plan", "/_prepare group", "/_connect group"])
  func attemptThatWasCutOffIsGoneOnWith(_ command: String) async throws {
    let bench = try await Bench()
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    try await cutOff(link, at: command, bench)
    // It waits until there is a connection again.
    await bench.heard { if case .state(_, let state) = $0 { state.trouble != nil } else { false } }
    try await joinsInTheEnd(link, bench)
    #expect(try await memberships(bench) == [1: "joined"], "and joined once")
    try await bench.end()
  }

  @Test func whoWasRemovedIsToldSo() async throws {
    let bench = try await Bench()
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    let found = try await join(link, bench)
    for (status, words) in [("removed", "removed"), ("deleted", "deleted"), ("rejected", "let")] {
      try await bench.server.withModel { $0.setStatus(status, channel: 1) }
      let refusal = try await refusal(link, bench)
      #expect(refusal.contains(words), "\(refusal)")
    }
    try await bench.server.withModel { $0.setStatus("accepted", channel: 1) }
    #expect(try await refusal(link, bench) == "joined", "it is on its way")
    try await bench.server.withModel { $0.setStatus("removed", channel: 1) }
    try await bench.network.leave(found.content)
    #expect(try await memberships(bench) == [:])
    #expect(try await bench.server.received.allSatisfy { $0 != "/_leave #1" }, "there is nothing to leave")
    // Whoever has left joins again.
    _ = try await join(link, bench)
    try await bench.server.withModel { $0.setStatus("left", channel: 1) }
    #expect(try await refusal(link, bench) == "joined")
    #expect(try await memberships(bench) == [1: "joined"])
    try await bench.end()
  }

  /// A link to an own channel is known as such, and is never left.
  @Test func ownChannelIsNotJoined() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    _ = await bench.perform(.invite, 1, at: 1)
    let content = try #require(bench.content(1))
    let found = try await join(content.trustAnchor, bench)
    #expect(found.isOwn && found.content.networkID == content.networkID)
    try await bench.network.leave(content)
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    #expect(try await bench.server.received.allSatisfy { !$0.hasPrefix("/_leave") && !$0.hasPrefix("/_delete") })
    try await bench.end()
  }

  /// Another user of the core does not see the channel: it is not left by that.
  @Test func channelOfAnotherUserIsNotTakenForGone() async throws {
    let bench = try await Bench()
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    let found = try await join(link, bench)
    _ = try await bench.server.withModel { model in
      _ = model.execute(#"/_create user {"profile":{"displayName":"eve","fullName":""},"pastTimestamp":false}"#)
    }
    await #expect(throws: NetworkFailure.self) { try await bench.network.leave(found.content) }
    #expect(try await memberships(bench) == [1: "joined"])
    _ = try await bench.server.withModel { model in _ = model.execute("/_user 1") }
    while (try? await bench.network.leave(found.content)) == nil {}
    #expect(try await memberships(bench) == [:])
    try await bench.end()
  }

  /// Whoever was removed still has old messages in the core. That does not make the channel fresh.
  @Test func channelToWhichOneDoesNotBelongIsNotFresh() async throws {
    let bench = try await Bench()
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    let found = try await join(link, bench)
    try await bench.server.withModel { $0.setStatus("removed", channel: 1) }
    bench.network.follow(FollowedChannel(id: Self.channel, content: found.content, relays: [:], isOwned: false))
    await bench.heard { report in
      guard case .synced(_, .network, .failed(let trouble)) = report else { return false }
      return trouble.cause == .left
    }
    #expect(!bench.reports.contains { if case .synced(_, _, .complete) = $0 { true } else { false } })
    try await bench.end()
  }

  /// As long as the core may still be joining, nothing else is done about the link.
  @Test func lostAnswerIsNotJoinedBesides() async throws {
    let bench = try await Bench(doubtTime: .seconds(600))
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    var others = try await bench.server.withModel { model in (1...10).map { model.offer("Other \($0)") } }
    try await cutOff(link, at: "/_connect group", bench)
    // What is asked for before the end of the connection is noticed is in doubt as well; something else works once there is a connection.
    var last = ""
    for _ in 0..<400_000 where last != "joined" {
      last = try await refusal(try #require(others.first), bench)
      if last.contains("may still be joining") { others.removeFirst() }
    }
    #expect(last == "joined")
    let second = try await refusal(link, bench)
    #expect(second.contains("may still be joining"), "\(second)")
    try await bench.end()
  }

  /// Whoever asks a network that ends is told so.
  @Test func errandsAreAnsweredWhenTheNetworkEnds() async throws {
    let bench = try await Bench()
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    let found = try await join(link, bench)
    try await bench.end()
    #expect(try await refusal(link, bench) == "Baton ends")
    await #expect(throws: NetworkFailure.self) { try await bench.network.leave(found.content) }
  }

  /// No one joins for someone who does not wait any more.
  @Test func joinThatWasCancelledInTimeIsNotDone() async throws {
    let bench = try await Bench()
    let links = try await bench.server.withModel { model in [model.offer("One"), model.offer("Two")] }
    try await bench.server.holdNextReply(to: "/_connect plan")
    async let first = join(links[0], bench)
    try await bench.server.wait(forCommand: "/_connect plan")
    let reference = try #require(try bench.network.channel(fromLink: links[1]))
    let second = Task { [network = bench.network] in try await network.join(reference, as: Self.identity) }
    second.cancel()
    try await bench.server.releaseReplies()
    #expect(try await first.name == "One")
    #expect(await (try? second.value) == nil)
    #expect(try await memberships(bench) == [1: "joined"])
    try await bench.end()
  }

  /// Joining takes minutes at times. Channels of Baton's own go on meanwhile, and so do tests.
  @Test func joiningHoldsUpNothing() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    _ = await bench.perform(.invite, 1, at: 1)
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    try await bench.server.holdNextReply(to: "/_connect plan")
    async let joined = join(link, bench)
    try await bench.server.wait(forCommand: "/_connect plan")
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    #expect(try await bench.test(2).allSatisfy { $0.failure == nil })
    try await bench.server.releaseReplies()
    #expect(try await joined.name == "Theirs")
    try await bench.end()
  }

  @Test func withoutACoreNothingIsJoined() async throws {
    let bench = try await Bench()
    await bench.heard { if case .state(_, let state) = $0 { state.trouble == nil } else { false } }
    let link = try await bench.server.withModel { $0.offer("Theirs") }
    try await bench.server.stop()
    await bench.heard { $0.fault != nil }
    #expect(try await refusal(link, bench) != "joined")
    try await bench.server.restart()
    try await joinsInTheEnd(link, bench)
    // Of another user.
    _ = try await bench.server.withModel { model in
      _ = model.execute(#"/_create user {"profile":{"displayName":"eve","fullName":""},"pastTimestamp":false}"#)
    }
    let second = try await bench.server.withModel { $0.offer("Others") }
    #expect(try await refusal(second, bench) != "joined")
    #expect(try await bench.server.withModel { $0.memberships.count } == 1)
    try await bench.end()
  }
}
