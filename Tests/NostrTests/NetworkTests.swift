import Channels
import Foundation
import Logging
import NIOPosix
import RelayNetwork
import Sandbox
import TestSupport
import Testing

@testable import Nostr

/// The Nostr network against real relays of the sandbox, over real sockets.
struct NetworkTests {
  /// A network with one identity and a stream of what it reports.
  private struct Bench {
    let network: NostrNetwork
    let reports: AsyncStream<NetworkReport>
    let task: Task<Void, Never>

    init(limits: NostrLimits = Self.patient, trustRoots: String? = nil) throws {
      network = try NostrNetwork(
        group: MultiThreadedEventLoopGroup.singleton, limits: limits, trustRoots: trustRoots,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { Int64(Date().timeIntervalSince1970) })
      network.unlock(IdentityID(rawValue: 1), key: try network.makeIdentity(secret: nil))
      let (reports, continuation) = AsyncStream.makeStream(of: NetworkReport.self)
      self.reports = reports
      let network = network
      task = Task { await network.run { continuation.yield($0) } }
    }

    /// For relays that answer, on a machine that has much to do.
    static var patient: NostrLimits {
      var limits = NostrLimits()
      limits.publishTimeout = .seconds(20)
      limits.readTimeout = .seconds(20)
      limits.dialTimeout = .seconds(20)
      limits.redialFirst = .milliseconds(50)
      return limits
    }

    /// For relays that do not.
    static var quick: NostrLimits {
      var limits = patient
      limits.publishTimeout = .seconds(2)
      limits.readTimeout = .seconds(2)
      return limits
    }

    func content(_ relay: String) async throws -> ChannelContent {
      try await network.prepare(
        ChannelDraft(
          identity: IdentityID(rawValue: 1), profile: Profile(displayName: "News"), relays: [relay]))
    }

    /// The final outcome of one operation.
    func perform(_ task: RelayOperation.Task, _ content: ChannelContent, at address: String) async -> RelayOutcome? {
      network.perform(
        RelayOperation(
          task: task, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: address, number: 1,
          content: content))
      for await report in reports {
        if case .outcome(_, _, _, let outcome) = report, outcome.isFinal { return outcome }
      }
      return nil
    }

    func end() async {
      task.cancel()
      await task.value
    }
  }

