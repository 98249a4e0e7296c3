import Channels
import Foundation
import RelayNetwork
import Sandbox
import TestSupport
import Testing

@testable import Nostr

/// The Nostr network against real relays of the sandbox, over real sockets.
struct NetworkTests {
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
    #expect(outcome.flatMap(Self.cause) == cause, "\(fault): \(String(describing: outcome))")
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
    #expect(outcome.flatMap(Self.cause) == cause, "\(fault): \(String(describing: outcome))")
    await bench.end()
    await relay.stop()
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
    let notice = try bench.network.revise(
      content,
      as: ChannelDraft(
        identity: IdentityID(rawValue: 1), profile: Profile(displayName: "Other News"), relays: [relay.url]))
    let edited = ChannelContent(
      identity: content.identity, networkID: content.networkID, author: content.author, document: content.document, edition: 2,
      notice: notice)
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
    let bench = try NetworkBench()
    bench.network.watch([RelayID(rawValue: 1): relay.url])
    for await report in bench.reports { if case .relayUp = report { break } }
    let content = try await bench.content(relay.url)
    var outcome = await bench.perform(.invite, content, at: relay.url)
    if fault == .oneConnectionPolitely {
      // It said no to the connection, and not to the channel.
      guard case .troubled(let trouble, _)? = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
      #expect(trouble.detail == "the relay closed a second connection at once (1008 one connection each)")
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

  @Test(arguments: [SandboxFault.floodPongs, .floodNotices, .floodOKs, .floodEvents])
  func relayThatFloodsIsLeft(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let bench = try NetworkBench()
    let flood = Trouble(.misbehaving, "the relay floods the connection with data that nobody asked for")
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

  @Test func serverThatIsNoRelayIsRefused() async throws {
    let control = try await SandboxControl.start(relays: [])
    let bench = try NetworkBench()
    let address = control.url.replacingOccurrences(of: "http", with: "ws")
    let outcome = await bench.perform(.invite, try await bench.content(address), at: address)
    #expect(outcome.flatMap(Self.cause) == .protocol, "\(String(describing: outcome))")
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
            "the relay is elsewhere: the server answered HTTP status 301 and points to wss://new.example/; add the relay with that "
              + "address"))
      ),
      (
        "429 Too Many Requests\r\nRetry-After: 7200\r\nContent-Length: 0",
        .troubled(
          trouble(.rateLimited, "the server answered HTTP status 429 and wants to be left alone for 7200 s"),
          retryAfter: .seconds(7_200))
      ),
      (
        "503 Service Unavailable\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 09:49:37 GMT\r\n"
          + "Content-Length: 0",
        .troubled(
          trouble(.rateLimited, "the server answered HTTP status 503 and wants to be left alone for 3600 s"),
          retryAfter: .seconds(3_600))
      ),
      (
        "101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm90IHRoZSBhbnN3ZXIgdG8ga2V5cw==",
        .misbehaved(
          trouble(.protocol, "the server's Sec-WebSocket-Accept is not the answer to our key; it is not a relay"))
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

  @Test func tlsIsCheckedAgainstTheHost() async throws {
    let folder = try TemporaryFolder()
    let certificate = try folder.makeCertificate(name: "IP:127.0.0.1")
    let stranger = try folder.makeCertificate(name: "DNS:other.example")
    let cases: [(tls: (certificate: String, key: String), roots: String?, cause: Cause?)] = [
      (certificate, certificate.certificate, nil), (stranger, stranger.certificate, .wrongName),
      (certificate, nil, .untrusted),
    ]
    for (tls, roots, cause) in cases {
      let relay = try await SandboxRelay.start(
        tls: .init(certificateFile: tls.certificate, keyFile: tls.key))
      let bench = try NetworkBench(trustRoots: roots)
      let content = try await bench.content(relay.url)
      let outcome = await bench.perform(.invite, content, at: relay.url)
      if let cause {
        #expect(outcome.flatMap(Self.cause) == cause, "\(String(describing: outcome))")
      } else {
        #expect(outcome == .accepted(link: relay.url))
      }
      await bench.end()
      await relay.stop()
    }
  }

  @Test func tlsThatIsNoGoodHasItsCauseAndASentence() async throws {
    let folder = try TemporaryFolder()
    let good = try folder.makeCertificate(name: "IP:127.0.0.1")
    let old = try folder.makeCertificate(name: "IP:127.0.0.1", isExpired: true)
    let other = try folder.makeCertificate(name: "DNS:other.example")
    func tls(_ files: (certificate: String, key: String), isOutdated: Bool = false) -> SandboxRelay.TLS {
      SandboxRelay.TLS(certificateFile: files.certificate, keyFile: files.key, isOutdated: isOutdated)
    }
    let cases: [(tls: SandboxRelay.TLS?, roots: String?, cause: Cause, words: String)] = [
      (tls(old), old.certificate, .expired, "the certificate of 127.0.0.1 expired on 20"),
      (tls(good), nil, .untrusted, "no authority that this machine trusts stands behind the certificate of 127.0.0.1"),
      (tls(other), other.certificate, .wrongName, "the certificate is not for 127.0.0.1 but for other.example"),
      (
        tls(good, isOutdated: true), good.certificate, .incompatibleVersion, "the server does not speak TLS 1.2 or newer"
      ),
      (nil, nil, .protocol, "the server does not speak TLS"),
    ]
    for (tls, roots, cause, words) in cases {
      let relay = try await SandboxRelay.start(tls: tls)
      let bench = try NetworkBench(trustRoots: roots)
      let address = "wss://127.0.0.1:\(relay.port)"
      let outcome = await bench.perform(.invite, try await bench.content(address), at: address)
      guard case .troubled(let trouble, _)? = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
      var failure: Trouble?
      for await step in bench.network.test(
        address: try bench.network.parse(address: address), identity: IdentityID(rawValue: 1), depth: .light)
      {
        failure = step.failure
      }
      for trouble in [trouble, failure] {
        #expect(trouble?.cause == cause, "\(String(describing: trouble))")
        #expect(trouble?.detail.hasPrefix(words) == true, "\(String(describing: trouble))")
        #expect(trouble?.detail.contains("/") == (cause == .protocol), "no path of a build; ws:// in one")
      }
      await bench.end()
      await relay.stop()
    }
  }

  /// Wherever TLS is used: in sessions, for the NIP-11 document, in tests. A name is not the address that it leads to.
  @Test func certificateIsForTheHostThatWasAskedFor() async throws {
    let folder = try TemporaryFolder()
    for (names, host, works) in [
      ("DNS:localhost", "localhost", true), ("DNS:other.example,DNS:LOCALHOST", "localhost", true),
      ("IP:127.0.0.1", "127.0.0.1", true), ("IP:127.0.0.1", "localhost", false), ("DNS:*ocalhost", "localhost", false),
      ("DNS:*", "localhost", false), ("DNS:127.0.0.1", "127.0.0.1", false), ("DNS:localhost", "127.0.0.1", false),
    ] {
      let tls = try folder.makeCertificate(name: names)
      let relay = try await SandboxRelay.start(tls: .init(certificateFile: tls.certificate, keyFile: tls.key))
      let bench = try NetworkBench(trustRoots: tls.certificate)
      let address = "wss://\(host):\(relay.port)"
      let outcome = await bench.perform(.invite, try await bench.content(address), at: address)
      let group = ChannelDraft(
        kind: .group, identity: IdentityID(rawValue: 1), profile: Profile(displayName: "News"), relays: [address])
      let isInformed = (try? await bench.network.prepare(group)) != nil
      var steps: [ProbeStep] = []
      for await step in bench.network.test(
        address: try bench.network.parse(address: address), identity: IdentityID(rawValue: 1), depth: .light)
      {
        steps.append(step)
      }
      #expect(isInformed == works, "\(names) for \(host)")
      if works {
        #expect(outcome == .accepted(link: address), "\(names) for \(host)")
        #expect(steps.last?.name == "readBack" && steps.last?.failure == nil, "\(names) for \(host)")
      } else {
        #expect(outcome.flatMap(Self.cause) == .wrongName, "\(names) for \(host): \(String(describing: outcome))")
        #expect(steps.last?.name == "tls" && steps.last?.failure?.cause == .wrongName, "\(names) for \(host)")
        #expect(relay.counts.connections == 0, "nothing is sent to somebody else")
      }
      await bench.end()
      await relay.stop()
    }
  }

  @Test func relayTestNamesTheStepThatFails() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
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
    let bench = try NetworkBench()
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
    #expect(try await last(relay.url) == "tls untrusted")
    await relay.stop()
    await bench.end()
  }

  @Test(arguments: [
    "wss://user:hunter2@relay.example", "smp://FP:hunter2@host", "hunter2@x", "wss://a:hunter2@b@c", "ws://h:hunter2@",
    // Mistyped, so that it is hard to tell where what stands.
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
