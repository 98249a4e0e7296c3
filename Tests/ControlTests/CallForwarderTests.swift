import Channels
import Coordinator
import Secrets
import Storage
import Synchronization
import TestSupport
import Testing

@testable import ControlServer

/// What becomes of calls that other daemons answer, over an exchange that does as it is told.
@Suite(.timeLimit(.minutes(10)))
struct CallForwarderTests {
  /// An exchange between daemons, without a database.
  private final class Exchange: CallExchange {
    struct State {
      var next: Int64 = 0
      var calls: [Int64: ForwardedCall] = [:]
      var taken: Set<Int64> = []
      var replies: [Int64: [UInt8]] = [:]
      var lost: Set<Int64> = []
      var forgotten: [Int64] = []
      var putBack: [Int64] = []
      var fails = false
    }
    let state = Mutex(State())

    private func check() throws { if state.withLock({ $0.fails }) { throw StoreError(.inputOutput, "the database is away") } }

    func send(_ call: ForwardedCall, to slot: Int) async throws -> Int64 {
      try check()
      return state.withLock { state in
        state.next += 1
        state.calls[state.next] = call
        return state.next
      }
    }

    func look(_ slots: SlotSet, sent: Set<Int64>, taken: Set<Int64>) async throws -> CallNews {
      try check()
      return state.withLock { state in
        var news = CallNews()
        news.hasCalls = !slots.isEmpty && state.calls.keys.contains { !state.taken.contains($0) }
        news.replies = state.replies.filter { sent.contains($0.key) }
        news.lost = state.lost.intersection(sent)
        news.missing = sent.filter { state.calls[$0] == nil }
        news.abandoned = taken.filter { state.calls[$0] == nil }
        return news
      }
    }

    func holder(of slot: Int) async throws -> String? { slot == 1_023 ? "one" : nil }

    func take(_ slots: SlotSet, limit: Int) async throws -> [(number: Int64, call: ForwardedCall)] {
      state.withLock { state in
        let free = state.calls.keys.sorted().filter { !state.taken.contains($0) }.prefix(limit)
        state.taken.formUnion(free)
        return free.compactMap { number in state.calls[number].map { (number, $0) } }
      }
    }

    func answer(_ number: Int64, _ reply: [UInt8]?) async throws {
      try check()
      state.withLock { state in
        if let reply { state.replies[number] = reply } else { state.putBack.append(number) }
      }
    }

    func forget(_ number: Int64, ifFree: Bool) async throws -> Bool {
      state.withLock { state in
        guard !ifFree || !state.taken.contains(number) else { return false }
        state.forgotten.append(number)
        return state.calls.removeValue(forKey: number) != nil
      }
    }
  }

  private static let call = CallForwarder.Call(method: "a.b.C", parameters: "{}", hasMore: false, user: 7)

  private static let secrets: SecretBox = {
    guard let box = try? SecretBox(masterKey: Secret(Array(repeating: 7, count: 32))) else { fatalError("a key of 32 bytes") }
    return box
  }()

  private func limits(wait: Duration = .seconds(300)) -> CallForwarder.Limits {
    var limits = CallForwarder.Limits()
    (limits.poll, limits.pollInTrouble, limits.waitMax) = (.milliseconds(1), .milliseconds(1), wait)
    return limits
  }

  /// A daemon with clients, and one that has all slots.
  private func pair(_ exchange: Exchange) -> (CallForwarder, CallForwarder) {
    (
      CallForwarder(exchange, secrets: Self.secrets, slots: { .none }, limits: limits()),
      CallForwarder(exchange, secrets: Self.secrets, slots: { .all }, limits: limits())
    )
  }

  private func wait(until isDone: () -> Bool) async {
    while !isDone(), !Task.isCancelled { await Task.yield() }
  }

  /// Runs a forwarder while `body` runs.
  private func running(
    _ forwarder: CallForwarder, _ answer: @escaping @Sendable (CallForwarder.Call) async throws -> String? = { _ in nil },
    _ body: () async throws -> Void
  ) async throws {
    let task = Task { await forwarder.run(answer) }
    do { try await body() } catch {
      task.cancel()
      await task.value
      throw error
    }
    task.cancel()
    await task.value
  }

