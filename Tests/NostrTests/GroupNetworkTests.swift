import Channels
import NIOCore
import RelayNetwork
import StrictJSON
import Synchronization
import Testing

@testable import Nostr
@testable import Sandbox

/// Posts of groups at relays of the sandbox, over real sockets. These refuse events that are more than a minute old, and authors' own
/// deletions (kind 5).
@Suite(.timeLimit(.minutes(10)))
struct GroupNetworkTests {
  /// A time of day that only tests change.
  final class TimeOfDay: Sendable {
    private let seconds = Mutex<Int64>(1_800_000_000)
    var now: Int64 { seconds.withLock { $0 } }
    func pass(_ span: Int64) { seconds.withLock { $0 += span } }
  }

  /// A group at a relay, and what happens to one of its posts.
  final class Desk {
    let (time, relayTime) = (TimeOfDay(), TimeOfDay())
    let bench: NetworkBench
    let relay: SandboxRelay
    let content: ChannelContent
    private var number = 0

    init(fault: SandboxFault = .none) async throws {
      relay = try await SandboxRelay.start(fault: fault, now: { [relayTime] in relayTime.now })
      bench = try NetworkBench(now: { [time] in time.now })
      content = try await bench.network.prepare(
        ChannelDraft(
          kind: .group, identity: NetworkBench.identityID, profile: Profile(displayName: "Club"), relays: [relay.url]))
      #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    }

    func compose(_ text: String) throws -> PostDocument {
      try bench.network.compose(PostDraft(text: text), in: content, at: [relay.url])
    }

    /// - Parameter span: the time that passes before the post may leave, in seconds.
    /// - Returns: the outcomes, and the form that the post has after them.
    func deliver(
      _ task: DeliveryOperation.Task, _ document: PostDocument, deletion: PostDocument? = nil, releasedAfter span: Int64 = 0
    ) async -> (outcomes: [DeliveryOutcome], form: PostDocument) {
      number += 1
      let (post, relayID) = (PostID(rawValue: 1), RelayID(rawValue: 1))
      bench.network.deliver(
        DeliveryOperation(
          task: task, post: post, channel: ChannelID(rawValue: 1), relay: relayID, address: relay.url, number: number,
          content: content, document: document, deletion: deletion))
      var (outcomes, latest): ([DeliveryOutcome], PostDocument) = ([], document)
      for await case .delivery(_, _, number, let outcome, let form) in bench.reports {
        outcomes.append(outcome)
        latest = form ?? latest
        guard outcome == .handedOver else { break }
        for clock in [time, relayTime] { clock.pass(span) }
        bench.network.release(DeliveryTurn(post: post, relay: relayID, number: number, mayLeave: true))
      }
      return (outcomes, latest)
    }

    /// A reaction to a post that readers found.
    func react(to post: PostDocument, with text: String) throws -> PostDocument {
      let target = try #require(bench.network.reference(to: post, at: [relay.url]))
      return try bench.network.composeReaction(ReactionDraft(target: target, text: text), in: content)
    }

    /// The ids of the group's posts that the relay serves, or of its reactions (kind 7).
    func served(kind: Int64 = 9) throws -> [String] {
      let filter: JSONValue = ["kinds": [.integer(kind)], "#h": [.string(content.networkID)]]
      return relay.find(try #require(EventFilter(filter)), for: []).map(\.id)
    }

    func end() async {
      await bench.end()
      await relay.stop()
    }
  }

  @Test func postIsPublishedReadBackAndDeleted() async throws {
    let desk = try await Desk()
    let new = try desk.compose("news")
    #expect(await desk.deliver(.verify, new).outcomes == [.missing])
    let published = await desk.deliver(.publish, new)
    #expect(published.outcomes == [.handedOver, .accepted])
    #expect(try desk.served() == [published.form.networkID])
    #expect(desk.bench.network.link(to: published.form, at: []) == nil, "no reader has found it")
    let found = await desk.deliver(.verify, published.form)
    #expect(found.outcomes == [.verified(edition: 1)] && found.form.networkID == published.form.networkID)
    #expect(desk.bench.network.link(to: found.form, at: [desk.relay.url]) != nil)
    let deletion = try desk.bench.network.composeDeletion(of: found.form, in: desk.content, reason: "wrong")
    #expect(await desk.deliver(.withdraw, found.form, deletion: deletion).outcomes == [.withdrawn])
    #expect(await desk.deliver(.verify, found.form).outcomes == [.missing])
    #expect(try desk.served().isEmpty)
    #expect(await desk.bench.perform(.verify, desk.content, at: desk.relay.url) == .verified(edition: 1), "the group stays")
    await desk.end()
  }

  /// What a member wrote is gone for readers, and the relay was asked by the admin only: it refuses authors' requests (kind 5).
  @Test func messageOfAMemberIsRemoved() async throws {
    let desk = try await Desk()
    let network = desk.bench.network
    let written = await desk.deliver(.publish, try desk.compose("by a member")).form
    // Who wrote it is known from the relay, and nothing but names is stored of it.
    let target = try #require(
      network.reference(toMessage: written.networkID, by: written.author, textBytes: 11, in: desk.content, at: [desk.relay.url])
    )
    let date = Timestamp(milliseconds: desk.time.now * 1_000 + 999)
    let removal = try network.composeRemoval(of: target, createdAt: date, in: desk.content, reason: "spam")
    #expect(removal.message.networkID == written.networkID && removal.message.author == written.author)
    #expect(
      removal.message.text
        == "{\"attempts\":[[\"\(written.networkID)\",\(desk.time.now)]],\"found\":\"\(written.networkID)\",\"kind\":9}")
    #expect(await desk.deliver(.verify, removal.message).outcomes == [.verified(edition: 1)])
    let removed = await desk.deliver(.withdraw, removal.message, deletion: removal.deletion)
    #expect(removed.outcomes == [.withdrawn])
    #expect(await desk.deliver(.verify, removal.message).outcomes == [.missing])
    #expect(try desk.served().isEmpty)
    await desk.end()
  }

