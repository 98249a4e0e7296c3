internal import Glibc
internal import HTTPHandlers
public import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import Nostr
internal import Synchronization

/// A Nostr relay on loopback for trying Baton out and for tests: NIP-01, 09, 11, 29, 42, and faults on demand. It is not for production.
public final class SandboxRelay: Sendable {
  /// Certificate and key for `wss`.
  public struct TLS: Sendable {
    public let certificateFile: String
    public let keyFile: String
    /// The relay offers nothing newer than TLS 1.1.
    public let isOutdated: Bool
    public init(certificateFile: String, keyFile: String, isOutdated: Bool = false) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.isOutdated = isOutdated
    }
  }

  /// Counts of received connections and messages, for tests and measurements.
  public struct Counts: Hashable, Sendable {
    public var connections = 0
    public var eventsReceived = 0
    public var requestsReceived = 0
  }

  struct State {
    var fault = SandboxFault.none
    var listener: (any Channel)?
    var connections: [ObjectIdentifier: RelayConnection.Handle] = [:]
    var counts = Counts()
  }

  /// The number of free ports that a relay tries before it gives up.
  private static let portAttemptsMax = 10

  public let port: Int
  private let group: any EventLoopGroup
  private let tls: NIOSSLContext?
  let store: EventStore
  /// The groups, or `nil` if the relay does not offer any.
  let groups: Mutex<GroupStore?>
  /// The key of someone else, under which a faulty relay publishes.
  let stranger = SecretKey.random()
  let now: @Sendable () -> Int64
  let state = Mutex(State())

  private init(
    port: Int, group: any EventLoopGroup, tls: NIOSSLContext?, store: EventStore, groups: sending GroupStore?,
    now: @escaping @Sendable () -> Int64
  ) {
    self.port = port
    self.group = group
    self.tls = tls
    self.store = store
    self.groups = Mutex(groups)
    self.now = now
  }

  /// Starts a relay on 127.0.0.1.
  /// - Parameters:
  ///   - port: the port, or 0 for a free one.
  ///   - file: the SQLite file for the events and for the relay's own key. `nil` keeps them in memory.
  ///   - groups: whether the relay also offers groups (NIP-29).
  ///   - now: the relay's clock, in Unix time, or `nil` for the system's.
  public static func start(
    port: Int = 0, file: String? = nil, tls: TLS? = nil, fault: SandboxFault = .none, groups: Bool = true,
    group: (any EventLoopGroup)? = nil, now: (@Sendable () -> Int64)? = nil
  ) async throws -> SandboxRelay {
    let group = group ?? MultiThreadedEventLoopGroup.singleton
    var context: NIOSSLContext?
    if let tls {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(tls.certificateFile).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.keyFile, format: .pem)))
      if tls.isOutdated { configuration.maximumTLSVersion = .tlsv11 }
      context = try NIOSSLContext(configuration: configuration)
    }
    let store = try EventStore(path: file)
    let groupStore = groups ? GroupStore(key: try store.key(), history: try store.history()) : nil
    var attempts = 0
    while true {
      attempts += 1
      // The port must be known before the first connection can ask for the relay's own address.
      let probe = try await ServerBootstrap(group: group).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: "127.0.0.1", port: port).get()
      let number = probe.localAddress?.port ?? port
      try await probe.close()
      let relay = SandboxRelay(
        port: number, group: group, tls: context, store: store, groups: groupStore, now: now ?? { Int64(time(nil)) })
      relay.state.withLock { $0.fault = fault }
      do {
        if fault != .down { try await relay.listen() }
        return relay
      } catch let error as IOError where error.errnoCode == EADDRINUSE && port == 0 && attempts < portAttemptsMax {
        // Another program has got the free port since: try another one.
      }
    }
  }

  public var url: String { "\(tls == nil ? "ws" : "wss")://127.0.0.1:\(port)" }
  public var fault: SandboxFault { state.withLock { $0.fault } }
  public var counts: Counts { state.withLock { $0.counts } }
  /// Whether the relay keeps only the newest event of this kind for each author (NIP-01).
  func keepsNewest(_ kind: Int) -> Bool {
    [0, 3].contains(kind) || (10_000..<20_000).contains(kind) || kind == 41 && fault == .onePerAuthor
  }
  /// The stored events, without the states of groups.
  public var eventCount: Int { store.count }

  /// Changes how the relay misbehaves. `down` takes effect immediately. Leaving it makes the relay listen on its port again.
  public func set(_ fault: SandboxFault) async throws {
    let before = state.withLock { state in
      defer { state.fault = fault == .forget ? .none : fault }
      return state.fault
    }
    if fault == .forget { forgetAll() }
    if fault == .down {
      await stop()
    } else if before == .down {
      try await listen()
    }
  }

  /// Stops listening and drops all connections.
  public func stop() async {
    let (listener, connections) = state.withLock { state in
      defer { state.listener = nil }
      return (state.listener, Array(state.connections.values))
    }
    try? await listener?.close()
    for connection in connections { try? await connection.channel.close() }
  }

  private func listen() async throws {
    let listener = try await ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 256)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture { try configure(channel) }
      }
      .bind(host: "127.0.0.1", port: port).get()
    state.withLock { $0.listener = listener }
  }

  private func configure(_ channel: any Channel) throws {
    let isTaken = state.withLock { $0.fault == .oneConnection && !$0.connections.isEmpty }
    if isTaken { throw ChannelError.ioOnClosedChannel }
    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
    let information = InformationHandler(relay: self)
    let bound = NIOLoopBound(information, eventLoop: channel.eventLoop)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: 1 << 20,
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { [self] channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: 1 << 20),
            RelayConnection(relay: self),
          ])
        }
      })
    HTTPHandlers.prepare()
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { context in context.pipeline.syncOperations.removeHandler(bound.value, promise: nil) }
      ))
    try channel.pipeline.syncOperations.addHandler(information)
  }
}