  @Test func aReplyComesBackAndIsForgotten() async throws {
    let exchange = Exchange()
    let (a, b) = pair(exchange)
    try await running(a) {
      try await running(b, { "reply to \($0.method) of \($0.user)" }) {
        let replies = try await withThrowingTaskGroup { group in
          for _ in 0..<50 { group.addTask { try await a.forward(Self.call, to: 3) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies == Array(repeating: "reply to a.b.C of 7", count: 50))
        await wait { exchange.state.withLock { $0.forgotten.count == 50 && $0.calls.isEmpty } }
      }
    }
  }

  /// Whoever owns the tables sees what is sealed, and can copy and change the rest.
  @Test func callsThatWereChangedOrRepeatedAreNotAnswered() async throws {
    let exchange = Exchange()
    let made = Mutex<[CallForwarder.Call]>([])
    let reported = Mutex<[String]>([])
    let (ids, told) = AsyncStream.makeStream(of: String.self)
    let a = CallForwarder(
      exchange, secrets: Self.secrets, name: "one", session: 12, slots: { .none }, limits: limits())
    let b = CallForwarder(exchange, secrets: Self.secrets, slots: { SlotSet([3]) }, limits: limits()) { words in
      reported.withLock { $0.append(words) }
    }
    try await running(a) {
      let reply = Task {
        try await a.forward(Self.call, to: 3) { told.yield($0) }
      }
      await wait { exchange.state.withLock { $0.calls[1] != nil } }
      let genuine = try #require(exchange.state.withLock { $0.calls[1] })
      try await running(
        b,
        { call in
          made.withLock { $0.append(call) }
          return "done"
        }
      ) {
        let text = try await reply.value
        #expect(text == "done")
        let id = await ids.first { _ in true } ?? ""
        let origin = "the daemon 'one', session 12, call \(id)"
        #expect(made.withLock { $0.map(\.origin) } == [origin] && made.withLock { $0.map(\.user) } == [7])
        // Another method, another user, another form, other bytes, and the very same once more.
        var others = Array(repeating: genuine, count: 5)
        (others[0].method, others[1].user, others[2].hasMore) = ("a.b.Delete", 0, true)
        others[3].parameters[others[3].parameters.count - 1] ^= 1
        exchange.state.withLock { state in
          for call in others {
            state.next += 1
            state.calls[state.next] = call
          }
        }
        await wait { reported.withLock { $0.count == 5 } }
        #expect(made.withLock { $0.count } == 1)
        // Each has an answer, and none can be taken for that of the genuine call.
        await wait { exchange.state.withLock { $0.replies.count == 6 } }
        for (number, reply) in exchange.state.withLock({ $0.replies }) where number != 1 {
          #expect(throws: (any Error).self) { _ = try Self.secrets.open(reply, label: "reply to \(id)") }
        }
        let words = reported.withLock { $0.sorted() }
        #expect(words.count { $0.contains("no daemon sealed it") } == 4, "\(words)")
        #expect(words.count { $0.contains("was accepted before") } == 1, "\(words)")
      }
    }
  }

  /// Daemons that are replaced one by one may not understand each other for a moment.
  @Test func callsThatCannotBeOpenedAreInDoubtAtOnce() async throws {
    let exchange = Exchange()
    let other = try SecretBox(masterKey: Secret(Array(repeating: 8, count: 32)))
    let a = CallForwarder(exchange, secrets: Self.secrets, slots: { .none }, limits: limits())
    let b = CallForwarder(exchange, secrets: other, slots: { .all }, limits: limits())
    try await running(a) {
      try await running(b, { _ in "done" }) {
        await #expect {
          try await a.forward(Self.call, to: 3)
        } throws: { error in
          if case BatonError.outcomeUnknown = error { true } else { false }
        }
      }
    }
  }

  /// A call for another slot, or of another time, is not made, wherever its row says that it belongs.
  @Test func callsOfOtherSlotsAndTimesAreNotMade() async throws {
    let exchange = Exchange()
    let clock = ManualClock()
    let a = CallForwarder(exchange, secrets: Self.secrets, clock: clock, slots: { .none }, limits: limits())
    let b = CallForwarder(exchange, secrets: Self.secrets, clock: clock, slots: { SlotSet([3]) }, limits: limits())
    try await running(a) {
      let other = Task { try await a.forward(Self.call, to: 4) }
      await wait { exchange.state.withLock { $0.calls.count == 1 } }
      try await running(b, { _ in "done" }) {
        await wait { exchange.state.withLock { $0.putBack == [1] } }
      }
      other.cancel()
      _ = await other.result
      let late = Task { try await a.forward(Self.call, to: 3) }
      await wait { exchange.state.withLock { $0.calls.keys.contains(2) } }
      clock.advance(by: CallForwarder.Limits().ageMax + .seconds(1))
      try await running(b, { _ in "done" }) {
        let text = try await late.value
        #expect(text.contains("a.b.InternalError"))
      }
    }
  }

  @Test func troubleOfTheStoreIsWaitedOut() async throws {
    let exchange = Exchange()
    let (a, b) = pair(exchange)
    try await running(a) {
      try await running(
        b,
        { _ in
          exchange.state.withLock { $0.fails = true }
          return "done"
        }
      ) {
        let reply = Task { try await a.forward(Self.call, to: 3) }
        await wait { exchange.state.withLock { $0.fails } }
        await #expect(throws: StoreError.self) { try await a.forward(Self.call, to: 3) }
        exchange.state.withLock { $0.fails = false }
        let text = try await reply.value
        #expect(text == "done")
      }
    }
  }

  @Test func whatNobodyTakesIsWithdrawn() async throws {
    let exchange = Exchange()
    let a = CallForwarder(exchange, secrets: Self.secrets, slots: { .none }, limits: limits(wait: .zero))
    try await running(a) {
      do {
        _ = try await a.forward(Self.call, to: 3)
        Issue.record("it was answered")
      } catch {
        guard case BatonError.storageUnavailable(let reason)? = error as? BatonError else {
          Issue.record("\(error)")
          return
        }
        #expect(reason.contains("nothing was done"))
      }
      #expect(exchange.state.withLock { $0.calls.isEmpty })
    }
  }

  @Test func whatWasTakenAndLostIsNotMadeAgain() async throws {
    let exchange = Exchange()
    let a = CallForwarder(exchange, secrets: Self.secrets, slots: { .none }, limits: limits(wait: .zero))
    try await running(a) {
      exchange.state.withLock { $0.taken = [1] }
      let reply = Task { try await a.forward(Self.call, to: 3) }
      await wait { exchange.state.withLock { !$0.calls.isEmpty } }
      exchange.state.withLock { $0.lost = [1] }
      await #expect {
        try await reply.value
      } throws: { error in
        if case BatonError.outcomeUnknown = error { true } else { false }
      }
      await wait { exchange.state.withLock { $0.forgotten == [1] } }
    }
  }

