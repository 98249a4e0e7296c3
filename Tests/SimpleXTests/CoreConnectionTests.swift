import Logging
import NIOPosix
import ScriptedCore
import Synchronization
import TestTools
import Testing

@testable import SimpleX

/// What breaks between the client and the core.
@Suite(.timeLimit(.minutes(10)))
struct CoreConnectionTests {
  private static let relay = "https://smp1.simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"

  private static let quick = CoreLimits.patient(redial: .milliseconds(100))

  private func session(
    limits: CoreLimits = Self.quick,
    _ body: @Sendable (CoreClient, ScriptedServer, CoreReports) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ScriptedServer(CoreModel(relays: [Self.relay]), group: group)
    let endpoint = try CoreEndpoint(host: "127.0.0.1", port: try await server.port)
    let client = CoreClient(endpoint: endpoint, group: group, limits: limits, logger: Logger(label: "test"))
    let reports = CoreReports()
    let run = Task { await client.run { reports.take($0) } }
    await reports.up()
    try await body(client, server, reports)
    run.cancel()
    await run.value
    try await server.stop()
  }

  private func id(_ number: Int) -> CoreRequestID { CoreRequestID(rawValue: number) }

  private var creation: CoreCommand {
    .createChannel(.init(rawValue: 1), relays: .init(.init(rawValue: 1)), CoreGroupProfile(name: "news"))
  }