  @Test func removalOfWhatOthersWroteIsAskedForByTheAdminAlone() async throws {
    let desk = try await Desk()
    let network = desk.bench.network
    let (id, stranger) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
    let target = PostReference(networkID: id, author: stranger)
    let removal = try network.composeRemoval(
      of: target, createdAt: Timestamp(milliseconds: -1), in: desk.content, reason: "spam")
    let (names, deletion) = (try #require(GroupRemnant(removal.message)), try #require(GroupDeletion(removal.deletion)))
    let events = try deletion.events(for: names, in: desk.content)
    guard case .draft(let kind, let tags, let content)? = events.first, events.count == 1 else {
      await desk.end()
      return #expect(Bool(false), "\(events)")
    }
    #expect(kind == 9_005 && content == "spam" && tags == [["h", desk.content.networkID], ["e", id]])
    let channel = ChannelContent(identity: desk.content.identity, networkID: id, trustAnchor: stranger, document: "")
    #expect(throws: PostFailure.self) {
      try network.composeRemoval(of: target, createdAt: Timestamp(milliseconds: 0), in: channel, reason: "")
    }
    #expect(throws: PostFailure.self, "a reason that relays refuse") {
      try network.composeRemoval(
        of: target, createdAt: Timestamp(milliseconds: 0), in: desk.content, reason: String(repeating: "a", count: 501))
    }
    #expect(network.reference(toMessage: "x", by: stranger, textBytes: 0, in: channel, at: []) == nil)
    #expect(network.reference(toMessage: id, by: "x", textBytes: 0, in: channel, at: []) == nil)
    #expect(network.reference(toMessage: id, by: stranger, textBytes: 0, in: channel, at: [])?.kind == 42)
    await desk.end()
  }

  @Test func postThatWasReleasedLateDoesNotLeaveAndGetsANewDate() async throws {
    let desk = try await Desk()
    let late = await desk.deliver(.publish, try desk.compose("news"), releasedAfter: 31)
    guard late.outcomes.count == 2, case .troubled(let trouble, _) = late.outcomes[1] else {
      return #expect(Bool(false), "\(late.outcomes)")
    }
    #expect(trouble.cause == .timeout && trouble.detail.contains("31 s"))
    #expect(try desk.served().isEmpty)
    let again = await desk.deliver(.publish, late.form, releasedAfter: 30)
    #expect(again.outcomes == [.handedOver, .accepted] && again.form.networkID != late.form.networkID)
    #expect(try #require(GroupPost(again.form)).ids == [again.form.networkID, late.form.networkID])
    let found = await desk.deliver(.verify, again.form)
    #expect(found.outcomes == [.verified(edition: 1)] && found.form.networkID == again.form.networkID)
    #expect(try desk.served() == [found.form.networkID])
    await desk.end()
  }

  @Test func attemptThatTheRelayHasIsFoundWhicheverItIs() async throws {
    let desk = try await Desk()
    let first = await desk.deliver(.publish, try desk.compose("news"))
    try await desk.relay.set(.lose)
    desk.time.pass(5)
    let second = await desk.deliver(.publish, first.form)
    #expect(second.outcomes == [.handedOver, .accepted] && second.form.networkID != first.form.networkID)
    let found = await desk.deliver(.verify, second.form)
    #expect(found.outcomes == [.verified(edition: 1)] && found.form.networkID == first.form.networkID)
    await desk.end()
  }

  @Test func deletionTakesAllAttempts() async throws {
    let desk = try await Desk()
    var form = try desk.compose("news")
    for _ in 1...3 {
      form = await desk.deliver(.publish, form).form
      desk.time.pass(1)
    }
    #expect(try desk.served().count == 3)
    let deletion = try desk.bench.network.composeDeletion(of: form, in: desk.content, reason: "")
    // It is signed when it is sent.
    for clock in [desk.time, desk.relayTime] { clock.pass(3_600) }
    #expect(await desk.deliver(.withdraw, form, deletion: deletion).outcomes == [.withdrawn])
    #expect(try desk.served().isEmpty)
    #expect(await desk.deliver(.verify, form).outcomes == [.missing])
    await desk.end()
  }

  @Test func forgedPostIsFound() async throws {
    let desk = try await Desk()
    let published = await desk.deliver(.publish, try desk.compose("news"))
    for fault in [SandboxFault.forgeID, .forgeSignature] {
      try await desk.relay.set(fault)
      let outcomes = await desk.deliver(.verify, published.form).outcomes
      guard case .refused(let trouble)? = outcomes.last else { return #expect(Bool(false), "\(outcomes)") }
      #expect(trouble.cause == .wrongIdentity)
    }
    await desk.end()
  }

  @Test func relayThatDemandsAuthenticationGetsThePost() async throws {
    let desk = try await Desk(fault: .auth)
    let published = await desk.deliver(.publish, try desk.compose("news"))
    #expect(published.outcomes == [.handedOver, .accepted])
    #expect(try desk.served() == [published.form.networkID])
    await desk.end()
  }

  @Test func relayWhoseClockIsAheadRefusesAndSaysWhy() async throws {
    let desk = try await Desk()
    desk.relayTime.pass(3_600)
    let outcomes = await desk.deliver(.publish, try desk.compose("news")).outcomes
    guard case .troubled(let trouble, _)? = outcomes.last else { return #expect(Bool(false), "\(outcomes)") }
    #expect(trouble.cause == .rejected && trouble.detail.contains("clock") && trouble.detail.contains("event too old"))
    await desk.end()
  }

  @Test func reactionIsPublishedReadBackAndDeleted() async throws {
    let desk = try await Desk()
    let published = await desk.deliver(.publish, try desk.compose("news"))
    let post = await desk.deliver(.verify, published.form).form
    let reaction = await desk.deliver(.publish, try desk.react(to: post, with: "👍"))
    #expect(reaction.outcomes == [.handedOver, .accepted])
    let found = await desk.deliver(.verify, reaction.form)
    #expect(found.outcomes == [.verified(edition: 1)] && found.form.networkID == reaction.form.networkID)
    #expect(try desk.served(kind: 7) == [found.form.networkID] && desk.served() == [post.networkID])
    let deletion = try desk.bench.network.composeDeletion(of: found.form, in: desk.content, reason: "")
    #expect(await desk.deliver(.withdraw, found.form, deletion: deletion).outcomes == [.withdrawn])
    #expect(await desk.deliver(.verify, found.form).outcomes == [.missing])
    #expect(try desk.served(kind: 7).isEmpty && desk.served() == [post.networkID])
    await desk.end()
  }

  @Test func forgottenPostIsReadBackAndDeletedAndNotSentAgain() async throws {
    let desk = try await Desk()
    let network = desk.bench.network
    var form = try desk.compose("news")
    for _ in 1...2 {
      form = await desk.deliver(.publish, form).form
      desk.time.pass(1)
    }
    form = await desk.deliver(.verify, form).form
    let forgotten = PostDocument(
      networkID: form.networkID, author: form.author, text: try #require(network.remnant(of: form)))
    #expect(!forgotten.text.contains("news"))
    let before = desk.relay.counts.eventsReceived
    let again = await desk.deliver(.publish, forgotten).outcomes
    guard case .skipped(let trouble)? = again.first, again.count == 1 else { return #expect(Bool(false), "\(again)") }
    #expect(trouble.cause == .notSupported && desk.relay.counts.eventsReceived == before)
    let found = await desk.deliver(.verify, forgotten)
    #expect(found.outcomes == [.verified(edition: 1)] && found.form == forgotten)
    try await desk.relay.set(.forgeSignature)
    let forged = await desk.deliver(.verify, forgotten).outcomes
    guard case .refused(let flaw)? = forged.last else { return #expect(Bool(false), "\(forged)") }
    #expect(flaw.cause == .wrongIdentity)
    try await desk.relay.set(.none)
    let deletion = try network.composeDeletion(of: forgotten, in: desk.content, reason: "old")
    #expect(try desk.served().count == 2)
    #expect(await desk.deliver(.withdraw, forgotten, deletion: deletion).outcomes == [.withdrawn])
    #expect(try desk.served().isEmpty, "all attempts are named")
    #expect(await desk.deliver(.verify, forgotten).outcomes == [.missing])
    await desk.end()
  }

  @Test func whatTheRelayHoldsIsFoundOut() async throws {
    let desk = try await Desk()
    let published = await desk.deliver(.publish, try desk.compose("news"))
    let reaction = try desk.react(to: await desk.deliver(.verify, published.form).form, with: "+")
    #expect(await desk.deliver(.publish, reaction).outcomes == [.handedOver, .accepted], "that is not compared")
    desk.time.pass(5)
    let lost = try #require(GroupPost(try desk.compose("lost"))).dated(at: desk.time.now).post.document
    let comparison = PostComparison(
      channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: desk.relay.url, number: 7, content: desk.content,
      depth: .all)
    desk.bench.network.compare(comparison)
    var outcome: PostComparisonOutcome?
    for await case .compared(_, _, 7, let what) in desk.bench.reports {
      outcome = what
      break
    }
    guard case .served(let served)? = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
    #expect(served.ids == [published.form.networkID])
    #expect(served.holds(lost.networkID, of: desk.bench.network.date(of: lost)) == false)
    await desk.end()
  }

  @Test func damagedPostIsRefusedAndNothingIsSent() async throws {
    let desk = try await Desk()
    let before = desk.relay.counts.eventsReceived
    let damaged = PostDocument(networkID: "", author: desk.bench.identity.publicKey, text: "{}")
    for task in [DeliveryOperation.Task.publish, .verify, .withdraw] {
      let outcomes = await desk.deliver(task, damaged).outcomes
      guard case .refused(let trouble)? = outcomes.last, outcomes.count == 1 else {
        return #expect(Bool(false), "\(task): \(outcomes)")
      }
      #expect(trouble.cause == .storage)
    }
    #expect(desk.relay.counts.eventsReceived == before)
    await desk.end()
  }

  @Test func postThatIsTooLargeForTheRelayIsNotSent() async throws {
    let body = "{\"limitation\":{\"max_content_length\":20}}"
    let server = try await CannedServer(
      "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    let bench = try NetworkBench()
    let network = bench.network
    _ = network.eventLimits(of: server.address)
    _ = try await network.document(of: try RelayURL(server.address)).get()
    network.deliver(
      DeliveryOperation(
        task: .publish, post: PostID(rawValue: 1), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
        address: server.address, number: 1, content: sessionGroup,
        document: try network.compose(PostDraft(text: "twenty-one characters"), in: sessionGroup, at: [])))
    for await case .delivery(_, _, _, let outcome, _) in bench.reports {
      guard case .skipped(let trouble) = outcome else { return #expect(Bool(false), "\(outcome)") }
      #expect(trouble.cause == .tooLarge && trouble.detail.contains("max_content_length"))
      break
    }
    await bench.end()
    try await server.stop()
  }
}