  @Test func whatIsGoneIsNotKnown() async throws {
    let exchange = Exchange()
    let a = CallForwarder(exchange, secrets: Self.secrets, slots: { .none }, limits: limits())
    try await running(a) {
      let reply = Task { try await a.forward(Self.call, to: 3) }
      await wait { exchange.state.withLock { !$0.calls.isEmpty } }
      exchange.state.withLock { $0.calls = [:] }
      await #expect {
        try await reply.value
      } throws: { error in
        if case BatonError.outcomeUnknown = error { true } else { false }
      }
    }
  }

  @Test func whoStopsTakesNothingMore() async throws {
    let exchange = Exchange()
    let a = CallForwarder(exchange, secrets: Self.secrets, slots: { .none }, limits: limits(wait: .milliseconds(50)))
    let b = CallForwarder(exchange, secrets: Self.secrets, slots: { .all }, limits: limits())
    await b.stop()
    try await running(a) {
      try await running(b, { _ in "done" }) {
        await #expect(throws: BatonError.self) { try await a.forward(Self.call, to: 3) }
        #expect(exchange.state.withLock { $0.taken.isEmpty })
      }
    }
  }

  @Test func aClientThatGoesTakesItsCallWithIt() async throws {
    let exchange = Exchange()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Bool.self)
    let (forever, never) = AsyncStream.makeStream(of: Void.self)
    defer { never.finish() }
    let (a, b) = pair(exchange)
    try await running(a) {
      try await running(
        b,
        { _ in
          begin.finish()
          // It follows something for as long as anyone wants to know.
          for await _ in forever {}
          end.yield(Task.isCancelled)
          throw CancellationError()
        }
      ) {
        let client = Task { try await a.forward(Self.call, to: 3) }
        for await _ in begun {}
        client.cancel()
        await #expect(throws: CancellationError.self) { try await client.value }
        #expect(await ended.first { _ in true } == true)
        #expect(exchange.state.withLock { $0.replies.isEmpty && $0.putBack.isEmpty })
      }
    }
  }

  @Test func whatIsAnothersIsPutBack() async throws {
    let exchange = Exchange()
    let (a, b) = pair(exchange)
    try await running(a) {
      try await running(b) {
        let client = Task { try await a.forward(Self.call, to: 3) }
        await wait { exchange.state.withLock { $0.putBack == [1] } }
        client.cancel()
        _ = await client.result
      }
    }
  }
}
