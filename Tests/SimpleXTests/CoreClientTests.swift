import Logging
import NIOPosix
import RelayNetwork
import ScriptedCore
import StrictJSON
import Testing

@testable import SimpleX

/// The client and a scripted core, over a real WebSocket on this machine.
@Suite(.timeLimit(.minutes(10)))
struct CoreClientTests {
  private static let relays = AddressSamples.relays(3)
  private static let user = CoreUser.ID(rawValue: 1)

  /// Runs a client at a scripted core while `body` runs; it begins when the client is up.
  private func session(
    _ model: CoreModel = CoreModel(relays: relays),
    _ body: @Sendable (CoreClient, ScriptedServer, CoreReports) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ScriptedServer(model, group: group)
    let endpoint = try CoreEndpoint(host: "localhost", port: try await server.port)
    let client = CoreClient(
      endpoint: endpoint, group: group, limits: .patient(redial: .milliseconds(20)), logger: Logger(label: "test"))
    let reports = CoreReports()
    let run = Task { await client.run { reports.take($0) } }
    await reports.up()
    try await body(client, server, reports)
    run.cancel()
    await run.value
    try await server.stop()
    #expect(!"\(reports.all)".contains(CoreModel.secretMark))
  }

  private func id(_ number: Int) -> CoreRequestID { CoreRequestID(rawValue: number) }

  private func creation(on relays: Int64...) throws -> CoreCommand {
    .createChannel(
      Self.user, relays: try #require(CoreIDList(relays.map(CoreRelay.ID.init(rawValue:)))), CoreGroupProfile(name: "news"))
  }

  private func created(_ result: Result<CoreReply, CoreFailure>) throws -> (CoreGroup, CoreGroupLink, [CoreGroupRelay]) {
    guard case .channelCreated(let group, let link, let relays) = try result.get() else {
      throw CoreShapeError(path: [], reason: "is no new channel")
    }
    return (group, link, relays)
  }

  @Test func aHealthyChannelComesUp() async throws {
    try await session { client, server, reports in
      client.submit(id(1), try creation(on: 1, 2))
      let (group, link, relays) = try created(await reports.answer(to: 1))
      #expect(group.usesRelays && group.profile.name == "news" && group.profile.publicKind == "channel")
      #expect(try SimpleXLink(try #require(link.short)).kind == .channel)
      #expect(relays.map(\.status) == [.known(.invited), .known(.invited)])
      client.submit(id(2), .relays(group.id))
      _ = await reports.answer(to: 2)
      #expect(
        reports.story == [
          "up", "answer 1", "Relay 1 accepted", "Relay 2 accepted", "Relay 1 acknowledgedRoster",
          "Relay 2 acknowledgedRoster", "link: Relay 1 active, Relay 2 active",
          "link: Relay 1 active, Relay 2 active", "answer 2",
        ])
    }
  }

  @Test func eventsComeBeforeTheAnswerThatExplainsThem() async throws {
    var model = CoreModel(relays: Self.relays)
    model.stepsBeforeReply = 2
    model.settlesAtOnce = false
    try await session(model) { client, _, reports in
      client.submit(id(1), try creation(on: 1, 2))
      _ = await reports.answer(to: 1)
      #expect(reports.story == ["up", "Relay 1 accepted", "Relay 2 accepted", "answer 1"])
    }
  }

