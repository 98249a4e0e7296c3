import Channels
import Foundation
import NIOPosix
import RelayNetwork
import SimpleX
import TestTools
import Testing

/// Server tests against independent implementations of TLS, certificates and HTTP/2.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ServerProbeTests {
  private static let stepNames = ["resolve", "connect", "tls", "identity", "hello", "version"]

  /// A limit for servers that do answer, on a machine that may be busy.
  private static func patient(tls: Duration = .seconds(120), hello: Duration = .seconds(120)) -> ServerProbeLimits {
    ServerProbeLimits(resolve: .seconds(120), connect: .seconds(120), tls: tls, hello: hello)
  }

  private static func servers(_ limits: ServerProbeLimits = Self.patient()) -> SimpleXServers {
    SimpleXServers(group: MultiThreadedEventLoopGroup.singleton, limits: limits) { Int64(Date().timeIntervalSince1970) }
  }

  /// Starts a server and returns it with its address.
  private static func peer(_ arguments: [String]) async throws -> (program: Program, address: ServerAddress) {
    let program = try Program(ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/server_peer.py"] + arguments)
    let line = try await program.line(containing: "ADDRESS ")
    return (program, try servers().parse(server: String(line.dropFirst("ADDRESS ".count))))
  }

  /// Tests a server that is started with `arguments`, and waits until the connection is gone.
  private static func steps(
    _ arguments: [String], fingerprint: String? = nil, limits: ServerProbeLimits = Self.patient()
  ) async throws -> [ProbeStep] {
    let (program, address) = try await peer(arguments)
    let asked = ServerAddress(
      transport: address.transport, fingerprint: fingerprint ?? address.fingerprint, hosts: address.hosts, port: address.port,
      password: nil, text: address.text)
    var steps: [ProbeStep] = []
    for await step in servers(limits).test(asked) { steps.append(step) }
    try await program.line(containing: "ENDED")
    return steps
  }

  /// Whether exactly the step `name` failed, with this cause and words.
  private static func expect(
    _ steps: [ProbeStep], failAt name: String, _ cause: Cause, _ words: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let comment = Comment(rawValue: "\(steps.map { "\($0.name): \($0.failure?.detail ?? $0.detail)" })")
    let expected = stepNames.prefix(through: stepNames.firstIndex(of: name) ?? 0)
    #expect(steps.map(\.name) == Array(expected), comment, sourceLocation: sourceLocation)
    #expect(steps.dropLast().allSatisfy { $0.failure == nil }, comment, sourceLocation: sourceLocation)
    #expect(steps.last?.failure?.cause == cause, comment, sourceLocation: sourceLocation)
    #expect(steps.last?.failure?.detail.contains(words) == true, comment, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    ["--key", "ed25519"], ["--key", "ed25519", "--chain", "3"], ["--key", "ed25519", "--chain", "4"],
    ["--key", "ed448"], ["--key", "ed448", "--chain", "3"], ["--key", "ed448", "--chain", "4"],
    ["--tls", "1.2"], ["--tls", "1.2", "--key", "ed448"], ["--alpn", ""], ["--fault", "no-key"], ["--fault", "long-hello"],
    ["--fault", "bare-key"], ["--fault", "bare-key", "--key", "ed448"], ["--fault", "later-parts"],
  ])
  func messageServersPass(_ arguments: [String]) async throws {
    let steps = try await Self.steps(arguments)
    #expect(steps.map(\.name) == Self.stepNames && steps.allSatisfy { $0.failure == nil }, "\(steps)")
    #expect(steps.last?.detail == "versions 6-18, 18 would be used")
    #expect(steps.allSatisfy { !$0.detail.isEmpty && $0.duration > .zero })
    let agreed = arguments.contains("") ? "the server did not agree to smp/1" : "smp/1"
    #expect(steps.dropFirst(2).first?.detail == "TLSv\(arguments.contains("1.2") ? "1.2" : "1.3"), \(agreed)")
  }

  @Test(arguments: [
    ["--key", "ed25519"], ["--key", "ed448"], ["--fault", "bare-key"], ["--fault", "bare-key", "--key", "ed448"],
    ["--fault", "later-parts"],
  ])
  func fileServersPass(_ arguments: [String]) async throws {
    let steps = try await Self.steps(["--transport", "xftp"] + arguments)
    #expect(steps.map(\.name) == Self.stepNames && steps.allSatisfy { $0.failure == nil }, "\(steps)")
    #expect(steps.last?.detail == "versions 1-3, 3 would be used")
  }

  struct Fault: CustomTestStringConvertible {
    let name: String
    let step: String
    let cause: Cause
    let words: String

    init(_ name: String, _ step: String, _ cause: Cause, _ words: String) {
      (self.name, self.step, self.cause, self.words) = (name, step, cause, words)
    }

    var testDescription: String { name }
  }

  @Test(arguments: [
    Fault("not-tls", "tls", .protocol, "the TLS handshake failed: wrong version number"),
    Fault("long-certificate", "tls", .protocol, "the TLS handshake failed: the server's certificate is too long"),
    Fault("expired", "identity", .expired, "the server's certificate expired on 20"),
    Fault("not-yet-valid", "identity", .expired, "the server's certificate is not valid before 20"),
    Fault("expired-authority", "identity", .expired, "certificate 2 of the server's chain expired on 20"),
    Fault("foreign-leaf", "identity", .protocol, "the server's certificate does not verify"),
    Fault("one-certificate", "identity", .protocol, "the server sends 1 certificate, not 2 to 4"),
    Fault("five-certificates", "identity", .protocol, "the server sends 5 certificates, not 2 to 4"),
    Fault("close-after-tls", "hello", .protocol, "the server sent 0 of 16384 bytes of its hello and closed"),
    Fault("short-hello", "hello", .protocol, "the server sent 100 of 16384 bytes of its hello and closed"),
    Fault("garbage-hello", "hello", .protocol, "the hello is malformed"),
    Fault("huge-length", "hello", .protocol, "the hello is malformed: the content should have 65535 bytes"),
    Fault("bad-session", "hello", .wrongIdentity, "the hello is for another connection"),
    Fault("bad-signature", "hello", .wrongIdentity, "the key in the hello is not the server's"),
    Fault("other-chain", "hello", .wrongIdentity, "in the hello, the address expects the fingerprint"),
    Fault("other-leaf", "hello", .wrongIdentity, "the key in the hello is not the server's"),
    Fault("twice-wrapped-key", "hello", .protocol, "the key in the hello is invalid: the signed key is not an X25519 key"),
    Fault("old-version", "version", .incompatibleVersion, "the server speaks versions 1-5, Baton speaks versions 6-18"),
    Fault("new-version", "version", .incompatibleVersion, "the server speaks versions 19-27, Baton speaks versions 6-18"),
  ])
  func messageServersFailWhereTheyAreWrong(_ fault: Fault) async throws {
    let steps = try await Self.steps(["--fault", fault.name])
    Self.expect(steps, failAt: fault.step, fault.cause, fault.words)
  }

  @Test(arguments: [
    Fault("expired", "identity", .expired, "the server's certificate expired on 20"),
    Fault("short-hello", "hello", .protocol, "the server sent 100 of 16384 bytes"),
    Fault("long-hello", "hello", .protocol, "the server sent more than 16384 bytes"),
    Fault("garbage-hello", "hello", .protocol, "the hello is malformed"),
    Fault("bad-status", "hello", .protocol, "the server answers with the HTTP status 400"),
    Fault("no-key", "hello", .protocol, "the hello is malformed: it ends before the certificates"),
    Fault("bad-session", "hello", .wrongIdentity, "the hello is for another connection"),
    Fault("bad-signature", "hello", .wrongIdentity, "the key in the hello is not the server's"),
    Fault("other-leaf", "hello", .wrongIdentity, "the key in the hello is not the server's"),
    Fault("new-version", "version", .incompatibleVersion, "the server speaks versions 4-12, Baton speaks versions 1-3"),
  ])
  func fileServersFailWhereTheyAreWrong(_ fault: Fault) async throws {
    let steps = try await Self.steps(["--transport", "xftp", "--fault", fault.name])
    Self.expect(steps, failAt: fault.step, fault.cause, fault.words)
  }

  @Test func fileServersSendTwoCertificatesInTheirHello() async throws {
    let steps = try await Self.steps(["--transport", "xftp", "--chain", "3"])
    Self.expect(steps, failAt: "hello", .protocol, "it has 3 certificates, not leaf and authority")
  }

  @Test func messageServerIsNotAFileServer() async throws {
    let (program, address) = try await Self.peer([])
    let asked = ServerAddress(
      transport: .xftp, fingerprint: address.fingerprint, hosts: address.hosts, port: address.port, password: nil,
      text: address.text)
    var steps: [ProbeStep] = []
    for await step in Self.servers().test(asked) { steps.append(step) }
    Self.expect(steps, failAt: "hello", .protocol, "the server does not speak its protocol as it should")
    try await program.line(containing: "ENDED")
  }

  @Test(arguments: ["smp", "xftp"]) func silentServersTimeOut(_ transport: String) async throws {
    let limits = Self.patient(hello: .milliseconds(300))
    let steps = try await Self.steps(["--transport", transport, "--fault", "silent"], limits: limits)
    Self.expect(steps, failAt: "hello", .timeout, "no hello within 300 ms")
  }

  @Test func serversThatDoNotShakeHandsTimeOut() async throws {
    let steps = try await Self.steps(["--fault", "silent-tls"], limits: Self.patient(tls: .milliseconds(300)))
    Self.expect(steps, failAt: "tls", .timeout, "no TLS handshake within 300 ms")
  }

  @Test(arguments: [2, 3, 4]) func anotherServerIsNotTheOneAskedFor(_ chain: Int) async throws {
    let other = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI"
    let steps = try await Self.steps(["--chain", "\(chain)"], fingerprint: other)
    Self.expect(steps, failAt: "identity", .wrongIdentity, "the address expects the fingerprint \(other), the server has ")
  }

  private static func unreached(_ place: String, _ limits: ServerProbeLimits = Self.patient()) async throws -> [ProbeStep] {
    let address = try servers().parse(server: "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@\(place)")
    var steps: [ProbeStep] = []
    for await step in servers(limits).test(address) { steps.append(step) }
    return steps
  }

  @Test func closedPortsRefuse() async throws {
    let port = Program.freePort()
    Self.expect(
      try await Self.unreached("127.0.0.1:\(port)"), failAt: "connect", .unreachable, "127.0.0.1:\(port) refuses connections")
  }

  @Test func onionHostsNeedTor() async throws {
    Self.expect(try await Self.unreached("abc.onion"), failAt: "resolve", .unreachable, "Tor is needed")
  }

  @Test func unknownNamesFailToResolve() async throws {
    let steps = try await Self.unreached("nowhere.invalid", ServerProbeLimits(resolve: .seconds(1)))
    #expect(steps.map(\.name) == ["resolve"])
    // Without a name server, the lookup may take longer than the limit here.
    #expect([.unreachable, .timeout].contains(steps.last?.failure?.cause))
    #expect(steps.last?.failure?.detail.contains("the name nowhere.invalid") == true)
  }

  @Test func endingTheIterationClosesTheConnection() async throws {
    let (program, address) = try await Self.peer(["--fault", "silent"])
    let servers = Self.servers(Self.patient(hello: .seconds(3600)))
    for await step in servers.test(address) where step.name == "identity" { break }
    try await program.line(containing: "ENDED")
  }
}
