import Channels
import NIOCore
import RelayNetwork
import Sandbox
import Testing

@testable import Nostr

/// Posts of the network at relays of the sandbox, over real sockets.
struct PostNetworkTests {
  /// A channel at a relay, and what happens to its posts.
  private final class Desk {
    let bench: NetworkBench
    let relay: SandboxRelay
    let content: ChannelContent
    private var number = 0

    init(_ relay: SandboxRelay, limits: NostrLimits = .patient) async throws {
      self.relay = relay
      bench = try NetworkBench(limits: limits)
      content = try await bench.content(relay.url)
      #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    }

    func compose(_ text: String) throws -> PostDocument {
      try bench.network.compose(PostDraft(text: text), in: content, at: [relay.url])
    }

    /// Begins operations for posts, which are numbered from 1.
    func begin(_ task: DeliveryOperation.Task, _ documents: [PostDocument], deletion: PostDocument? = nil) {
      for (index, document) in documents.enumerated() {
        number += 1
        bench.network.deliver(
          DeliveryOperation(
            task: task, post: PostID(rawValue: Int64(index + 1)), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
            address: relay.url, number: number, content: content, document: document, deletion: deletion))
      }
    }

    /// All outcomes until as many operations are over; posts whose turn comes may leave if they are not among `held`.
    func outcomes(_ count: Int, held: Set<Int64> = []) async -> [Int64: [DeliveryOutcome]] {
      var seen: [Int64: [DeliveryOutcome]] = [:]
      var left = count
      guard left > 0 else { return seen }
      for await report in bench.reports {
        guard case .delivery(let post, let relay, let number, let outcome, _) = report else { continue }
        seen[post.rawValue, default: []].append(outcome)
        if outcome == .handedOver {
          let mayLeave = !held.contains(post.rawValue)
          bench.network.release(DeliveryTurn(post: post, relay: relay, number: number, mayLeave: mayLeave))
        } else {
          left -= 1
        }
        if left == 0 { break }
      }
      return seen
    }

    func deliver(
      _ task: DeliveryOperation.Task, _ document: PostDocument, deletion: PostDocument? = nil
    ) async -> [DeliveryOutcome] {
      begin(task, [document], deletion: deletion)
      return await outcomes(1)[1] ?? []
    }

    func end() async {
      await bench.end()
      await relay.stop()
    }
  }

  @Test func postIsPublishedReadBackAndDeleted() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    let post = try desk.compose("news")
    #expect(await desk.deliver(.verify, post) == [.missing])
    #expect(await desk.deliver(.publish, post) == [.handedOver, .accepted])
    #expect(await desk.deliver(.verify, post) == [.verified(edition: 1)])
    #expect(await desk.deliver(.publish, post) == [.handedOver, .accepted], "it has it already")
    #expect(desk.relay.eventCount == 3, "the channel, its profile, the post")
    let deletion = try desk.bench.network.composeDeletion(of: post, in: desk.content, reason: "")
    #expect(await desk.deliver(.withdraw, post, deletion: deletion) == [.withdrawn])
    #expect(await desk.deliver(.verify, post) == [.missing])
    #expect(await desk.bench.perform(.verify, desk.content, at: desk.relay.url) == .verified(edition: 1), "the channel stays")
    await desk.end()
  }

