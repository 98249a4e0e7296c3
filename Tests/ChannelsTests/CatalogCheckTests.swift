import Channels
import Testing

/// The rules of validation, one test each (SimpleX 7.0 and the rules of Baton).
struct CatalogCheckTests {
  private typealias Kind = CatalogCheck.Finding.Kind

  private func server(
    _ id: Int64, _ transport: ServerProtocol = .smp, hosts: [String]? = nil, owner: Int64? = nil, isEnabled: Bool = true,
    roles: ServerRoles.Override = .init()
  ) -> CatalogCheck.Server {
    .init(
      id: ServerID(rawValue: id), transport: transport, hosts: hosts ?? ["s\(id).example"],
      serverOperator: owner.map(OperatorID.init(rawValue:)), isEnabled: isEnabled, override: roles)
  }

  private func provider(
    _ id: Int64, isEnabled: Bool = true, smp: ServerRoles = .init(storage: true, proxy: true, names: true)
  ) -> CatalogCheck.Operator {
    .init(id: OperatorID(rawValue: id), isEnabled: isEnabled, smpRoles: smp, xftpRoles: .own)
  }

  private func relay(
    _ id: Int64, _ network: NetworkKind = .nostr, owner: Int64? = nil, isEnabled: Bool = true, key: String? = nil
  )
    -> CatalogCheck.Relay
  {
    .init(
      id: RelayID(rawValue: id), network: network, relayOperator: owner.map(OperatorID.init(rawValue:)), isEnabled: isEnabled,
      comparisonKey: key ?? "\(id)")
  }

  private func kinds(
    _ operators: [CatalogCheck.Operator] = [], _ servers: [CatalogCheck.Server] = [], _ relays: [CatalogCheck.Relay]
  ) -> [String] {
    CatalogCheck.findings(operators: operators, servers: servers, relays: relays).map {
      [$0.kind.rawValue, $0.transport?.rawValue, $0.network?.rawValue].compactMap { $0 }.joined(separator: " ")
    }
  }

  private let names = ServerRoles.Override(names: true)

  @Test func nothingIsWrongWithOneRelayAndNoServersOnNostr() {
    #expect(kinds([], [], [relay(1)]).isEmpty)
  }

  @Test func completeInstallationHasNoFindings() {
    #expect(kinds([provider(1)], [server(1, owner: 1), server(2, .xftp)], [relay(1), relay(2, .simplex)]).isEmpty)
  }

  @Test func noServersOfAProtocolIsAnError() {
    #expect(kinds([], [server(1, roles: names)], [relay(1)]) == ["noServers xftp"])
    #expect(kinds([], [], [relay(1, .simplex)]) == ["noServers smp", "noServers xftp"])
    #expect(Kind.noServers.isError)
  }

  @Test func serversOfADisabledOperatorDoNotCount() {
    let servers = [server(1, owner: 1), server(2, .xftp, owner: 1)]
    #expect(kinds([provider(1, isEnabled: false)], servers, [relay(1)]) == ["noServers smp", "noServers xftp"])
    #expect(kinds([provider(1)], servers.map { server($0.id.rawValue, $0.transport, isEnabled: false) }, [relay(1)]).count == 2)
  }

  @Test func noStorageRoleIsAnError() {
    let proxyOnly = provider(1, smp: .init(storage: false, proxy: true, names: true))
    #expect(kinds([proxyOnly], [server(1, owner: 1), server(2, .xftp)], [relay(1)]) == ["storageMissing smp"])
    // A server's own roles win over its operator's.
    let storing = server(1, owner: 1, roles: .init(storage: true))
    #expect(kinds([proxyOnly], [storing, server(2, .xftp)], [relay(1)]).isEmpty)
  }

  @Test func noProxyRoleIsAnError() {
    let servers = [server(1, roles: .init(proxy: false, names: true)), server(2, .xftp, roles: .init(proxy: false))]
    #expect(kinds([], servers, [relay(1)]) == ["proxyMissing smp", "proxyMissing xftp"])
  }

