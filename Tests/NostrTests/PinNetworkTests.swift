import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr
@testable import Sandbox

/// Pinned posts of groups at relays of the sandbox, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct PinNetworkTests {
  private typealias Desk = GroupNetworkTests.Desk

  /// Publishes a post that readers find.
  /// - Returns: its id, and the pin of it.
  private func post(_ text: String, at desk: Desk) async throws -> (id: String, pin: PostDocument) {
    let published = await desk.deliver(.publish, try desk.compose(text))
    let found = await desk.deliver(.verify, published.form)
    #expect(found.outcomes == [.verified(edition: 1)])
    let reference = try #require(desk.bench.network.reference(to: found.form, at: [desk.relay.url]))
    return (found.form.networkID, try desk.bench.network.composePin(of: reference, in: desk.content))
  }

  /// The entries of the list that the relay serves; `nil` if it serves none.
  private func pinned(_ desk: Desk) throws -> [[String]]? {
    let filter: JSONValue = ["kinds": [39_005], "#d": [.string(desk.content.networkID)]]
    let lists = desk.relay.find(try #require(EventFilter(filter)), for: [])
    return lists.first.map { $0.tags.filter { $0.first != "d" } }
  }

  /// Another admin of the group sets a list.
  private func set(_ entries: [[String]], at desk: Desk) throws {
    let list = NostrEvent(
      signedBy: desk.bench.identity, createdAt: desk.time.now, kind: 9_010,
      tags: [["h", desk.content.networkID]] + entries, content: "")
    #expect(try desk.relay.takeAsGroup(try #require(list))?.accepted == true)
  }

  @Test func pinsAreReadBackAndTakenAwayWithoutHarmToOthers() async throws {
    let desk = try await Desk()
    let (first, second) = (try await post("rules", at: desk), try await post("news", at: desk))
    #expect(try pinned(desk) == nil)
    #expect(await desk.deliver(.verify, first.pin).outcomes == [.missing])
    let pin = await desk.deliver(.publish, first.pin)
    #expect(pin.outcomes == [.handedOver, .accepted])
    #expect(await desk.deliver(.verify, pin.form).outcomes == [.verified(edition: 1)])
    let article = ["a", "30023:\(PostSamples.alice):x", "wss://r.example"]
    try set([article, ["e", first.id]], at: desk)
    #expect(await desk.deliver(.publish, second.pin).outcomes == [.handedOver, .accepted])
    #expect(try pinned(desk) == [article, ["e", first.id], ["e", second.id]])

    let deletion = try desk.bench.network.composeDeletion(of: pin.form, in: desk.content, reason: "")
    #expect(await desk.deliver(.withdraw, pin.form, deletion: deletion).outcomes == [.withdrawn])
    #expect(try pinned(desk) == [article, ["e", second.id]])
    #expect(await desk.deliver(.verify, pin.form, deletion: deletion).outcomes == [.missing])
    #expect(await desk.deliver(.verify, second.pin).outcomes == [.verified(edition: 1)])
    #expect(try desk.served().count == 2, "the posts stay")
    // What is as it should be already is not sent again.
    let before = desk.relay.counts.eventsReceived
    #expect(await desk.deliver(.withdraw, pin.form, deletion: deletion).outcomes == [.withdrawn])
    #expect(await desk.deliver(.publish, second.pin).outcomes == [.handedOver, .accepted])
    #expect(desk.relay.counts.eventsReceived == before)
    await desk.end()
  }

  /// Both may leave before the relay has answered to any.
  @Test func pinsThatLeaveTogetherAreBothThere() async throws {
    let desk = try await Desk()
    let posts = [try await post("rules", at: desk), try await post("news", at: desk), try await post("more", at: desk)]
    let network = desk.bench.network
    for (place, post) in posts.enumerated() {
      network.deliver(
        DeliveryOperation(
          task: .publish, post: PostID(rawValue: Int64(10 + place)), channel: ChannelID(rawValue: 1),
          relay: RelayID(rawValue: 1), address: desk.relay.url, number: 1, content: desk.content, document: post.pin))
    }
    var taken: Set<PostID> = []
    for await case .delivery(let post, let relay, let number, let outcome, _) in desk.bench.reports {
      switch outcome {
      case .handedOver: network.release(DeliveryTurn(post: post, relay: relay, number: number, mayLeave: true))
      case .accepted: taken.insert(post)
      default: #expect(Bool(false), "\(outcome)")
      }
      if taken.count == posts.count { break }
    }
    #expect(try pinned(desk) == posts.map { ["e", $0.id] })
    await desk.end()
  }

  @Test func relayThatShowsNoListIsSkipped() async throws {
    let desk = try await Desk()
    let (_, pin) = try await post("rules", at: desk)
    try await desk.relay.set(.lose)
    let taken = await desk.deliver(.publish, pin)
    #expect(taken.outcomes == [.handedOver, .accepted])
    var form = taken.form
    for _ in 1..<PinForm.vainLooksMax {
      let look = await desk.deliver(.verify, form)
      #expect(look.outcomes == [.missing])
      form = look.form
    }
    guard case .skipped(let trouble)? = await desk.deliver(.verify, form).outcomes.first else { return #expect(Bool(false)) }
    #expect(trouble.cause == .notSupported)
    await desk.end()
  }

  @Test func listThatSomebodyElseSignedIsNotReplaced() async throws {
    let desk = try await Desk()
    let (first, second) = (try await post("rules", at: desk), try await post("news", at: desk))
    try set([["e", first.id]], at: desk)
    try await desk.relay.set(.foreignGroup)
    let before = desk.relay.counts.eventsReceived
    for task in [DeliveryOperation.Task.publish, .verify] {
      guard case .refused(let trouble)? = await desk.deliver(task, second.pin).outcomes.last else {
        return #expect(Bool(false), "\(task)")
      }
      #expect(trouble.cause == .wrongIdentity)
    }
    #expect(desk.relay.counts.eventsReceived == before)
    try await desk.relay.set(.none)
    #expect(try pinned(desk) == [["e", first.id]])
    await desk.end()
  }

  @Test func relayThatDemandsAuthenticationGetsTheList() async throws {
    let desk = try await Desk(fault: .auth)
    let (id, pin) = try await post("rules", at: desk)
    #expect(await desk.deliver(.publish, pin).outcomes == [.handedOver, .accepted])
    #expect(try pinned(desk) == [["e", id]])
    await desk.end()
  }
}
