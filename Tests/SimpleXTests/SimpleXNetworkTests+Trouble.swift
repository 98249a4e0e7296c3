import Channels
import RelayNetwork
import ScriptedCore
import Testing

@testable import SimpleX

// Slow tests, a core that is away or belongs to someone else, and channels that it loses.
extension SimpleXNetworkTests {
  /// What is taken back while a relay is tested is not done after all.
  @Test func relayThatIsTakenBackBetweenTestAndCommandIsNotInvited() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    try await bench.server.holdNextReply(to: "/_relay test")
    let invitation = bench.start(.invite, 1, at: 1)
    try await bench.server.wait(forCommand: "/_relay test")
    bench.network.cancel(ChannelID(rawValue: 1), at: RelayID(rawValue: 1))
    let farewell = bench.start(.withdraw, 1, at: 1)
    try await bench.server.releaseReplies()
    #expect(await bench.outcome(of: farewell) == .withdrawn)
    // It is the last that the core is asked for, so that nothing can follow.
    #expect(try await bench.test(2).allSatisfy { $0.failure == nil })
    #expect(try await bench.creations() == 0)
    #expect(!bench.reports.contains { if case .outcome(_, _, invitation, _) = $0 { true } else { false } })
    try await bench.end()
  }

  /// The core waits for a silent relay for up to 40 seconds: nothing else waits with it.
  @Test func slowTestHoldsUpNothingElse() async throws {
    let bench = try await Bench(testPatience: .zero)
    for channel in 1...2 { try await bench.prepare(Int64(channel)) }
    let slowTest = "/_relay test 1 \(Self.relays[0])"
    try await bench.server.holdNextReply(to: slowTest)
    let slow = bench.start(.invite, 1, at: 1)
    try await bench.server.wait(forCommand: slowTest)
    // Another relay of the same channel, another channel, and tests that people ask for.
    #expect(Self.cause(await bench.perform(.invite, 1, at: 2)) == "accepted")
    #expect(Self.cause(await bench.perform(.invite, 2, at: 2)) == "accepted")
    #expect(await bench.perform(.verify, 2, at: 2) == .verified(edition: 1))
    #expect(try await bench.test(3).allSatisfy { $0.failure == nil })
    #expect(!bench.reports.contains { if case .outcome(_, _, slow, _) = $0 { true } else { false } })
    try await bench.server.releaseReplies()
    #expect(Self.cause(await bench.outcome(of: slow)) == "accepted", "it joins the channel that is there by now")
    #expect(Set(bench.names).count == 2)
    #expect(try await bench.server.received.count { $0 == slowTest } == 1)
    try await bench.end()
  }

  /// A test whose connection breaks says nothing of the relay, and takes nothing else along.
  @Test func brokenTestIsMadeAgain() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    try await bench.server.crashInsteadOfReply(to: "/_relay test")
    #expect(Self.cause(await bench.perform(.invite, 1, at: 1)) == "accepted")
    #expect(try await bench.server.received.count { $0.hasPrefix("/_relay test") } == 2)
    #expect(!bench.reports.contains { $0.fault != nil })
    try await bench.end()
  }

  @Test func operationsWaitForACoreThatIsAway() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    try await bench.server.stop()
    let invitations = (1...2).map { bench.start(.invite, 1, at: $0) }
    let steps = try await bench.test(1)
    #expect(steps.map(\.name) == ["core"] && steps[0].failure?.cause == .cancelled)
    try await bench.server.restart(isNewProcess: true)
    for number in invitations { #expect(Self.cause(await bench.outcome(of: number)) == "accepted") }
    try await bench.end()
  }

  private static let newUser =
    #"/_create user {"profile":{"displayName":"other","fullName":""},"pastTimestamp":false,"userChatRelay":false}"#

  /// The core looks among the channels of whoever is active: what it does not find then is not gone.
  @Test func anotherActiveUserTakesNothingFromChannels() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    for number in (1...2).map({ bench.start(.invite, 1, at: $0) }) { _ = await bench.outcome(of: number) }
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    try await bench.server.withModel { _ = $0.execute(Self.newUser) }
    let verification = bench.start(.verify, 1, at: 1)
    try await bench.prepare(2)
    let invitation = bench.start(.invite, 2, at: 1)
    await bench.heard { $0.fault == .wrongUser }
    let (said, creations) = (bench.reports, try await bench.creations())
    #expect(creations == 1)
    #expect(!said.contains { if case .lost(_, let relay, _) = $0 { relay.rawValue < 3 } else { false } })
    #expect(!said.contains { if case .outcome(_, _, verification, let outcome) = $0 { outcome.isFinal } else { false } })
    try await bench.server.withModel { _ = $0.execute("/_user 1") }
    #expect(await bench.outcome(of: verification) == .verified(edition: 1))
    #expect(Self.cause(await bench.outcome(of: invitation)) == "accepted")
    #expect(Set(bench.names).count == 2)
    try await bench.end()
  }

  @Test func stateOfTheCoreIsToldOfTheNetworkAsAWhole() async throws {
    let bench = try await Bench { $0 = CoreModel(userName: nil) }
    await bench.heard { $0.fault == .noUser }
    try await bench.server.withModel { _ = $0.execute(Self.newUser) }
    await bench.heard { if case .state(.simplex, .works(let detail)) = $0 { detail.contains("'other'") } else { false } }
    try await bench.server.stop()
    await bench.heard { $0.fault == .absent }
    try await bench.server.withModel { $0.version = "6.5.5.0" }
    try await bench.server.restart()
    await bench.heard { $0.fault == .tooOld }
    try await bench.end()
  }

  /// The core drops channels that no relay has published within half an hour, and says nothing.
  @Test func channelThatTheCoreDroppedIsMadeAnew() async throws {
    let bench = try await Bench()
    #expect(try await bench.test(1).allSatisfy { $0.failure == nil })
    try await bench.server.withModel { $0.behaviours = [Self.relays[0]: .silent] }
    try await bench.prepare(1)
    await bench.handedOver(bench.start(.invite, 1, at: 1))
    #expect(Set(bench.names).count == 1)
    try await bench.server.advance(by: .seconds(64 * 60))
    try await bench.server.withModel { $0.behaviours = [:] }
    #expect(Self.cause(await bench.perform(.invite, 1, at: 1)) == "accepted")
    #expect(Set(bench.names).count == 2)
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    try await bench.end()
  }

  @Test func relayThatLeavesIsToldOfWithoutBeingAsked() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    for number in (1...2).map({ bench.start(.invite, 1, at: $0) }) { _ = await bench.outcome(of: number) }
    for relay in 1...2 { #expect(await bench.perform(.verify, 1, at: relay) == .verified(edition: 1)) }
    let id = try #require(bench.content(1).flatMap { Int64($0.networkID.prefix { $0 != "/" }) })
    try await bench.server.withModel { $0.leave(channel: id, relayAddress: Self.relays[1]) }
    await bench.heard {
      if case .lost(_, RelayID(rawValue: 2), let trouble) = $0 { trouble.cause == .left } else { false }
    }
    // Also when no one was there to hear it.
    try await bench.server.dropConnections()
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    #expect(!bench.reports.contains { if case .lost(_, RelayID(rawValue: 1), _) = $0 { true } else { false } })
    try await bench.end()
  }
}
