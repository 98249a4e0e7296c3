internal import Channels
internal import Dialing
internal import NIOCore
internal import RelayNetwork

/// The time limits of the steps of a server's test.
public struct ServerProbeLimits: Hashable, Sendable {
  /// Looking up the name.
  public var resolve: Duration
  /// Connecting to one of the addresses.
  public var connect: Duration
  /// The TLS handshake.
  public var tls: Duration
  /// Waiting for the whole hello.
  public var hello: Duration

  public init(
    resolve: Duration = .seconds(10), connect: Duration = .seconds(10), tls: Duration = .seconds(10),
    hello: Duration = .seconds(10)
  ) {
    self.resolve = resolve
    self.connect = connect
    self.tls = tls
    self.hello = hello
  }
}

/// Tests, as far as its hello, whether a server works and is the one in its address. Nothing is written to the server.
struct ServerProbe: Sendable {
  let address: ServerAddress
  let limits: ServerProbeLimits
  let lookup: HostLookup
  let eventLoop: any EventLoop
  /// The time in seconds since 1970.
  let now: @Sendable () -> Int64

  /// The versions that current clients speak.
  static func ownVersions(_ transport: ServerProtocol) -> ClosedRange<Int> {
    switch transport {
    case .smp: 6...18
    case .xftp: 1...3
    }
  }

  /// Runs the steps until one fails. Nothing remains open, whether the test ends or its task is cancelled.
  func run(_ yield: @escaping @Sendable (ProbeStep) -> Void) async {
    // The failed step has been reported by then.
    try? await steps(yield)
  }

  /// The result of a step, and its description for people.
  private typealias Found<Value> = (value: Value, detail: String)

  private func steps(_ yield: @Sendable (ProbeStep) -> Void) async throws(PeerFailure) {
    let (endpoint, addresses) = try await step("resolve", yield, resolve)
    let (channel, connection) = try await step("connect", yield) { () throws(PeerFailure) in
      try await connect(endpoint, addresses)
    }
    defer { channel.close(promise: nil) }
    let session = try await step("tls", yield) { () throws(PeerFailure) in try await handshake(connection, endpoint) }
    try await step("identity", yield) { () throws(PeerFailure) in try identity(session) }
    let hello = try await step("hello", yield) { () throws(PeerFailure) in try await greeting(connection, session) }
    try await step("version", yield) { () throws(PeerFailure) in try version(hello) }
  }

  private func resolve() async throws(PeerFailure) -> Found<(ServerEndpoint, [SocketAddress])> {
    guard let endpoint = ServerEndpoint(address) else {
      throw PeerFailure(.unreachable, "Tor is needed: the address has onion hosts only")
    }
    let addresses = try await lookup.addresses(
      of: endpoint.host, port: endpoint.port, within: limits.resolve, on: eventLoop)
    return ((endpoint, addresses), addresses.map(\.briefly).joined(separator: ", "))
  }

  private func connect(
    _ endpoint: ServerEndpoint, _ addresses: [SocketAddress]
  ) async throws(PeerFailure) -> Found<(any Channel, ServerConnection)> {
    let transport = address.transport
    let made = try await TCPDialer().connect(to: addresses, within: limits.connect, on: eventLoop) { channel in
      try ServerConnection(channel, to: endpoint, transport: transport)
    }
    return ((made.channel, made.value), made.channel.remoteAddress?.briefly ?? "")
  }

  private func handshake(
    _ connection: ServerConnection, _ endpoint: ServerEndpoint
  ) async throws(PeerFailure) -> Found<TLSSession> {
    let late = PeerFailure(.timeout, "no TLS handshake within \(limits.tls.briefly)")
    let session = try await eventLoop.outcome(within: limits.tls, orElse: late) { connection.handshake.cascade(to: $0) }
    let offered = endpoint.applicationProtocol
    return (session, "\(session.version), \(session.applicationProtocol ?? "the server did not agree to \(offered)")")
  }

  private func identity(_ session: TLSSession) throws(PeerFailure) -> Found<Void> {
    let certificates = PeerCertificates(chain: session.chain, count: session.chainCount)
    try certificates.judge(fingerprint: address.fingerprint, now: now())
    return ((), "the fingerprint is right, the certificates are valid until \(certificates.lastDay)")
  }

  private func version(_ hello: ServerHello) throws(PeerFailure) -> Found<Void> {
    let common = try hello.commonVersion(Self.ownVersions(address.transport))
    return ((), "versions \(hello.versions.words), \(common) would be used")
  }

  private func greeting(
    _ connection: ServerConnection, _ session: TLSSession
  ) async throws(PeerFailure) -> Found<ServerHello> {
    let late = PeerFailure(.timeout, "no hello within \(limits.hello.briefly)")
    let bytes = try await eventLoop.outcome(within: limits.hello, orElse: late, of: connection.bringHello)
    let hello: ServerHello
    do {
      switch address.transport {
      case .smp: hello = try ServerHello(smpBlock: bytes)
      case .xftp: hello = try ServerHello(xftpBody: bytes)
      }
    } catch {
      throw PeerFailure(.protocol, "the hello is malformed: \(error.reason)")
    }
    try hello.check(session: session, fingerprint: address.fingerprint, now: now())
    let key = hello.signedKey == nil ? "without a signed key, as old servers do" : "with a key that the server signed"
    return (hello, "for this connection, \(key)")
  }

  /// Runs one step and reports the result.
  private func step<Value>(
    _ name: String, _ yield: @Sendable (ProbeStep) -> Void,
    _ body: () async throws(PeerFailure) -> Found<Value>
  ) async throws(PeerFailure) -> Value {
    let clock = ContinuousClock()
    let started = clock.now
    do {
      let (value, detail) = try await body()
      // Names and versions may come from the peer, so details are cleaned like troubles.
      yield(ProbeStep(name: name, duration: clock.now - started, detail: Trouble(.protocol, detail).detail))
      return value
    } catch {
      yield(ProbeStep(name: name, duration: clock.now - started, failure: error.trouble))
      throw error
    }
  }
}
