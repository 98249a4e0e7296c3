import Channels
import RelayNetwork
import ScriptedCore
import Testing

@testable import SimpleX

/// Baton's channels in a scripted core, over a real socket.
@Suite(.timeLimit(.minutes(10)))
struct SimpleXNetworkTests {
  static let relays = AddressSamples.relays(4)

  @Test func channelIsMadeOnAllRelaysReadBackAndDeleted() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    let invitations = (1...3).map { bench.start(.invite, 1, at: $0) }
    for number in invitations { #expect(Self.cause(await bench.outcome(of: number)) == "accepted") }
    let content = try #require(bench.content(1))
    #expect(content.trustAnchor.contains("/c#") && content.networkID.wholeMatch(of: /\d+\/public-\d+/) != nil)
    #expect(bench.network.link(of: content, activeRelays: []) == content.trustAnchor)
    for relay in 1...3 { #expect(await bench.perform(.verify, 1, at: relay) == .verified(edition: 1)) }
    #expect(await bench.perform(.verify, 1, at: 4) == .missing)
    #expect(Self.cause(await bench.perform(.invite, 1, at: 1)) == "accepted", "again does no harm")
    #expect(Self.cause(await bench.perform(.invite, 1, at: 4)) == "accepted", "a fourth joins")
    #expect(await bench.perform(.withdraw, 1, at: 4) == .withdrawn)
    #expect(await bench.perform(.withdraw, 1, at: 4) == .withdrawn)
    #expect(Self.cause(await bench.perform(.invite, 1, at: 4)) == "accepted", "it may return")
    #expect(await bench.perform(.verify, 1, at: 4) == .verified(edition: 1))
    #expect(await bench.perform(.withdraw, 1, at: 1, isDeletion: true) == .withdrawn)
    #expect(await bench.perform(.verify, 1, at: 2) == .missing)
    #expect(await bench.perform(.withdraw, 1, at: 2, isDeletion: true) == .withdrawn)
    #expect(try await bench.server.received.count { $0.hasPrefix("/_delete #") } == 1)
    try await bench.end()
  }

  /// Every row of the table of failures that an owner can meet: the others work all the same.
  @Test(arguments: [
    (RelayBehaviour.rejects, "refused rejected"), (.failsLater, "refused unreachable"), (.rejectsRoster, "accepted"),
    (.unreachable, "troubled timeout"), (.leaves, "accepted"), (.losesLink, "accepted"),
  ])
  func oneBadRelayDoesNotTakeTheChannel(_ behaviour: RelayBehaviour, _ cause: String) async throws {
    let bench = try await Bench { $0.behaviours = [Self.relays[1]: behaviour] }
    try await bench.prepare(1)
    let invitations = (1...3).map { bench.start(.invite, 1, at: $0) }
    var outcomes: [String?] = []
    for number in invitations { outcomes.append(Self.cause(await bench.outcome(of: number))) }
    #expect(outcomes[0] == "accepted" && outcomes[2] == "accepted")
    // What is accepted for a moment may be lost by the time it is looked at.
    #expect(outcomes[1] == cause || cause == "accepted" && outcomes[1]?.hasPrefix("refused") == true, "\(outcomes)")
    for relay in [1, 3] { #expect(await bench.perform(.verify, 1, at: relay) == .verified(edition: 1)) }
    #expect(await bench.perform(.verify, 1, at: 2) == .missing)
    try await bench.end()
  }

  /// Such relays are never heard of again: only the coordinator's timers end the wait.
  @Test(arguments: [RelayBehaviour.silent, .wrongEntity])
  func relayThatNeverAnswersStaysHandedOver(_ behaviour: RelayBehaviour) async throws {
    let bench = try await Bench()
    #expect(try await bench.test(2).allSatisfy { $0.failure == nil })
    try await bench.server.withModel { $0.behaviours = [Self.relays[1]: behaviour] }
    try await bench.prepare(1)
    let (good, silent) = (bench.start(.invite, 1, at: 1), bench.start(.invite, 1, at: 2))
    #expect(Self.cause(await bench.outcome(of: good)) == "accepted")
    await bench.handedOver(silent)
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    #expect(!bench.reports.contains { if case .outcome(_, _, silent, let outcome) = $0 { outcome.isFinal } else { false } })
    // It is not invited a second time, and it may still come.
    let again = bench.start(.invite, 1, at: 2)
    await bench.handedOver(again)
    #expect(try await bench.server.received.count { $0.hasPrefix("/_add relays") } == 0)
    try await bench.end()
  }

  /// Relays that passed their test and fail while the channel is made: it is made with the others.
  @Test(arguments: [(RelayBehaviour.deadLink, "refused missing"), (.unreachable, "troubled timeout")])
  func creationGoesOnWithoutTheRelaysThatFail(_ behaviour: RelayBehaviour, _ cause: String) async throws {
    let bench = try await Bench()
    for relay in 1...3 { #expect(try await bench.test(relay).allSatisfy { $0.failure == nil }) }
    // A plain error, as of a server that does not answer, names no one: there all of them have it.
    let failing = behaviour == .unreachable ? Self.relays : [Self.relays[1]]
    try await bench.server.withModel { $0.behaviours = Dictionary(failing.map { ($0, behaviour) }) { first, _ in first } }
    try await bench.prepare(1)
    let invitations = (1...3).map { bench.start(.invite, 1, at: $0) }
    #expect(Self.cause(await bench.outcome(of: invitations[1])) == cause)
    let others = behaviour == .unreachable ? cause : "accepted"
    for index in [0, 2] { #expect(Self.cause(await bench.outcome(of: invitations[index])) == others) }
    #expect(bench.names.isEmpty == (behaviour == .unreachable))
    // How many of the invitations the first attempt has is a matter of time.
    #expect((1...3).contains(try await bench.creations()))
    // Later it works, and the relay joins the channel.
    try await bench.server.withModel { $0.behaviours = [:] }
    let again = (1...3).map { bench.start(.invite, 1, at: $0) }
    for number in again { #expect(Self.cause(await bench.outcome(of: number)) == "accepted") }
    for relay in 1...3 { #expect(await bench.perform(.verify, 1, at: relay) == .verified(edition: 1)) }
    #expect(Set(bench.names).count == 1)
    try await bench.end()
  }

  @Test func channelThatWasMadeJustBeforeACrashIsFoundAndNotMadeAgain() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    try await bench.prepare(2)
    try await bench.server.crashInsteadOfReply(to: "/_public group")
    let first = (1...3).map { bench.start(.invite, 1, at: $0) }
    for number in first { #expect(Self.cause(await bench.outcome(of: number)) == "accepted") }
    #expect(try await bench.creations() == 1)
    // The same profile again: it is another channel, made of its own.
    let second = (1...3).map { bench.start(.invite, 2, at: $0) }
    for number in second { #expect(Self.cause(await bench.outcome(of: number)) == "accepted") }
    #expect(try await bench.creations() == 2)
    #expect(bench.content(1)?.networkID != bench.content(2)?.networkID)
    try await bench.end()
  }

  /// Stored by a version that did not know the core's rule: the core is not asked, since each time would leave a queue behind.
  @Test func nameThatTheCoreRefusesNeverReachesIt() async throws {
    let bench = try await Bench()
    try await bench.prepare(1, "News (DE)")
    #expect(Self.cause(await bench.perform(.invite, 1, at: 1)) == "refused rejected")
    #expect(try await bench.creations() == 0)
    #expect(try await bench.server.withModel { $0.queuesLeftBehind } == 0)
    #expect(throws: ProfileRefusal.self) { try bench.network.check(Profile(displayName: "News (DE)")) }
    try bench.network.check(Profile(displayName: "News - DE"))
    try await bench.prepare(2, "News")
    #expect(Self.cause(await bench.perform(.invite, 2, at: 1)) == "accepted")
    try bench.revise(2, "News!!")
    #expect(Self.cause(await bench.perform(.announce, 2, at: 1)) == "refused rejected")
    try bench.revise(2, "Evening news")
    #expect(await bench.perform(.announce, 2, at: 1) == .announced, "nothing is in the way of the next one")
    try await bench.end()
  }

  /// 3,000 subscribers with pictures are 27 MiB in a list of members, more than the connection takes.
  @Test func lookAtAChannelDoesNotListItsSubscribers() async throws {
    let bench = try await Bench {
      $0.subscribers = (3_000, "data:image/jpg;base64," + String(repeating: "A", count: 9_000))
      $0.behaviours = [Self.relays[1]: .failsLater, Self.relays[2]: .leaves]
    }
    try await bench.prepare(1)
    let invitations = (1...3).map { bench.start(.invite, 1, at: $0) }
    #expect(Self.cause(await bench.outcome(of: invitations[0])) == "accepted")
    #expect(Self.cause(await bench.outcome(of: invitations[1])) == "refused unreachable", "its connection as a member says so")
    _ = await bench.outcome(of: invitations[2])
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    #expect(await bench.perform(.withdraw, 1, at: 1) == .withdrawn)
    #expect(try await bench.server.received.count { $0.hasPrefix("/_members") } == 0)
    try await bench.end()
  }

  /// A list of all channels would be 24 MiB: the one that was made before the answer got lost is found by its name.
  @Test(arguments: ["News", "Ünsere Zeitung", "ÄÖÜ 7"])
  func lostAnswerIsResolvedAmongManyChannels(_ name: String) async throws {
    let bench = try await Bench {
      $0.addChannels(2_000, image: "data:image/jpg;base64," + String(repeating: "A", count: 12_000))
    }
    try await bench.prepare(1, name)
    try await bench.server.crashInsteadOfReply(to: "/_public group")
    let invitations = (1...2).map { bench.start(.invite, 1, at: $0) }
    for number in invitations { #expect(Self.cause(await bench.outcome(of: number)) == "accepted") }
    #expect(try await bench.creations() == 1)
    #expect(try await bench.server.received.allSatisfy { $0 != "/_groups 1" })
    try await bench.end()
  }

  /// Left, rejected, failed for good, or never properly invited: the core takes such a relay again once its member is removed.
  @Test(arguments: [
    (RelayBehaviour.leaves, "refused left"), (.rejects, "refused rejected"), (.failsLater, "refused unreachable"),
    (.failsToJoin, "troubled timeout"),
  ])
  func relayThatWasLostIsInvitedAnewWhenAskedFor(_ behaviour: RelayBehaviour, _ cause: String) async throws {
    let bench = try await Bench()
    for relay in 1...2 { #expect(try await bench.test(relay).allSatisfy { $0.failure == nil }) }
    try await bench.prepare(1)
    #expect(Self.cause(await bench.perform(.invite, 1, at: 1)) == "accepted")
    try await bench.server.withModel { $0.behaviours = [Self.relays[1]: behaviour] }
    let first = Self.cause(await bench.perform(.invite, 1, at: 2))
    #expect(first == cause || behaviour == .leaves && first == "accepted", "\(first ?? "")")
    #expect(await bench.perform(.verify, 1, at: 2) == .missing)
    try await bench.server.withModel { $0.behaviours = [:] }
    #expect(Self.cause(await bench.perform(.invite, 1, at: 2)) == "accepted")
    #expect(await bench.perform(.verify, 1, at: 2) == .verified(edition: 1))
    #expect(try await bench.server.received.count { $0.hasPrefix("/_remove #") } == 1)
    try await bench.end()
  }

  @Test func newEditionGoesToTheCoreOnceAndIsReadBack() async throws {
    let bench = try await Bench()
    try await bench.prepare(1)
    for number in (1...2).map({ bench.start(.invite, 1, at: $0) }) { _ = await bench.outcome(of: number) }
    try bench.revise(1, "Evening news")
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    let announcements = (1...2).map { bench.start(.announce, 1, at: $0) }
    for number in announcements { #expect(await bench.outcome(of: number) == .announced) }
    #expect(await bench.perform(.verify, 1, at: 2) == .verified(edition: 2))
    let updates = try await bench.server.received.filter { $0.hasPrefix("/_group_profile") }
    #expect(updates.count == 1 && updates[0].contains("Evening news") && updates[0].contains("publicGroup"))
    try await bench.end()
  }

  @Test func relayThatTheCoreDoesNotHaveIsPutIntoItsListAndNothingElseChanges() async throws {
    let bench = try await Bench { $0 = CoreModel.withPresets() }
    try await bench.prepare(1)
    #expect(Self.cause(await bench.perform(.invite, 1, at: 4)) == "accepted")
    let sent = try #require(try await bench.server.received.last { $0.hasPrefix("/_servers 1 [") })
    #expect(sent.contains("smp4.simplex.im/r#MDEy") && sent.contains("simplexonflux.com"))
    try await bench.end()
  }
}