  @Test func noServerForNamesIsAWarning() {
    #expect(kinds([], [server(1), server(2, .xftp)], [relay(1)]) == ["noNamesServers smp"])
    #expect(!Kind.noNamesServers.isError)
  }

  @Test func serversThatShareAnyHostAreDuplicates() {
    let servers = [
      server(1, hosts: ["a.example", "x.onion"], roles: names), server(2, hosts: ["b.example", "x.onion"]),
      server(3, .xftp, hosts: ["a.example"]),
    ]
    let findings = CatalogCheck.findings(operators: [], servers: servers, relays: [relay(1)])
    #expect(findings.map(\.kind) == [.duplicateServer])
    #expect(findings.first?.servers.map(\.rawValue) == [1, 2] && findings.first?.host == "x.onion")
    #expect(findings.first?.message.contains("1 and 2 share the host x.onion") == true)
  }

  @Test func relaysWithOneAddressAreDuplicatesHoweverTheyAreWritten() {
    let findings = CatalogCheck.findings(
      operators: [], servers: [], relays: [relay(1, key: "k"), relay(2, key: "k"), relay(3, .simplex, key: "k")],
      includesUnused: false)
    #expect(findings.filter { $0.kind == .duplicateRelayAddress }.map { $0.relays.map(\.rawValue) } == [[1, 2]])
  }

  @Test func noEnabledRelayIsAWarning() {
    #expect(kinds([], [], []) == ["noEnabledRelays"])
    #expect(kinds([], [], [relay(1, isEnabled: false)]) == ["noEnabledRelays nostr"])
    #expect(kinds([provider(1, isEnabled: false)], [], [relay(1, owner: 1)]) == ["noEnabledRelays nostr"])
    #expect(!Kind.noEnabledRelays.isError)
  }
}

struct DomainTests {
  @Test func domainsMatchAtADot() {
    #expect(Domain.contains("smp8.simplex.im", in: "simplex.im"))
    #expect(Domain.contains("simplex.im", in: "simplex.im"))
    #expect(!Domain.contains("notsimplex.im", in: "simplex.im"))
    #expect(!Domain.contains("simplex.im.example", in: "simplex.im"))
    #expect(!Domain.contains("im", in: "simplex.im"))
  }

  @Test(arguments: [
    ("Example.ORG", "example.org"), ("example.org.", "example.org"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
  ])
  func goodDomainsAreTakenInLowerCase(_ text: String, _ domain: String) throws {
    #expect(try Domain.validated(text) == domain)
  }

  @Test(arguments: [
    "", ".", "a..b", "-a.b", "a-.b", "bücher.example", "a b", "http://a", "a/b", "10.0.0.1", String(repeating: "a", count: 64),
  ])
  func badDomainsAreRefusedWithAReason(_ text: String) {
    #expect { try Domain.validated(text) } throws: { ($0 as? Domain.Invalid)?.reason.isEmpty == false }
  }

  @Test(arguments: ["", "  ", "12", "a\nb", "a\u{202E}b", "\u{3164}", "a\u{200D}b", String(repeating: "x", count: 101)])
  func badObjectNamesAreRefusedWithAReason(_ text: String) {
    #expect { try ObjectName.validated(text) } throws: { ($0 as? ObjectName.Invalid)?.reason.isEmpty == false }
  }

  @Test func objectNamesMayLookLikeHostsAndCompanies() throws {
    #expect(try ObjectName.validated(" relay.example:7447 ") == "relay.example:7447")
    #expect(try ObjectName.validated("Example & Söhne, Inc.") == "Example & Söhne, Inc.")
    #expect(try ObjectName.validated("\u{FEFF}City\u{A0} Relay\r\n") == "City Relay")
    #expect(ObjectName.key("☀\u{FE0F}") == ObjectName.key("☀") && ObjectName.key("a") != ObjectName.key("b"))
  }
}

struct PeerConditionTests {
  private let start = Timestamp(milliseconds: 1_750_000_000_000)
  private func at(_ seconds: Int) -> Timestamp { start + .seconds(seconds) }