  @Test func whatWasSentMayHaveBeenCarriedOut() async throws {
    try await session { client, server, reports in
      let count = reports.all.count
      try await server.crashInsteadOfReply(to: "/_public group")
      client.submit(id(1), creation)
      client.submit(id(2), .users)
      guard case .failure(.unknown) = await reports.answer(to: 1) else { return #expect(Bool(false)) }
      guard case .failure(.notSent) = await reports.answer(to: 2) else { return #expect(Bool(false)) }
      await reports.reconnected(from: count)
      #expect(try await server.withModel { $0.channels.count } == 1)
      #expect(try await !server.received.contains("/users"))
      client.submit(id(3), .groups(.init(rawValue: 1)))
      guard case .success(.groups(let groups)) = await reports.answer(to: 3) else { return #expect(Bool(false)) }
      #expect(groups.count == 1)
    }
  }

  @Test func aHeldAnswerEndsInTimeout() async throws {
    let isAnsweredAfterwards = try await withGrowingPatience { patience in
      var limits = Self.quick
      limits.localTimeout = patience
      let isAnswered = Mutex(false)
      try await session(limits: limits) { client, server, reports in
        let count = reports.all.count
        try await server.holdNextReply(to: "/users")
        client.submit(id(1), .users)
        #expect(await reports.answer(to: 1) == .failure(.unknown(.timeout(patience))))
        await reports.reconnected(from: count)
        client.submit(id(2), .users)
        guard case .success = await reports.answer(to: 2) else { return }
        isAnswered.withLock { $0 = true }
      }
      return isAnswered.withLock { $0 }
    }
    #expect(isAnsweredAfterwards)
  }

  @Test func eventsThatWaitInTheCoreComeAfterReconnecting() async throws {
    try await session { client, server, reports in
      client.submit(id(1), creation)
      _ = await reports.answer(to: 1)
      client.submit(id(2), .users)
      _ = await reports.answer(to: 2)
      let before = reports.all.count
      try await server.holdEvents()
      try await server.withModel { $0.leave(channel: $0.channels[0], relayAddress: Self.relay) }
      try await server.dropConnections()
      try await server.releaseEvents()
      await reports.reconnected(from: before)
      client.submit(id(3), .users)
      _ = await reports.answer(to: 3)
      let story = Array(reports.story[before...])
      #expect(story.first == "down" && story.contains("left") && story.contains("link: Relay 1 inactive"), "\(story)")
    }
  }

  @Test func aCoreThatIsRestartedIsFoundAgain() async throws {
    try await session { client, server, reports in
      let count = reports.all.count
      try await server.stop()
      await reports.down(from: count)
      client.submit(id(1), .users)
      _ = await reports.answer(to: 1)
      try await server.restart(isNewProcess: true)
      await reports.reconnected(from: count)
      client.submit(id(2), .users)
      guard case .success = await reports.answer(to: 2) else { return #expect(Bool(false)) }
    }
  }

  @Test func framesThatNobodyExpectsEndTheConnection() async throws {
    var limits = Self.quick
    limits.frameBytesMax = 100_000
    try await session(limits: limits) { client, server, reports in
      for (number, disturb): (Int, @Sendable () async throws -> Void) in [
        (1, { try await server.sendBinary() }),
        (2, { try await server.send(text: "{\"resp\":\"" + String(repeating: "x", count: 200_000) + "\"}") }),
      ] {
        let count = reports.all.count
        try await disturb()
        await reports.reconnected(from: count)
        client.submit(id(number), .users)
        guard case .success = await reports.answer(to: number) else { return #expect(Bool(false), "\(number)") }
      }
    }
  }

  @Test func aCoreThatHangsIsNoticed() async throws {
    let isNoticedInTime = try await withGrowingPatience { patience in
      var limits = Self.quick
      (limits.pingInterval, limits.silenceMax) = (patience / 5, patience)
      let isNoticed = Mutex(false)
      try await session(limits: limits) { client, server, reports in
        // Pings keep a connection on which nothing happens.
        client.submit(id(1), .users)
        _ = await reports.answer(to: 1)
        let count = reports.all.count
        try await server.hang()
        client.submit(id(2), .users)
        guard case .failure(.unknown(.noConnection(let reason))) = await reports.answer(to: 2) else { return }
        #expect(reason == "the core was silent for more than \(patience.components.seconds) s")
        await reports.down(from: count)
        isNoticed.withLock { $0 = true }
      }
      return isNoticed.withLock { $0 }
    }
    #expect(isNoticedInTime)
  }

  @Test func strayFramesAreNoHarm() async throws {
    try await session { client, server, reports in
      try await server.holdNextReply(to: "/users")
      client.submit(id(1), .users)
      try await server.wait(forCommand: "/users")
      try await server.send(text: "garbage")
      try await server.send(text: #"{"corrId":"1","resp":{"type":"cmdOk"}}"#)
      try await server.send(text: #"{"resp":{"type":"brandNew","x":[]}}"#)
      await reports.first { $0 == .event(.other(tag: "brandNew")) }
      try await server.releaseReplies()
      guard case .success(.users) = await reports.answer(to: 1) else { return #expect(Bool(false)) }
      #expect(reports.all.count == 4 && reports.story.filter { $0.hasPrefix("unreadable(tag: \"\"") }.count == 1)
    }
  }

  @Test func twoProgramsSplitTheEvents() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ScriptedServer(CoreModel(relays: [Self.relay]), group: group)
    let endpoint = try CoreEndpoint(host: "127.0.0.1", port: try await server.port)
    let reports = [CoreReports(), CoreReports()]
    let clients = reports.map { _ in
      CoreClient(endpoint: endpoint, group: group, limits: Self.quick, logger: Logger(label: "test"))
    }
    let runs = zip(clients, reports).map { client, reports in Task { await client.run { reports.take($0) } } }
    for each in reports { await each.up() }
    clients[0].submit(id(1), creation)
    _ = await reports[0].answer(to: 1)
    for (index, each) in reports.enumerated() {
      clients[index].submit(id(2), .users)
      _ = await each.answer(to: 2)
    }
    let counts = reports.map { $0.all.filter { if case .event = $0 { true } else { false } }.count }
    #expect(counts.allSatisfy { $0 > 0 } && counts.reduce(0, +) == 3)
    for run in runs {
      run.cancel()
      await run.value
    }
    try await server.stop()
  }

  @Test func theEndAnswersWhatIsUnderWay() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ScriptedServer(CoreModel(relays: [Self.relay]), group: group)
    let endpoint = try CoreEndpoint(host: "127.0.0.1", port: try await server.port)
    let client = CoreClient(endpoint: endpoint, group: group, limits: Self.quick, logger: Logger(label: "test"))
    let reports = CoreReports()
    // What is submitted before the start waits for it.
    client.submit(id(1), .users)
    let run = Task { await client.run { reports.take($0) } }
    guard case .success(.users) = await reports.answer(to: 1) else { return #expect(Bool(false)) }
    try await server.holdNextReply()
    client.submit(id(2), .operators)
    client.submit(id(3), .users)
    run.cancel()
    await run.value
    #expect(await reports.answer(to: 2) == .failure(.unknown(.ended)))
    #expect(await reports.answer(to: 3) == .failure(.notSent(.ended)))
    try await server.stop()
  }

  @Test func onlyThisMachineIsDialled() throws {
    for host in ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST"] {
      #expect(throws: Never.self) { try CoreEndpoint(host: host, port: 5225) }
    }
    for host in ["10.0.0.1", "0.0.0.0", "::", "fe80::1", "core.example.com", "localhost.example.com", "127.0.0.1.nip.io"] {
      let refusal = #expect(throws: CoreEndpoint.Refusal.self) { try CoreEndpoint(host: host, port: 5225) }
      #expect(refusal?.description.contains("another machine") == true, "\(host)")
      #expect(throws: Never.self) { try CoreEndpoint(host: host, port: 5225, allowingOtherMachines: true) }
    }
    for (host, port) in [("", 5225), ("a b", 5225), ("127.0.0.1", 0), ("127.0.0.1", 70_000), ("127.1", 5225)] {
      #expect(throws: CoreEndpoint.Refusal.self) { try CoreEndpoint(host: host, port: port, allowingOtherMachines: true) }
    }
    #expect(try CoreEndpoint(host: "[::1]", port: 1).description == "[::1]:1")
  }

  @Test func whereNoCoreListensTheReasonIsSaid() async throws {
    let port = Program.freePort()
    let client = CoreClient(
      endpoint: try CoreEndpoint(host: "localhost", port: port), group: MultiThreadedEventLoopGroup.singleton,
      limits: Self.quick, logger: Logger(label: "test"))
    let reports = CoreReports()
    client.submit(id(1), .users)
    let run = Task { await client.run { reports.take($0) } }
    await reports.down()
    #expect(
      reports.all == [
        .reply(id(1), .failure(.notSent(.noConnection("no core listens at 127.0.0.1:\(port)")))),
        .down(reason: "no core listens at 127.0.0.1:\(port)"),
      ])
    run.cancel()
    await run.value
  }
}