  @Test func channelIsPublishedReadBackAndWithdrawn() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try Bench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(relay.eventCount == 1)
    #expect(await bench.perform(.withdraw, content, at: relay.url) == .withdrawn)
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [
    (SandboxFault.refuse, Cause.rejected), (.rateLimit, .rateLimited), (.stall, .timeout), (.rubbish, .timeout),
    (.binary, .protocol), (.huge, .protocol), (.closeMidFrame, .unreachable), (.down, .unreachable),
  ])
  func faultsWhilePublishingHaveTheirCause(_ fault: SandboxFault, _ cause: Cause) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let bench = try Bench(limits: cause == .timeout ? Bench.quick : Bench.patient)
    let outcome = await bench.perform(.invite, try await bench.content(relay.url), at: relay.url)
    #expect(outcome.flatMap(Self.cause) == cause, "\(fault): \(String(describing: outcome))")
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [
    (SandboxFault.forgeID, Cause.wrongIdentity), (.forgeSignature, .wrongIdentity), (.stall, .timeout),
    (.binary, .protocol), (.huge, .protocol), (.closeMidFrame, .unreachable), (.down, .unreachable),
  ])
  func faultsWhileReadingHaveTheirCause(_ fault: SandboxFault, _ cause: Cause) async throws {
    let relay = try await SandboxRelay.start()
    let bench = try Bench(limits: cause == .timeout ? Bench.quick : Bench.patient)
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    try await relay.set(fault)
    let outcome = await bench.perform(.verify, content, at: relay.url)
    #expect(outcome.flatMap(Self.cause) == cause, "\(fault): \(String(describing: outcome))")
    await bench.end()
    await relay.stop()
  }

  @Test func lyingAcknowledgementIsFoundByReadingBack() async throws {
    let relay = try await SandboxRelay.start(fault: .lose)
    let bench = try Bench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [SandboxFault.auth, .emptyID])
  func oddButHonestRelaysWork(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let bench = try Bench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    await bench.end()
    await relay.stop()
  }

  @Test func watchedRelayGoesDownAndComesBack() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try Bench()
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

  @Test func relayThatFallsSilentIsFoundDead() async throws {
    let relay = try await SandboxRelay.start()
    var limits = Bench.quick
    limits.pingInterval = .milliseconds(100)
    limits.silenceMax = .milliseconds(400)
    let bench = try Bench(limits: limits)
    bench.network.watch([RelayID(rawValue: 5): relay.url])
    var states: [String] = []
    for await report in bench.reports {
      if case .relayUp = report {
        states.append("up")
        try await relay.set(.stall)
      }
      if case .relayDown = report {
        states.append("down")
        break
      }
    }
    #expect(states == ["up", "down"])
    await bench.end()
    await relay.stop()
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

  @Test func eventsSurviveInASandboxFile() async throws {
    let folder = try TemporaryFolder()
    let relay = try await SandboxRelay.start(file: folder.path + "/relay.db")
    let bench = try Bench()
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    await relay.stop()
    let again = try await SandboxRelay.start(port: relay.port, file: folder.path + "/relay.db")
    #expect(again.eventCount == 1)
    #expect(await bench.perform(.verify, content, at: again.url) == .verified(edition: 1))
    await bench.end()
    await again.stop()
  }

  @Test func serverThatIsNoRelayIsRefused() async throws {
    let control = try await SandboxControl.start(relays: [])
    let bench = try Bench()
    let address = control.url.replacingOccurrences(of: "http", with: "ws")
    let outcome = await bench.perform(.invite, try await bench.content(address), at: address)
    #expect(outcome.flatMap(Self.cause) == .protocol, "\(String(describing: outcome))")
    await bench.end()
  }

  @Test func tlsIsCheckedAgainstTheHost() async throws {
    let folder = try TemporaryFolder()
    let certificate = try folder.makeCertificate(name: "IP:127.0.0.1")
    let stranger = try folder.makeCertificate(name: "DNS:other.example")
    for (tls, roots, works) in [
      (certificate, certificate.certificate, true), (stranger, stranger.certificate, false),
      (certificate, nil, false),
    ] {
      let relay = try await SandboxRelay.start(
        tls: .init(certificateFile: tls.certificate, keyFile: tls.key))
      let bench = try Bench(trustRoots: roots)
      let content = try await bench.content(relay.url)
      let outcome = await bench.perform(.invite, content, at: relay.url)
      if works {
        #expect(outcome == .accepted(link: relay.url))
      } else {
        #expect(outcome.flatMap(Self.cause) == .unreachable, "\(String(describing: outcome))")
      }
      await bench.end()
      await relay.stop()
    }
  }

  @Test func relayTestNamesTheStepThatFails() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try Bench()
    func steps(_ depth: ProbeDepth = .full) async throws -> [String] {
      var names: [String] = []
      let address = try bench.network.parse(address: relay.url)
      for await step in bench.network.test(address: address, identity: IdentityID(rawValue: 1), depth: depth) {
        names.append(step.failure.map { "\(step.name) \($0.cause)" } ?? step.name)
        // A round trip to the relay takes its time, and the time stands where it was spent.
        if ["connect", "info", "publish", "readBack"].contains(step.name) { #expect(step.duration > .zero, "\(step.name)") }
        if step.name == "auth", relay.fault != .auth { #expect(step.duration == .zero) }
      }
      return names
    }
    let way = ["resolve", "connect", "tls", "info"]
    #expect(try await steps() == way + ["auth", "publish", "readBack", "verify"])
    #expect(relay.eventCount == 1, "the probe is deleted afterwards, only the request to do so is left")
    #expect(try await steps(.light) == way + ["readBack"])
    try await relay.set(.refuse)
    #expect(try await steps() == way + ["auth", "publish rejected"])
    try await relay.set(.lose)
    #expect(try await steps() == way + ["auth", "publish", "readBack missing"])
    for fault in [SandboxFault.forgeID, .forgeSignature] {
      try await relay.set(fault)
      #expect(try await steps() == way + ["auth", "publish", "readBack", "verify wrongIdentity"])
    }
    try await relay.set(.auth)
    #expect(try await steps() == way + ["auth", "publish", "readBack", "verify"])
    try await relay.set(.down)
    #expect(try await steps() == ["resolve", "connect unreachable"])
    await bench.end()
    await relay.stop()
  }

  @Test func relayTestTellsNetworkTLSAndHTTPApart() async throws {
    let bench = try Bench()
    func last(_ address: String) async throws -> String? {
      var last: ProbeStep?
      for await step in bench.network.test(
        address: try bench.network.parse(address: address), identity: IdentityID(rawValue: 1), depth: .light)
      {
        last = step
      }
      return last.map { "\($0.name) \($0.failure?.cause.rawValue ?? "passed")" }
    }
    #expect(try await last("ws://nowhere.invalid:1")?.hasPrefix("resolve ") == true)
    let folder = try TemporaryFolder()
    let stranger = try folder.makeCertificate(name: "DNS:other.example")
    let relay = try await SandboxRelay.start(
      tls: .init(certificateFile: stranger.certificate, keyFile: stranger.key))
    #expect(try await last(relay.url) == "tls unreachable")
    await relay.stop()
    await bench.end()
  }

  @Test(arguments: [
    "wss://user:hunter2@relay.example", "smp://FP:hunter2@host", "hunter2@x", "wss://a:hunter2@b@c", "ws://h:hunter2@",
  ])
  func refusedAddressShowsNoPassword(_ text: String) {
    #expect { try NostrAddressing().parse(address: text) } throws: { error in
      guard let error = error as? InvalidAddress else { return false }
      return !error.address.contains("hunter2") && !error.reason.contains("hunter2")
    }
  }

  @Test func dotAtTheEndOfAHostIsNoOtherRelay() throws {
    let plain = try NostrAddressing().parse(address: "wss://relay.example")
    #expect(try NostrAddressing().parse(address: "WSS://Relay.Example.:443/") == plain)
  }

  private static func cause(_ outcome: RelayOutcome) -> Cause? {
    switch outcome {
    case .refused(let trouble), .misbehaved(let trouble), .troubled(let trouble, _): trouble.cause
    case .handedOver, .accepted, .verified, .missing, .withdrawn, .announced: nil
    }
  }
}
