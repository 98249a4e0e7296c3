import Channels
import RelayNetwork
import ScriptedCore
import Testing

@testable import SimpleX

// Posts over a real connection to a scripted core.
extension SimpleXNetworkTests {
  private func operation(
    _ task: DeliveryOperation.Task, _ document: PostDocument, at relay: Int, _ number: Int, _ bench: Bench
  ) throws -> DeliveryOperation {
    DeliveryOperation(
      task: task, post: PostID(rawValue: 1), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: Int64(relay)),
      address: Self.relays[relay - 1], number: number, content: try #require(bench.content(1)), document: document)
  }

  /// The outcome of an operation that is not only progress, and the form that the post has then.
  private func outcome(of number: Int, _ bench: Bench) async throws -> (outcome: DeliveryOutcome, form: PostDocument?) {
    func read(_ report: NetworkReport) -> (DeliveryOutcome, PostDocument?)? {
      guard case .delivery(_, _, number, let outcome, let form) = report, outcome != .handedOver else { return nil }
      return (outcome, form)
    }
    await bench.heard { if case .delivery(_, _, number, let what, _) = $0 { what != .handedOver } else { false } }
    return try #require(bench.reports.lazy.compactMap(read).first)
  }

  @Test func postIsSentOnceForBothRelaysAndOnlyIfItMayLeave() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    for number in (1...2).map({ bench.start(.invite, 1, at: $0) }) { _ = await bench.outcome(of: number) }
    let content = try #require(bench.content(1))
    let document = try bench.network.compose(PostDraft(text: "Hello"), in: content, at: [])
    for relay in 1...2 { bench.network.deliver(try operation(.publish, document, at: relay, relay, bench)) }
    await bench.heard {
      if case .delivery(_, _, 1, .handedOver, let form) = $0 { form?.networkID == "after-0" } else { false }
    }
    #expect(try await bench.server.received.allSatisfy { !$0.hasPrefix("/_send") }, "nothing leaves before that is durable")
    func release(_ relay: Int) {
      bench.network.release(
        DeliveryTurn(post: PostID(rawValue: 1), relay: RelayID(rawValue: Int64(relay)), number: relay, mayLeave: true))
    }
    release(1)
    // The other relay has its turn with the first, or comes when the post is sent.
    await bench.heard { if case .delivery(_, _, 2, _, _) = $0 { true } else { false } }
    release(2)
    var forms: [PostDocument] = []
    for relay in 1...2 {
      let (outcome, form) = try await outcome(of: relay, bench)
      #expect(outcome == .accepted)
      forms.append(try #require(form))
    }
    #expect(Set(forms).count == 1 && forms[0].networkID.hasPrefix("1/shared-"))
    #expect(try await bench.server.received.count { $0.hasPrefix("/_send") } == 1)
    bench.network.deliver(try operation(.verify, forms[0], at: 1, 3, bench))
    #expect(try await outcome(of: 3, bench).outcome == .verified(edition: 1))
    // Another one that must not leave does not.
    let other = try bench.network.compose(PostDraft(text: "Not this"), in: content, at: [])
    bench.network.deliver(
      DeliveryOperation(
        task: .publish, post: PostID(rawValue: 2), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
        address: Self.relays[0], number: 4, content: content, document: other))
    await bench.heard { if case .delivery(_, _, 4, .handedOver, _) = $0 { true } else { false } }
    bench.network.release(DeliveryTurn(post: PostID(rawValue: 2), relay: RelayID(rawValue: 1), number: 4, mayLeave: false))
    bench.network.deliver(try operation(.verify, forms[0], at: 2, 5, bench))
    #expect(try await outcome(of: 5, bench).outcome == .verified(edition: 1))
    #expect(try await bench.server.received.count { $0.hasPrefix("/_send") } == 1)
    try await bench.end()
  }

  @Test func relayThatIsComparedListsNothing() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    bench.network.compare(
      PostComparison(
        channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: Self.relays[0], number: 7,
        content: try #require(bench.content(1)), depth: .all))
    await bench.heard { report in
      guard case .compared(_, _, 7, .failed(let trouble)) = report else { return false }
      return trouble.cause == .notSupported
    }
    try await bench.end()
  }
}