  @Test func commandsAreCarriedOutInOrder() async throws {
    try await session { client, server, reports in
      for number in 1...50 { client.submit(id(number), number.isMultiple(of: 2) ? .users : .servers(Self.user)) }
      guard case .success(.users) = await reports.answer(to: 50) else { return #expect(Bool(false)) }
      #expect(reports.story.dropFirst() == (1...50).map { "answer \($0)" }[...])
      let received = try await server.received
      #expect(received == ["/v", "/user"] + (1...50).map { $0.isMultiple(of: 2) ? "/users" : "/_servers 1" })
    }
  }

  @Test func creationIsAllOrNothing() async throws {
    var model = CoreModel(relays: Self.relays)
    model.behaviours = [Self.relays[1]: .deadLink, Self.relays[2]: .unreachable]
    try await session(model) { client, server, reports in
      client.submit(id(1), try creation(on: 1, 2, 3))
      guard case .success(.channelNotCreated(let results)) = await reports.answer(to: 1) else { return #expect(Bool(false)) }
      #expect(results.map(\.error?.kind) == [nil, .deadLink, .temporary])
      #expect(results[1].error?.host == "smp2.simplex.im")
      // Temporary errors alone are one plain error.
      client.submit(id(2), try creation(on: 1, 3))
      guard case .failure(.refused(let error)) = await reports.answer(to: 2) else { return #expect(Bool(false)) }
      #expect(error.kind == .temporary)
      #expect(try await server.withModel { $0.channels }.isEmpty)
    }
  }

  @Test func relaysThatCouldNotBeAddedBlockTheirNumber() async throws {
    var model = CoreModel(relays: Self.relays)
    model.behaviours = [Self.relays[1]: .failsToJoin]
    try await session(model) { client, _, reports in
      client.submit(id(1), try creation(on: 1))
      let (group, _, _) = try created(await reports.answer(to: 1))
      let more = try #require(CoreIDList<CoreRelay>([.init(rawValue: 2), .init(rawValue: 3)]))
      client.submit(id(2), .addRelays(group.id, more))
      guard case .failure(.refused(let failure)) = await reports.answer(to: 2) else { return #expect(Bool(false)) }
      #expect(failure.kind == .temporary)
      client.submit(id(3), .relays(group.id))
      guard case .success(.relays(_, let relays)) = await reports.answer(to: 3) else { return #expect(Bool(false)) }
      #expect(relays.map(\.status.known) == [.active, .new, .active])
      client.submit(id(4), .addRelays(group.id, .init(.init(rawValue: 2))))
      guard case .failure(.refused(let error)) = await reports.answer(to: 4) else { return #expect(Bool(false)) }
      #expect(error.kind == .command && error.message == "some relays are already in the group")
    }
  }

  @Test(arguments: [
    (RelayBehaviour.silent, []), (.rejects, ["Relay 1 rejected"]),
    (.rejectsRoster, ["Relay 1 accepted", "Relay 1 rejected"]),
    (.failsLater, ["error AUTH of a member", "member failed(reason: \"SMP AUTH\")"]),
    (.wrongEntity, ["error internalError"]),
    (
      .leaves,
      [
        "Relay 1 accepted", "Relay 1 acknowledgedRoster", "link: Relay 1 active", "left", "link: Relay 1 inactive",
      ]
    ),
    (
      .slow(steps: 2, .losesLink),
      ["Relay 1 accepted", "Relay 1 acknowledgedRoster", "link: Relay 1 active", "link: Relay 1 inactive"]
    ),
  ])
  func relaysThatBehaveOddly(behaviour: RelayBehaviour, story: [String]) async throws {
    var model = CoreModel(relays: Self.relays)
    model.behaviours = [Self.relays[0]: behaviour]
    try await session(model) { client, _, reports in
      client.submit(id(1), try creation(on: 1))
      _ = await reports.answer(to: 1)
      client.submit(id(2), .users)
      _ = await reports.answer(to: 2)
      #expect(reports.story == ["up", "answer 1"] + story + ["answer 2"])
    }
  }

  @Test func removalAndTheRest() async throws {
    try await session { client, server, reports in
      client.submit(id(1), try creation(on: 1, 2))
      let (group, _, relays) = try created(await reports.answer(to: 1))
      client.submit(id(2), .removeMembers(group.id, .init(relays[1].member)))
      guard case .success(.membersRemoved(_, let members)) = await reports.answer(to: 2) else { return #expect(Bool(false)) }
      #expect(members.map(\.status) == [.known(.removed)])
      var profile = group.profile
      profile.name = "more news"
      client.submit(id(3), .updateProfile(group.id, profile))
      guard case .success(.profileUpdated(_, let renamed)) = await reports.answer(to: 3) else { return #expect(Bool(false)) }
      #expect(renamed.profile == profile)
      client.submit(id(4), .members(group.id))
      client.submit(id(5), .link(group.id))
      client.submit(id(6), .info(group.id))
      client.submit(id(7), .groups(Self.user))
      client.submit(id(8), .allowRelay(group.id))
      client.submit(id(9), .deleteGroup(group.id, notify: false))
      client.submit(id(10), .groups(Self.user))
      guard case .success(.groups(let left)) = await reports.answer(to: 10) else { return #expect(Bool(false)) }
      #expect(left.isEmpty && !reports.story.contains { $0.hasPrefix("refused") || $0.hasPrefix("unreadable") })
      client.submit(id(11), .link(group.id))
      guard case .failure(.refused(let error)) = await reports.answer(to: 11) else { return #expect(Bool(false)) }
      #expect(error.kind == .store("groupNotFound"))
    }
  }

  @Test func theThirtyMinuteRuleIsSilent() async throws {
    var model = CoreModel(relays: Self.relays)
    model.behaviours = [Self.relays[0]: .silent]
    try await session(model) { client, server, reports in
      client.submit(id(1), try creation(on: 1))
      client.submit(id(2), try creation(on: 2))
      _ = await reports.answer(to: 2)
      try await server.advance(by: .seconds(29 * 60))
      #expect(try await server.withModel { $0.channels.count } == 2)
      try await server.advance(by: .seconds(35 * 60))
      client.submit(id(3), .groups(Self.user))
      guard case .success(.groups(let groups)) = await reports.answer(to: 3) else { return #expect(Bool(false)) }
      #expect(groups.count == 1)
    }
  }

  @Test func presetsGoBackWithOneRelayMore() async throws {
    try await session(.withPresets()) { client, server, reports in
      client.submit(id(1), .servers(Self.user))
      guard case .success(.servers(_, var groups)) = await reports.answer(to: 1) else { return #expect(Bool(false)) }
      #expect(groups.map(\.operator?.tag) == ["simplex", "flux", nil])
      #expect(groups[0].relays.map(\.address) == CoreModel.presetRelays)
      groups[2].relays.append(CoreRelay(address: try CoreRelayAddress(Self.relays[0]), name: "Mine"))
      groups[0].relays[1].isEnabled = false
      client.submit(id(2), .validateServers(Self.user, groups))
      client.submit(id(3), .setServers(Self.user, groups))
      client.submit(id(4), .servers(Self.user))
      client.submit(id(5), .operators)
      #expect(await reports.answer(to: 2) == .success(.validation(CoreServersValidation(errors: [], warnings: []))))
      #expect(await reports.answer(to: 3) == .success(.done))
      guard case .success(.servers(_, let stored)) = await reports.answer(to: 4) else { return #expect(Bool(false)) }
      #expect(stored[2].relays.map(\.name) == ["Mine"] && stored[2].relays[0].id != nil)
      #expect(stored[0] == groups[0] && stored[1] == groups[1])
      guard case .success(.operators(let conditions)) = await reports.answer(to: 5) else { return #expect(Bool(false)) }
      #expect(conditions.operators.map(\.name) == ["SimpleX Chat", "Flux"])

      groups[2].relays.append(groups[2].relays[0])
      client.submit(id(6), .validateServers(Self.user, groups))
      client.submit(id(7), .setServers(Self.user, groups))
      guard case .success(.validation(let found)) = await reports.answer(to: 6) else { return #expect(Bool(false)) }
      #expect(found.errors == [.duplicateRelay(name: "Mine", address: Self.relays[0])])
      guard case .failure(.refused(let error)) = await reports.answer(to: 7) else { return #expect(Bool(false)) }
      #expect(error.kind == .command && error.message?.hasPrefix("user servers validation error(s):") == true)
    }
  }

  @Test func relaysAndServersAreTested() async throws {
    var model = CoreModel(relays: Self.relays)
    model.behaviours = [Self.relays[0]: .deadLink, Self.relays[1]: .silent]
    let wrong = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:hush@smp.example.com"
    model.serverFailures = [
      wrong: [
        "testStep": "connect",
        "testError": [
          "type": "BROKER", "brokerAddress": "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@smp.example.com",
          "brokerErr": ["type": "NETWORK", "networkError": ["type": "unknownCAError"]],
        ],
      ]
    ]
    try await session(model) { client, server, reports in
      for (index, address) in Self.relays.enumerated() {
        client.submit(id(index + 1), .testRelay(Self.user, try CoreRelayAddress(address)))
      }
      let address = try CoreServerAddress(try SimpleXServerAddress.parse(wrong))
      client.submit(id(4), .testServer(Self.user, address))
      guard case .success(.relayTest(let dead)) = await reports.answer(to: 1),
        case .success(.relayTest(let silent)) = await reports.answer(to: 2),
        case .success(.relayTest(let good)) = await reports.answer(to: 3),
        case .success(.serverTest(let server)) = await reports.answer(to: 4)
      else { return #expect(Bool(false)) }
      #expect(dead.failure?.step == .known(.getLink) && dead.failure?.error.kind == .deadLink)
      #expect(silent.failure?.step == .known(.waitResponse) && good.failure == nil && good.name == "A relay")
      #expect(server.failure?.error.kind == .wrongServer)
      #expect(!"\(reports.all)".contains("hush"))
    }
  }
}
