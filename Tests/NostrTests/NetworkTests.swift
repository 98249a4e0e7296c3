import Channels
import Dialing
import Foundation
import NIOCore
import NIOPosix
import RelayNetwork
import Sandbox
import Synchronization
import TestTools
import Testing

@testable import Nostr

/// The Nostr network against real relays of the sandbox, over real sockets.
struct NetworkTests {
  /// A network that is connected to the relay, and a channel for it.
  private static func watching(
    _ relay: SandboxRelay, limits: NostrLimits = .patient
  ) async throws -> (bench: NetworkBench, content: ChannelContent) {
    let bench = try NetworkBench(limits: limits)
    bench.network.watch([RelayID(rawValue: 1): relay.url])
    for await report in bench.reports { if case .relayUp = report { break } }
    return (bench, try await bench.content(relay.url))
  }

  @Test func channelIsPublishedReadBackAndWithdrawn() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(relay.eventCount == 2, "the channel and the profile of its key")
    #expect(await bench.perform(.withdraw, content, at: relay.url) == .withdrawn)
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [
    (SandboxFault.refuse, Cause.rejected), (.rateLimit, .rateLimited), (.stall, .timeout), (.rubbish, .timeout),
    (.binary, .protocol), (.huge, .protocol), (.masked, .protocol), (.notUTF8, .protocol), (.closeMidFrame, .unreachable),
    (.down, .unreachable),
  ])
  func faultsWhilePublishingHaveTheirCause(_ fault: SandboxFault, _ cause: Cause) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    var limits = NostrLimits.patient
    if cause == .timeout { (limits.publishTimeout, limits.readBackTimeout) = (.seconds(2), .seconds(1)) }
    let bench = try NetworkBench(limits: limits)
    let outcome = await bench.perform(.invite, try await bench.content(relay.url), at: relay.url)
    #expect(outcome?.cause == cause, "\(fault): \(String(describing: outcome))")
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [
    (SandboxFault.forgeID, Cause.wrongIdentity), (.forgeSignature, .wrongIdentity), (.stall, .timeout),
    (.binary, .protocol), (.huge, .protocol), (.masked, .protocol), (.notUTF8, .protocol), (.closeMidFrame, .unreachable),
    (.down, .unreachable),
  ])
  func faultsWhileReadingHaveTheirCause(_ fault: SandboxFault, _ cause: Cause) async throws {
    let relay = try await SandboxRelay.start()
    var limits = NostrLimits.patient
    if cause == .timeout { limits.readTimeout = .seconds(2) }
    let bench = try NetworkBench(limits: limits)
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    try await relay.set(fault)
    let outcome = await bench.perform(.verify, content, at: relay.url)
    #expect(outcome?.cause == cause, "\(fault): \(String(describing: outcome))")
    await bench.end()
    await relay.stop()
  }

  /// What was handed over leaves only if it may at that moment.
  @Test func nothingLeavesThatMayNot() async throws {
    let relay = try await SandboxRelay.start()
    let isTrusted = Mutex(true)
    let bench = try NetworkBench(mayPublish: { isTrusted.withLock { $0 } })
    let (first, second, third) = (
      try await bench.content(relay.url), try await bench.content(relay.url), try await bench.content(relay.url)
    )
    #expect(await bench.perform(.invite, first, at: relay.url) == .accepted(link: relay.url))
    isTrusted.withLock { $0 = false }
    bench.network.perform(
      RelayOperation(
        task: .invite, channel: ChannelID(rawValue: 2), relay: RelayID(rawValue: 1), address: relay.url, number: 90,
        content: second))
    // This comes after it.
    await bench.network.abandon(.none)
    isTrusted.withLock { $0 = true }
    #expect(await bench.perform(.invite, third, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, third, at: relay.url) == .verified(edition: 1))
    #expect(await bench.perform(.verify, second, at: relay.url) == .missing)
    await bench.end()
    await relay.stop()
  }

  @Test func systemGivesUpWhatDoesNotArrive() async throws {
    let relay = try await SandboxRelay.start()
    var limits = NostrLimits.patient
    limits.unacknowledgedMax = .milliseconds(2_500)
    let dialer = RelayDialer(tls: try WebTLS(trustRoots: nil), limits: limits)
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let connection = try await dialer.dial(try RelayURL(relay.url), on: eventLoop) { _ in }.get()
    #expect(try await connection.channel.getOption(.tcpOption(RelayDialer.userTimeout)).get() == 2_500)
    try await eventLoop.submit { connection.cut() }.get()
    try await connection.channel.closeFuture.get()
    await relay.stop()
  }

  /// The other end sees a reset: the kernel delivers nothing more, and tries nothing again.
  @Test func cutConnectionsAreReset() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let (accepted, wasReset) = (group.next().makePromise(of: Void.self), group.next().makePromise(of: Bool.self))
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        accepted.succeed()
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(EndWatcher(wasReset))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let channel = try await ClientBootstrap(group: group)
      .connect(host: "127.0.0.1", port: server.localAddress?.port ?? 0).get()
    try await accepted.futureResult.get()
    try await channel.eventLoop.submit { WebSocketConnection(channel: channel).cut() }.get()
    #expect(try await wasReset.futureResult.get())
    try await server.close()
  }

  /// Tells whether its connection was reset.
  private final class EndWatcher: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let wasReset: EventLoopPromise<Bool>

    init(_ wasReset: EventLoopPromise<Bool>) { self.wasReset = wasReset }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      wasReset.succeed((error as? IOError)?.errnoCode == ECONNRESET)
    }

    func channelInactive(context: ChannelHandlerContext) { wasReset.succeed(false) }
  }

  @Test func lyingAcknowledgementIsFoundByReadingBack() async throws {
    let relay = try await SandboxRelay.start(fault: .lose)
    let bench = try NetworkBench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    await bench.end()
    await relay.stop()
  }

  /// The sandbox's relay is on this machine, but the machine may be busy.
  @Test func relayThatNeverSaysOKHasWhatItServes() async throws {
    let relay = try await SandboxRelay.start(fault: .mute)
    var limits = NostrLimits.patient
    (limits.publishTimeout, limits.mutePublishTimeout) = (.seconds(1), .seconds(1))
    let bench = try NetworkBench(limits: limits)
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    #expect(await bench.perform(.withdraw, content, at: relay.url) == .withdrawn)
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    await bench.end()
    await relay.stop()
  }

  @Test func relayThatServesOneEventPerRequestShowsAllThatItHas() async throws {
    let relay = try await SandboxRelay.start(fault: .oneEvent)
    let bench = try NetworkBench()
    let content = try await bench.content(relay.url)
    let newEdition = try bench.network.revise(
      content,
      as: ChannelDraft(
        identity: IdentityID(rawValue: 1), profile: Profile(displayName: "Other News"), relays: [relay.url]))
    let edited = ChannelContent(
      identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
      edition: 2,
      newestEdition: newEdition)
    #expect(await bench.perform(.invite, edited, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, edited, at: relay.url) == .verified(edition: 1, others: .none))
    #expect(await bench.perform(.announce, edited, at: relay.url) == .announced)
    #expect(await bench.perform(.verify, edited, at: relay.url) == .verified(edition: 2))
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [SandboxFault.auth, .emptyID])
  func oddButHonestRelaysWork(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let bench = try NetworkBench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    await bench.end()
    await relay.stop()
  }

  @Test func watchedRelayGoesDownAndComesBack() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let id = RelayID(rawValue: 5)
    bench.network.watch([id: relay.url])
    var states: [String] = []
    for await report in bench.reports {
      switch report {
      case .relayUp(id, _):
        states.append("up")
        if states.count == 1 { try await relay.set(.down) }
      case .relayDown(id, _):
        states.append("down")
        try await relay.set(.none)
      default: break
      }
      if states.count == 3 { break }
    }
    #expect(states == ["up", "down", "up"])
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [SandboxFault.oneConnection, .oneConnectionPolitely])
  func relayThatTakesOneConnectionGetsEverythingOverIt(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let (bench, content) = try await Self.watching(relay)
    var outcome = await bench.perform(.invite, content, at: relay.url)
    if fault == .oneConnectionPolitely {
      // The relay refused the connection, not the channel.
      guard case .troubled(let trouble, _)? = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
      #expect(trouble.detail == "the relay closed a second connection immediately (1008 one connection each)")
      outcome = await bench.perform(.invite, content, at: relay.url)
    }
    #expect(outcome == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    var steps: [ProbeStep] = []
    let address = try bench.network.parse(address: relay.url)
    for await step in bench.network.test(address: address, identity: IdentityID(rawValue: 1), depth: .full) {
      steps.append(step)
    }
    #expect(steps.last?.name == "verify" && steps.allSatisfy { $0.failure == nil }, "\(steps)")
    #expect(relay.counts.connections == (fault == .oneConnection ? 1 : 2))
    await bench.end()
    await relay.stop()
  }

  /// One relay ignores the connection that publishes, another closes the one that reads when that opens.
  @Test(arguments: [SandboxFault.oneConnectionSilently, .newestConnection])
  func relayThatKeepsOneConnectionGetsEverythingOverIt(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    var limits = NostrLimits.patient
    (limits.publishTimeout, limits.extraTimeout, limits.readBackTimeout) = (
      .milliseconds(150), .milliseconds(150), .milliseconds(50)
    )
    limits.redialFirst = .milliseconds(20)
    let (bench, content) = try await Self.watching(relay, limits: limits)
    func succeeds(_ task: RelayOperation.Task, _ wanted: RelayOutcome) async -> Bool {
      for _ in 0..<50 where await bench.perform(task, content, at: relay.url) == wanted { return true }
      return false
    }
    for _ in 0..<3 {
      #expect(await succeeds(.invite, .accepted(link: relay.url)))
      #expect(await succeeds(.verify, .verified(edition: 1)))
    }
    let count = relay.counts.connections
    #expect(await succeeds(.invite, .accepted(link: relay.url)))
    #expect(await succeeds(.verify, .verified(edition: 1)))
    #expect(relay.counts.connections == count)
    await bench.end()
    await relay.stop()
  }

  @Test func whoSharesAConnectionThatIsCutOpensAnother() async throws {
    let relay = try await SandboxRelay.start(fault: .oneConnection)
    let (bench, content) = try await Self.watching(relay)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    try await relay.set(.mute)
    bench.network.perform(
      RelayOperation(
        task: .invite, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: relay.url, number: 100,
        content: content))
    await bench.network.abandon(.all)
    for await report in bench.reports { if case .relayUp = report { break } }
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    #expect(relay.counts.connections == 2)
    await bench.end()
    await relay.stop()
  }

  /// Who reads stays anonymous: a relay that wants to know who publishes is told so over another connection.
  @Test func whoPublishesIsNotSaidOverAConnectionThatOthersReadOver() async throws {
    let relay = try await SandboxRelay.start(fault: .oneConnection)
    let (bench, content) = try await Self.watching(relay)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    try await relay.set(.auth)
    let words = "the relay demands authentication to publish, and accepts no second connection next to the one for reading"
    let demanded = RelayOutcome.troubled(Trouble(.authRequired, words), retryAfter: nil)
    #expect(await bench.perform(.invite, content, at: relay.url) == demanded)
    #expect(relay.counts.connections == 1)
    // It takes a second one now.
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    #expect(relay.counts.connections == 2)
    await bench.end()
    await relay.stop()
  }

  @Test func nobodyReadsOverAConnectionOverWhichItWasSaidWhoPublishes() async throws {
    let relay = try await SandboxRelay.start(fault: .auth)
    let bench = try NetworkBench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    try await relay.set(.oneConnection)
    guard case .troubled(let trouble, _)? = await bench.perform(.verify, content, at: relay.url) else {
      return #expect(Bool(false))
    }
    #expect(trouble.cause == .unreachable)
    bench.network.lock(NetworkBench.identityID)
    // The relay has room once the connection that published has ended.
    var outcome: RelayOutcome?
    for _ in 0..<200 where outcome != .verified(edition: 1) {
      outcome = await bench.perform(.verify, content, at: relay.url)
    }
    #expect(outcome == .verified(edition: 1))
    #expect(relay.counts.connections == 2)
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [SandboxFault.floodPongs, .floodNotices, .floodOKs, .floodEvents])
  func relayThatFloodsIsLeft(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let bench = try NetworkBench()
    let flood = Trouble(.misbehaving, "the relay floods the connection with data that no one asked for")
    let outcome = await bench.perform(.invite, try await bench.content(relay.url), at: relay.url)
    #expect(outcome == .troubled(flood, retryAfter: .seconds(60)))
    bench.network.watch([RelayID(rawValue: 5): relay.url])
    for await report in bench.reports {
      guard case .relayDown(_, let trouble) = report else { continue }
      #expect(trouble == flood)
      break
    }
    #expect(relay.counts.connections == 2, "it is left alone")
    await bench.end()
    await relay.stop()
  }

  @Test func relayThatFallsSilentIsFoundDead() async throws {
    let relay = try await SandboxRelay.start()
    var limits = NostrLimits.patient
    limits.pingInterval = .milliseconds(100)
    limits.silenceMax = .milliseconds(400)
    let bench = try NetworkBench(limits: limits)
    bench.network.watch([RelayID(rawValue: 5): relay.url])
    var states: [String] = []
    for await report in bench.reports {
      if case .relayUp = report {
        states.append("up")
        try await relay.set(.stall)
      }
      if case .relayDown(_, let trouble) = report {
        states.append("down")
        #expect(trouble == Trouble(.unreachable, "the relay was silent for more than 400 ms"))
        break
      }
    }
    #expect(states == ["up", "down"])
    await bench.end()
    await relay.stop()
  }

  @Test func serverThatIsNotARelayIsRefused() async throws {
    let control = try await SandboxControl.start(relays: [])
    let bench = try NetworkBench()
    let address = control.url.replacingOccurrences(of: "http", with: "ws")
    let outcome = await bench.perform(.invite, try await bench.content(address), at: address)
    #expect(outcome?.cause == .protocol, "\(String(describing: outcome))")
    await bench.end()
  }

  @Test func whatServersSayInsteadOfOpeningAWebSocketIsUnderstood() async throws {
    func trouble(_ cause: Cause, _ detail: String) -> Trouble { Trouble(cause, detail) }
    let cases: [(answer: String, outcome: RelayOutcome)] = [
      (
        "402 Payment Required\r\nContent-Length: 0",
        .refused(trouble(.rejected, "the relay wants to be paid: the server answered HTTP status 402"))
      ),
      (
        "301 Moved Permanently\r\nLocation: wss://new.example/\r\nContent-Length: 0",
        .misbehaved(
          trouble(
            .protocol,
            "the relay is elsewhere: the server answered HTTP status 301 and points to wss://new.example/. Add the relay with that "
              + "address"))
      ),
      (
        "429 Too Many Requests\r\nRetry-After: 7200\r\nContent-Length: 0",
        .troubled(
          trouble(.rateLimited, "the server answered HTTP status 429 and asked to retry after 7200 s"),
          retryAfter: .seconds(7_200))
      ),
      (
        "503 Service Unavailable\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 09:49:37 GMT\r\n"
          + "Content-Length: 0",
        .troubled(
          trouble(.rateLimited, "the server answered HTTP status 503 and asked to retry after 3600 s"),
          retryAfter: .seconds(3_600))
      ),
      (
        "101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm90IHRoZSBhbnN3ZXIgdG8ga2V5cw==",
        .misbehaved(
          trouble(.protocol, "the server's Sec-WebSocket-Accept is not the answer to our key, so it is not a relay"))
      ),
    ]
    for (answer, expected) in cases {
      let server = try await CannedServer("HTTP/1.1 \(answer)\r\n\r\n")
      let bench = try NetworkBench()
      #expect(await bench.perform(.invite, try await bench.content(server.address), at: server.address) == expected)
      await bench.end()
      try await server.stop()
    }
  }

  @Test func eventsSurviveInASandboxFile() async throws {
    let folder = try TemporaryFolder()
    let relay = try await SandboxRelay.start(file: folder.path + "/relay.db")
    let bench = try NetworkBench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    await relay.stop()
    let again = try await SandboxRelay.start(port: relay.port, file: folder.path + "/relay.db")
    #expect(again.eventCount == 2)
    #expect(await bench.perform(.verify, content, at: again.url) == .verified(edition: 1))
    await bench.end()
    await again.stop()
  }

  @Test func sandboxIsControlledOverHTTP() async throws {
    let relays = [try await SandboxRelay.start(), try await SandboxRelay.start()]
    let control = try await SandboxControl.start(relays: relays)
    func ask(_ method: String, _ path: String) async throws -> (Int, String) {
      let (status, lines) = try await Program.run(
        "/usr/bin/python3",
        [
          "-c",
          "import http.client,sys; c=http.client.HTTPConnection(sys.argv[1]); c.request(sys.argv[2],sys.argv[3]); r=c.getresponse(); print(r.status); print(r.read().decode())",
          String(control.url.dropFirst(7)), method, path,
        ])
      #expect(status == 0)
      return (Int(lines.first ?? "") ?? 0, lines.dropFirst().joined())
    }
    #expect(try await ask("POST", "/relays/2/refuse").0 == 200)
    #expect(relays.map(\.fault) == [.none, .refuse])
    #expect(try await ask("GET", "/relays").1.contains("\"fault\":\"refuse\""))
    #expect(try await ask("POST", "/relays/3/refuse").0 == 404)
    let unknown = try await ask("POST", "/relays/1/dance")
    #expect(unknown.0 == 400 && unknown.1.contains("close-mid-frame"))
    #expect(try await ask("POST", "/relays/2/none").0 == 200)
    #expect(relays.map(\.fault) == [.none, .none])
    for relay in relays { await relay.stop() }
  }

  @Test(arguments: [
    "wss://user:hunter2@relay.example", "smp://FP:hunter2@host", "hunter2@x", "wss://a:hunter2@b@c", "ws://h:hunter2@",
    // Mistyped, so that it is hard to tell the parts apart.
    "user:hunter2@relay.example://x", "wss://user:hunter2%40relay.example", "wss:/user:hunter2%40relay.example",
    "wss://user:hunter2 relay.example", "user:hunter2", "wss://[::1]:hunter2", "wss://relay.example:hunter2/x",
    "wss;//user:hunter2@relay.example", "wss//user:hunter2@relay.example",
  ])
  func refusedAddressShowsNoPassword(_ text: String) {
    #expect { try NostrAddressing().parse(address: text) } throws: { error in
      guard let error = error as? InvalidAddress else { return false }
      return !error.address.contains("hunter2") && !error.reason.contains("hunter2")
    }
  }

  @Test func dotAtTheEndOfAHostDoesNotMakeAnotherRelay() throws {
    let plain = try NostrAddressing().parse(address: "wss://relay.example")
    #expect(try NostrAddressing().parse(address: "WSS://Relay.Example.:443/") == plain)
  }
}
