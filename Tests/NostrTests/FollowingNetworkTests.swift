import Channels
import Foundation
import RelayNetwork
import Testing

@testable import Nostr
@testable import Sandbox

/// Channels are followed at relays of the sandbox, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct FollowingNetworkTests {
  /// A channel, its relays, and what was read there.
  private final class Desk {
    let bench: NetworkBench
    let relays: [SandboxRelay]
    let content: ChannelContent
    let channel = ChannelID(rawValue: 1)
    var takes = true
    /// The names of messages that are known to have been at each relay.
    var known: Set<String> = []
    private(set) var batches: [MessageBatch] = []
    private(set) var untaken: [MessageBatch.ID] = []
    private(set) var searches: [RelayID: RelaySearchOutcome] = [:]
    private(set) var syncs: [(relay: RelayID, outcome: MessageSync)] = []

    init(_ count: Int = 1, kind: ChannelKind = .channel) async throws {
      var relays: [SandboxRelay] = []
      for _ in 0..<count { relays.append(try await SandboxRelay.start()) }
      self.relays = relays
      bench = try NetworkBench()
      content = try await bench.network.prepare(
        ChannelDraft(
          kind: kind, identity: NetworkBench.identityID, profile: Profile(displayName: "News"), relays: [relays[0].url]))
      if kind == .group {
        #expect(await bench.perform(.invite, content, at: relays[0].url) == .accepted(link: relays[0].url))
      }
    }

    var addresses: [RelayID: String] {
      Dictionary(uniqueKeysWithValues: relays.enumerated().map { (RelayID(rawValue: Int64($0 + 1)), $1.url) })
    }
    var news: [MessageNews] { batches.flatMap(\.news) }
    var messages: [ReadMessage] { news.compactMap { if case .message(let message) = $0.what { message } else { nil } } }
    var texts: [String] { messages.map(\.text) }

    func follow(at addresses: [RelayID: String]? = nil, window: MessageWindow = MessageWindow()) {
      bench.network.follow(
        FollowedChannel(id: channel, content: content, relays: addresses ?? self.addresses, window: window))
    }

    func message(_ text: String, by key: SecretKey = Saying.alice, at date: Int64 = Int64(Date().timeIntervalSince1970))
      -> NostrEvent
    {
      Saying.event(42, [["e", content.networkID, "", "root"]], text, at: date, by: key)
    }

    func event(_ kind: Int, _ tags: [[String]], _ content: String = "", by key: SecretKey = Saying.alice) -> NostrEvent {
      Saying.event(kind, tags, content, at: Int64(Date().timeIntervalSince1970), by: key)
    }

    /// A relay gets an event of someone.
    func say(_ event: NostrEvent, at index: Int = 0) throws {
      _ = try relays[index].store.add(event)
      relays[index].push([event])
    }

    func take() { if !untaken.isEmpty { bench.network.took(untaken.removeFirst()) } }

    /// Reads on until it is so.
    func until(_ isSo: () -> Bool) async {
      guard !isSo() else { return }
      for await report in bench.reports {
        switch report {
        case .read(let batch):
          batches.append(batch)
          untaken.append(batch.id)
          if takes { take() }
        case .synced(_, let relay, let outcome): syncs.append((relay, outcome))
        case .searched(_, let relay, _, let outcome): searches[relay] = outcome
        case .served(let inventory):
          bench.network.lacks(StoredNames(messages: known.subtracting(inventory.served).sorted()), in: inventory)
        default: break
        }
        if isSo() { return }
      }
    }

    func end() async {
      await bench.end()
      for relay in relays { await relay.stop() }
    }
  }

  @Test func messagesOfStrangersArriveByPagingAndLiveFromEachRelay() async throws {
    let desk = try await Desk(2)
    let before = desk.message("before", at: 1_700_000_000)
    for index in 0...1 { try desk.say(before, at: index) }
    desk.follow(window: MessageWindow(days: nil))
    await desk.until { desk.syncs.count == 2 }
    #expect(desk.syncs.allSatisfy { $0.outcome == .complete } && desk.texts == ["before", "before"])
    #expect(Set(desk.batches.compactMap(\.relay)) == Set(desk.addresses.keys) && desk.news.allSatisfy { !$0.isLive })
    let mention = desk.event(
      42, [["e", desk.content.networkID, "", "root"], ["p", desk.content.trustAnchor]], "live", by: Saying.bob)
    for index in 0...1 { try desk.say(mention, at: index) }
    await desk.until { desk.texts.count == 4 }
    #expect(
      desk.news.suffix(2).allSatisfy(\.isLive) && desk.messages.suffix(2).allSatisfy { $0.text == "live" && $0.isMention })
    #expect(desk.messages.last?.author == Saying.bob.publicKey)
    await desk.end()
  }

  @Test func eventsThatNobodyCanReadSilenceNoChannel() async throws {
    let desk = try await Desk()
    try await desk.relays[0].set(.unreadable)
    // The session that reads back knows which relay it is that the report is about.
    #expect(await desk.bench.perform(.verify, desk.content, at: desk.relays[0].url) == .missing)
    for number in 1...60 { try desk.say(desk.message("\(number)", at: 1_700_000_000 + Int64(number))) }
    desk.follow(window: MessageWindow(days: nil))
    await desk.until { !desk.syncs.isEmpty }
    #expect(desk.syncs.first?.outcome == .complete && desk.texts.count == 60)
    try desk.say(desk.message("live"))
    await desk.until { desk.texts.count == 61 }
    #expect(desk.texts.last == "live" && desk.relays[0].counts.connections == 2, "one to read back, one to follow")
    await desk.end()
  }

  @Test func messagesThatCannotBeReadAreCounted() async throws {
    let relay = try await SandboxRelay.start(fault: .unreadable)
    let bench = try NetworkBench()
    bench.network.perform(
      RelayOperation(
        task: .verify, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: relay.url, number: 1,
        content: try await bench.content(relay.url)))
    var counts: [Int] = []
    for await report in bench.reports {
      guard case .unreadable(RelayID(rawValue: 1), let count) = report else { continue }
      counts.append(count)
      if counts.reduce(0, +) == 5 { break }
    }
    #expect(counts.first == 1, "it is told of at once, and the others soon")
    await bench.end()
    await relay.stop()
  }

  @Test func deletionsOfWhatIsNotServedAnyMoreAreFound() async throws {
    let desk = try await Desk()
    let (kept, gone) = (desk.message("kept"), desk.message("gone"))
    try desk.say(kept)
    // Relays that follow requests to delete serve the request alone.
    try desk.say(desk.event(5, [["e", gone.id]]))
    desk.known = [kept.id, gone.id]
    desk.follow()
    await desk.until { !desk.syncs.isEmpty }
    #expect(desk.syncs.first?.outcome == .complete && desk.texts == ["kept"])
    let deleted = desk.news.compactMap { if case .deleted(let id, let author) = $0.what { [id, author] } else { nil } }
    #expect(deleted == [[gone.id, Saying.alice.publicKey]])
    await desk.end()
  }

  /// Whichever relay has a message, the others may have what belongs to it.
  @Test func deletionsOfWhatAnotherRelayServesAreFound() async throws {
    let desk = try await Desk(2)
    let message = desk.message("before")
    try desk.say(message)
    try desk.say(desk.event(5, [["e", message.id]]), at: 1)
    desk.follow()
    await desk.until { desk.news.contains { $0.what == .deleted(networkID: message.id, author: Saying.alice.publicKey) } }
    #expect(desk.texts == ["before"])
    await desk.end()
  }

  @Test func reactionsToWhatAnotherRelayServesAreHeard() async throws {
    let desk = try await Desk(2)
    desk.follow()
    await desk.until { desk.syncs.count == 2 }
    let message = desk.message("live")
    try desk.say(message)
    await desk.until { !desk.texts.isEmpty }
    let like = desk.event(7, [["e", message.id], ["p", message.publicKey]], "+", by: Saying.bob)
    try desk.say(like, at: 1)
    let reaction = ReadReaction(networkID: like.id, target: message.id, author: Saying.bob.publicKey, text: "+")
    await desk.until { desk.news.contains { $0.what == .reaction(reaction) } }
    #expect(desk.batches.last?.relay == RelayID(rawValue: 2))
    await desk.end()
  }

  @Test func ownMessagesAreKnown() async throws {
    let desk = try await Desk()
    let post = try desk.bench.network.compose(PostDraft(text: "ours"), in: desk.content, at: [])
    desk.follow()
    await desk.until { !desk.syncs.isEmpty }
    let key = try #require(desk.bench.network.key(of: desk.content))
    let event = desk.message("ours too", by: key)
    try desk.say(event)
    await desk.until { !desk.texts.isEmpty }
    #expect(desk.messages.first?.isOwn == true && desk.messages.first?.networkID == event.id && post.author == key.publicKey)
    await desk.end()
  }

  @Test(arguments: [SandboxFault.forgeID, .forgeSignature])
  func forgedMessagesDoNotArrive(_ fault: SandboxFault) async throws {
    let desk = try await Desk()
    try desk.say(desk.message("before"))
    try await desk.relays[0].set(fault)
    desk.follow()
    await desk.until { !desk.syncs.isEmpty }
    try await desk.relays[0].set(.none)
    let live = desk.message("live")
    try desk.say(
      NostrEvent(
        id: live.id, publicKey: live.publicKey, createdAt: live.createdAt, kind: live.kind, tags: live.tags, content: "forged",
        signature: live.signature))
    try desk.say(desk.event(42, [["e", Saying.name(9), "", "root"]], "elsewhere"))
    try desk.say(desk.message("last"))
    await desk.until { !desk.texts.isEmpty }
    #expect(desk.texts == ["last"])
    // Genuine after all, it arrives.
    desk.bench.network.sync(desk.channel)
    await desk.until { desk.syncs.count == 2 }
    #expect(Set(desk.texts) == ["before", "last"])
    await desk.end()
  }

  @Test func deletionsAndReactionsFollow() async throws {
    let desk = try await Desk()
    let message = desk.message("before")
    try desk.say(message)
    desk.follow()
    await desk.until { !desk.syncs.isEmpty }
    let like = desk.event(7, [["e", message.id], ["p", message.publicKey]], "+", by: Saying.bob)
    try desk.say(like)
    try desk.say(desk.event(5, [["e", message.id]]))
    await desk.until { desk.news.count == 3 }
    #expect(
      desk.news.dropFirst().map(\.what) == [
        .reaction(ReadReaction(networkID: like.id, target: message.id, author: Saying.bob.publicKey, text: "+")),
        .deleted(networkID: message.id, author: Saying.alice.publicKey),
      ])
    await desk.end()
  }

  @Test func groupIsFollowedAtItsRelay() async throws {
    let desk = try await Desk(kind: .group)
    let relay = desk.relays[0]
    desk.follow()
    await desk.until { !desk.syncs.isEmpty }
    let place = ["h", desk.content.networkID]
    let message = desk.event(9, [place], "hello")
    #expect(try relay.takeAsGroup(message)?.accepted == true)
    #expect(try relay.takeAsGroup(desk.event(7, [place, ["e", message.id]], "+", by: Saying.bob))?.accepted == true)
    #expect(try relay.takeAsGroup(desk.event(9005, [place, ["e", message.id]], by: desk.bench.identity))?.accepted == true)
    // Who belongs to the group comes at some time, too.
    func said() -> [MessageNews] { desk.news.filter { if case .members = $0.what { false } else { true } } }
    await desk.until { said().count == 3 && desk.news.count == 5 }
    #expect(desk.texts == ["hello"] && desk.news.allSatisfy(\.isLive))
    #expect(said().last?.what == .deleted(networkID: message.id, author: nil))
    await desk.end()
  }

  @Test func lostConnectionIsOpenedAgainAndCatchesUp() async throws {
    let desk = try await Desk()
    desk.follow()
    await desk.until { !desk.syncs.isEmpty }
    try await desk.relays[0].set(.down)
    for text in ["one", "two", "three"] { _ = try desk.relays[0].store.add(desk.message(text)) }
    try await desk.relays[0].set(.none)
    await desk.until { desk.texts.count == 3 }
    #expect(Set(desk.texts) == ["one", "two", "three"])
    await desk.end()
  }

  @Test func noMoreIsReadThanIsTaken() async throws {
    let desk = try await Desk()
    for number in 1...500 { _ = try desk.relays[0].store.add(desk.message("\(number)", at: 1_700_000_000 + Int64(number))) }
    desk.takes = false
    desk.follow(window: MessageWindow(days: nil))
    var most = 0
    while desk.syncs.isEmpty {
      let count = desk.batches.count
      if desk.untaken.count == MessageOutbox.batchesOutMax || desk.texts.count == 500 { desk.take() }
      await desk.until { desk.batches.count > count || !desk.syncs.isEmpty || desk.texts.count == 500 && !desk.untaken.isEmpty }
      most = max(most, desk.untaken.count)
    }
    #expect(desk.texts.count == 500 && most == MessageOutbox.batchesOutMax)
    await desk.end()
  }

  @Test func relaysThatOfferItSearch() async throws {
    let desk = try await Desk(2)
    let old = desk.message("The old bridge", at: 1_700_000_000)
    for event in [old, desk.message("The old road", at: 1_700_000_001), desk.message("now")] { try desk.say(event, at: 1) }
    try await desk.relays[0].set(.down)
    let addresses = desk.addresses.merging([RelayID(rawValue: 3): "smp://x"]) { own, _ in own }
    desk.follow(at: addresses)
    await desk.until { desk.syncs.contains { $0.outcome == .complete } }
    #expect(desk.texts == ["now"], "others are older than the window")
    desk.bench.network.search(RelaySearch(channel: desk.channel, number: 7, text: "bridge"))
    await desk.until { desk.searches.count == 3 }
    #expect(desk.texts == ["now", "The old bridge"] && desk.searches[RelayID(rawValue: 2)] == .complete)
    let causes = [Int64(1), 3].map { number -> Cause? in
      if case .failed(let trouble)? = desk.searches[RelayID(rawValue: number)] { trouble.cause } else { nil }
    }
    #expect(causes == [.unreachable, .protocol])
    // No one answers for a channel that is not followed.
    desk.bench.network.search(RelaySearch(channel: ChannelID(rawValue: 99), number: 8, text: "bridge"))
    await desk.end()
  }

  @Test func relayThatCannotBeReachedIsReported() async throws {
    let desk = try await Desk()
    try await desk.relays[0].set(.down)
    desk.follow(at: [RelayID(rawValue: 1): desk.relays[0].url, RelayID(rawValue: 2): "smp://x"])
    await desk.until { !desk.syncs.isEmpty }
    guard case .failed(let trouble)? = desk.syncs.first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .unreachable)
    desk.bench.network.sync(desk.channel)
    await desk.until { desk.syncs.count >= 3 }
    let causes = desk.syncs.map { sync -> Cause? in if case .failed(let trouble) = sync.outcome { trouble.cause } else { nil } }
    #expect(Set(causes) == [.unreachable, .protocol])
    await desk.end()
  }

  @Test func channelCanBeLeftAndTakenUpAgain() async throws {
    let desk = try await Desk(2)
    desk.follow()
    await desk.until { desk.syncs.count == 2 }
    // One relay goes.
    desk.follow(at: [RelayID(rawValue: 1): desk.relays[0].url])
    try desk.say(desk.message("unheard"), at: 1)
    try desk.say(desk.message("heard"), at: 0)
    await desk.until { desk.texts.contains("heard") }
    desk.bench.network.unfollow(desk.channel)
    desk.follow()
    await desk.until { desk.syncs.count == 4 && Set(desk.texts) == ["heard", "unheard"] }
    #expect(desk.syncs.allSatisfy { $0.outcome == .complete })
    await desk.end()
  }
}