  @Test func healthHasATime() {
    var condition = PeerCondition()
    condition.testPassed(isFull: true, roundTrip: .milliseconds(12), at: at(0))
    condition.testPassed(isFull: false, roundTrip: .milliseconds(15), at: at(60))
    #expect(condition.health == .up && condition.healthSince == at(0) && condition.testedAt == at(60))
    #expect(condition.roundTripMilliseconds == 15 && condition.fullyTestedAt == at(0) && condition.lastError == nil)
  }

  @Test func firstFailedTestDegradesAndTheSecondInARowMeansDown() {
    var condition = PeerCondition()
    condition.testPassed(isFull: true, roundTrip: nil, at: at(0))
    condition.testFailed(.timeout, "connect: late", isConnected: false, at: at(60))
    #expect(condition.health == .degraded && condition.lastError == "connect: late" && condition.tested == false)
    condition.testFailed(.unreachable, "connect: refused", isConnected: false, at: at(120))
    #expect(condition.health == .down && condition.healthSince == at(120) && condition.failures == 2)
    condition.testPassed(isFull: true, roundTrip: nil, at: at(180))
    #expect(condition.health == .up && condition.failures == 0)
  }

  @Test func peerThatNeverWorkedIsDownAtOnce() {
    var condition = PeerCondition()
    condition.testFailed(.unreachable, "connect: refused", isConnected: false, at: at(0))
    #expect(condition.health == .down)
  }

  @Test func wrongIdentityAndExpiredCertificatesAreDownAtOnce() {
    for cause in [Cause.wrongIdentity, .expired, .wrongName, .untrusted, .misbehaving, .incompatibleVersion, .protocol] {
      var condition = PeerCondition()
      condition.testPassed(isFull: true, roundTrip: nil, at: at(0))
      condition.testFailed(cause, "identity: other", isConnected: false, at: at(60))
      #expect(condition.health == .down, "\(cause)")
    }
  }

  @Test func connectionMendsWhatWasWrongWithTheCertificate() {
    for cause in [Cause.expired, .wrongName, .untrusted, .incompatibleVersion] {
      var condition = PeerCondition()
      condition.testFailed(cause, "tls: the certificate", isConnected: false, at: at(0))
      condition.connected(roundTrip: .milliseconds(3), at: at(60))
      #expect(condition.health == .up && condition.lastError == nil, "\(cause)")
    }
  }

  @Test func refusalsDegradeHoweverOften() {
    var condition = PeerCondition()
    for minute in 0..<5 { condition.testFailed(.rejected, "publish: blocked", isConnected: false, at: at(minute * 60)) }
    #expect(condition.health == .degraded && condition.healthSince == at(0))
    condition.connected(roundTrip: .milliseconds(3), at: at(400))
    #expect(condition.health == .degraded, "a connection does not heal what a test found wrong behind it")
  }

  @Test func peerWithAStandingConnectionIsNotDown() {
    var condition = PeerCondition()
    condition.connected(roundTrip: .milliseconds(3), at: at(0))
    for minute in 1..<5 { condition.testFailed(.timeout, "connect: late", isConnected: true, at: at(minute * 60)) }
    #expect(condition.health == .degraded)
  }

  @Test func recentFailureMakesUnreliableForAWhile() {
    var condition = PeerCondition()
    #expect(condition.reliability(at: at(0)) == .untested)
    condition.testFailed(.timeout, "x", isConnected: false, at: at(0))
    condition.testPassed(isFull: true, roundTrip: nil, at: at(60))
    #expect(condition.reliability(at: at(61)) == .degraded)
    #expect(condition.reliability(at: at(700)) == .good)
  }

  /// The failure was dated by a clock that was a year ahead; once the clock is right, it must not keep the relay out for a year.
  @Test func failureDatedInTheFutureDoesNotCount() {
    var condition = PeerCondition()
    condition.testFailed(.timeout, "x", isConnected: false, at: at(365 * 86_400))
    condition.testPassed(isFull: true, roundTrip: nil, at: at(60))
    #expect(condition.reliability(at: at(61)) == .good)
  }
}