  @Test func reactionIsPublishedReadBackAndDeleted() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    let network = desk.bench.network
    let post = try desk.compose("news")
    #expect(await desk.deliver(.publish, post) == [.handedOver, .accepted])
    let target = try #require(network.reference(to: post, at: [desk.relay.url]))
    let reaction = try network.composeReaction(ReactionDraft(target: target, text: "👍"), in: desk.content)
    #expect(await desk.deliver(.publish, reaction) == [.handedOver, .accepted])
    #expect(await desk.deliver(.verify, reaction) == [.verified(edition: 1)])
    let deletion = try network.composeDeletion(of: reaction, in: desk.content, reason: "")
    #expect(await desk.deliver(.withdraw, reaction, deletion: deletion) == [.withdrawn])
    #expect(await desk.deliver(.verify, reaction) == [.missing])
    #expect(await desk.deliver(.verify, post) == [.verified(edition: 1)], "the post stays")
    await desk.end()
  }

  @Test func manyPostsArePublishedAndReadBackTogether() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    let posts = try (1...200).map { try desk.compose("news \($0)") }
    desk.begin(.publish, posts)
    let published = await desk.outcomes(200)
    #expect(published.count == 200 && published.values.allSatisfy { $0 == [.handedOver, .accepted] })
    let requests = desk.relay.counts.requestsReceived
    desk.begin(.verify, posts)
    let found = await desk.outcomes(200)
    #expect(found.count == 200 && found.values.allSatisfy { $0 == [.verified(edition: 1)] })
    #expect(desk.relay.counts.requestsReceived - requests < 50, "many in one request")
    await desk.end()
  }

  /// More events come than a relay may send unasked.
  @Test func whatARelayHoldsIsFoundOut() async throws {
    var limits = NostrLimits.patient
    limits.unaskedMax = 100
    let desk = try await Desk(try await SandboxRelay.start(), limits: limits)
    let posts = try (1...300).map { try desk.compose("news \($0)") }
    desk.begin(.publish, posts)
    _ = await desk.outcomes(posts.count)
    let lost = try desk.compose("never published")
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
    for post in posts { #expect(served.holds(post.networkID, of: desk.bench.network.date(of: post)) == true) }
    let isSure = desk.bench.network.date(of: lost).map { !served.unsure.contains($0) } ?? false
    #expect(!isSure || served.holds(lost.networkID, of: desk.bench.network.date(of: lost)) == false)
    await desk.end()
  }

  @Test func postThatMayNotLeaveDoesNotReachTheRelay() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    let before = desk.relay.counts.eventsReceived
    desk.begin(.publish, try (1...3).map { try desk.compose("news \($0)") })
    let seen = await desk.outcomes(2, held: [2])
    #expect(seen == [1: [.handedOver, .accepted], 2: [.handedOver], 3: [.handedOver, .accepted]])
    #expect(desk.relay.counts.eventsReceived - before == 2)
    await desk.end()
  }

  @Test(arguments: [SandboxFault.forgeID, .forgeSignature])
  func forgedPostIsFound(_ fault: SandboxFault) async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    let post = try desk.compose("news")
    #expect(await desk.deliver(.publish, post) == [.handedOver, .accepted])
    try await desk.relay.set(fault)
    guard case .refused(let trouble)? = await desk.deliver(.verify, post).last else { return #expect(Bool(false)) }
    #expect(trouble.cause == .wrongIdentity)
    await desk.end()
  }

  @Test func lyingAcknowledgementIsFound() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    try await desk.relay.set(.lose)
    let post = try desk.compose("news")
    #expect(await desk.deliver(.publish, post) == [.handedOver, .accepted])
    #expect(await desk.deliver(.verify, post) == [.missing])
    await desk.end()
  }

  @Test func relayThatServesOneEventAtATimeHasAll() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    let posts = try (1...5).map { try desk.compose("news \($0)") }
    desk.begin(.publish, posts)
    _ = await desk.outcomes(5)
    try await desk.relay.set(.oneEvent)
    desk.begin(.verify, posts)
    let found = await desk.outcomes(5)
    #expect(found.count == 5 && found.values.allSatisfy { $0 == [.verified(edition: 1)] })
    await desk.end()
  }

  /// The author is the channel's own key, which only its identity can make.
  @Test func relayThatDemandsTheAuthorGetsIt() async throws {
    let desk = try await Desk(try await SandboxRelay.start(fault: .authAuthor))
    #expect(await desk.deliver(.publish, try desk.compose("news")) == [.handedOver, .accepted])
    await desk.end()
  }

  @Test func relayThatCannotBeReachedIsTrouble() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    try await desk.relay.set(.down)
    for task in [DeliveryOperation.Task.publish, .verify] {
      guard case .troubled(let trouble, _)? = await desk.deliver(task, try desk.compose("news")).last else {
        #expect(Bool(false), "\(task)")
        continue
      }
      #expect(trouble.cause == .unreachable)
    }
    await desk.end()
  }

  @Test func addressOfAnotherNetworkIsRefused() async throws {
    let desk = try await Desk(try await SandboxRelay.start())
    let post = try desk.compose("news")
    for (task, cause) in [(DeliveryOperation.Task.publish, Cause.protocol), (.verify, .protocol), (.withdraw, .notSupported)] {
      desk.bench.network.deliver(
        DeliveryOperation(
          task: task, post: PostID(rawValue: 1), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
          address: "smp://x", number: 9, content: desk.content, document: post))
      switch await desk.outcomes(1)[1]?.last {
      case .refused(let trouble), .skipped(let trouble): #expect(trouble.cause == cause, "\(task)")
      case let other: #expect(Bool(false), "\(task): \(String(describing: other))")
      }
    }
    await desk.end()
  }

  /// Nothing is sent before its date is within what the relay says it takes.
  @Test func whatIsDatedTooFarAheadForTheRelayWaits() async throws {
    let body = "{\"limitation\":{\"created_at_upper_limit\":3}}"
    let server = try await CannedServer(
      "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    let bench = try NetworkBench(now: { 5_000 })
    let network = bench.network
    var content = try await bench.content(server.address)
    #expect(network.aheadMax(at: [server.address]) == 60 && network.eventLimits(of: server.address) == nil)
    _ = try await network.document(of: try RelayURL(server.address)).get()
    #expect(network.aheadMax(at: [server.address]) == 3)
    // Equal posts are events only with different dates.
    let posts = try (1...8).map { _ in try network.compose(PostDraft(text: "ok"), in: content, at: [server.address]) }
    let last = try #require(posts.last)
    #expect(network.date(of: last) == Timestamp(milliseconds: 5_007_000))
    network.deliver(
      DeliveryOperation(
        task: .publish, post: PostID(rawValue: 1), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
        address: server.address, number: 1, content: content, document: last))
    for await report in bench.reports {
      guard case .delivery(_, _, _, let outcome, _) = report else { continue }
      guard case .troubled(let trouble, let wait) = outcome else { return #expect(Bool(false), "\(outcome)") }
      #expect(trouble.cause == .rejected && trouble.detail.contains("7 s ahead") && wait == .seconds(4))
      break
    }
    // Readers take the newest edition, so each is dated after the one before.
    let draft = ChannelDraft(
      identity: NetworkBench.identityID, profile: Profile(displayName: "News"), relays: [server.address])
    for _ in 1...5 {
      content = ChannelContent(
        identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
        edition: content.edition + 1, newestEdition: try network.revise(content, as: draft), keySalt: content.keySalt)
    }
    guard case .troubled(_, let wait)? = await bench.perform(.announce, content, at: server.address) else {
      return #expect(Bool(false), "it must wait")
    }
    #expect(wait == .seconds(2))
    await bench.end()
    try await server.stop()
  }

  @Test func postThatIsTooLargeForTheRelayIsNotSent() async throws {
    let body = "{\"limitation\":{\"max_content_length\":20}}"
    let server = try await CannedServer(
      "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    let bench = try NetworkBench()
    let content = try await bench.content(server.address)
    let network = bench.network
    // No one waits for what a relay says about itself: it is asked in the background.
    #expect(network.eventLimits(of: server.address) == nil)
    _ = try await network.document(of: try RelayURL(server.address)).get()
    #expect(network.eventLimits(of: server.address)?.bounds == [.contentLength: 20])
    network.deliver(
      DeliveryOperation(
        task: .publish, post: PostID(rawValue: 1), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
        address: server.address, number: 1, content: content,
        document: try network.compose(PostDraft(text: "twenty-one characters"), in: content, at: [])))
    for await report in bench.reports {
      guard case .delivery(_, _, _, let outcome, _) = report else { continue }
      guard case .skipped(let trouble) = outcome else { return #expect(Bool(false), "\(outcome)") }
      #expect(trouble.cause == .tooLarge && trouble.detail.contains("max_content_length"))
      break
    }
    await bench.end()
    try await server.stop()
  }
}
