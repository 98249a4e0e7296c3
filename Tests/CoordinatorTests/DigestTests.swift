import Channels
import Logging
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// The journal when many channels have the same trouble.
struct DigestTests {
  private func entries(_ bench: Bench, _ event: JournalEvent, to status: RelayStatus) -> [RecordingLog.Entry] {
    bench.log.entries.filter {
      $0.fields["MESSAGE_ID"] == event.rawValue && $0.fields["BATON_TO"] == status.rawValue
        && $0.fields["BATON_CAUSE"]?.isEmpty == false
    }
  }

  /// Lets things happen until `isDone`: the waker may still be on its way to the clock that was moved.
  private func settle(_ bench: Bench, until isDone: () throws -> Bool) async throws {
    for _ in 0..<20_000 where try !isDone() { try await bench.settle() }
    #expect(try isDone())
  }

  @Test func outageOfARelayIsOneEntryAMinuteAndTheHistoryHasEveryTransition() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    for number in 0..<200 { _ = try await bench.create("c\(number)", relays: relays) }
    try await settle(bench) { try bench.store.totals().relays[.active] == 400 }
    bench.network.set(.away, at: "ws://r2")
    bench.network.relayWent(false, relays[1])
    try await bench.settle()
    bench.clock.advance(by: .seconds(120))
    try await settle(bench) { try bench.store.totals().relays[.inactive] == 200 }

    let single = entries(bench, .transition, to: .inactive)
    #expect(single.count == 10 && single.allSatisfy { $0.level == .warning && $0.fields["BATON_RELAY"] == "2" })
    #expect(entries(bench, .transitionsShared, to: .inactive).isEmpty)
    bench.clock.advance(by: .seconds(60))
    try await settle(bench) { !entries(bench, .transitionsShared, to: .inactive).isEmpty }
    let shared = entries(bench, .transitionsShared, to: .inactive)
    let entry = try #require(shared.first)
    #expect(shared.count == 1 && entry.level == .warning && entry.message.hasPrefix("190 more on 'r2' within a minute"))
    #expect(entry.fields["BATON_COUNT"] == "190" && entry.fields["BATON_CAUSE"] == "unreachable")
    #expect(entry.fields["BATON_RELAY"] == "2" && entry.fields["BATON_FROM"] == "active")
    for id in 1...200 {
      let history = try bench.store.transitions(of: ChannelID(rawValue: Int64(id)), limit: 100)
      #expect(history.last?.transition.to == .inactive)
    }
    try await bench.stop()
  }

  @Test func whatGoesWellHasAnEntryEachTime() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    for number in 0..<50 { _ = try await bench.create("c\(number)", relays: relays) }
    try await settle(bench) { try bench.store.totals().relays[.active] == 100 }
    let transitions = bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.transition.rawValue }
    #expect(transitions.count == 300)
    try await bench.stop()
    #expect(!bench.log.entries.contains { $0.fields["MESSAGE_ID"] == JournalEvent.transitionsShared.rawValue })
  }

  @Test func omittedEntriesAreReportedBeforeTheDaemonStops() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    bench.network.set(.refuses, at: "ws://r1")
    for number in 0..<30 { _ = try await bench.create("c\(number)", relays: relays) }
    try await settle(bench) { try bench.store.totals().relays[.failed] == 30 }
    #expect(entries(bench, .transitionsShared, to: .failed).isEmpty)
    try await bench.stop()
    #expect(entries(bench, .transitionsShared, to: .failed).map { $0.fields["BATON_COUNT"] } == ["20"])
  }

  @Test func eachMinuteCountsAfreshAndAClockThatWasSetBackStopsNothing() {
    var digest = TransitionDigest()
    var now = Timestamp(milliseconds: 1_750_000_000_000)
    var revision: Int64 = 0
    func fail(_ count: Int) -> Int {
      (0..<count).count { _ in
        revision += 1
        let transition = ChannelRelayMachine.Transition(
          from: .invited, to: .failed, cause: .timeout, detail: "no answer", attempt: 1, at: now)
        return digest.admits(
          TransitionRow(
            revision: revision, channel: ChannelID(rawValue: revision), relay: RelayID(rawValue: 1), transition: transition),
          relayName: "r", at: now)
      }
    }
    #expect(fail(300) == 10 && digest.due == now + .seconds(60))
    #expect(digest.end(at: now + .seconds(59)).isEmpty)
    now = now + .seconds(60)
    let first = digest.end(at: now)
    #expect(first.map(\.count) == [290] && first.map(\.channels.count) == [200] && digest.due == nil)
    #expect(fail(11) == 10)
    now = now + .seconds(-3_600)
    #expect(digest.end(at: now).map(\.count) == [1])
    #expect(fail(5) == 5 && digest.due == nil)
  }
}
