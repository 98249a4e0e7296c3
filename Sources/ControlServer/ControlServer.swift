public import Channels
public import ControlAPI
public import Coordinator
public import Logging
public import NIOCore
internal import NIOPosix
public import Storage
public import Varlink

/// Serves the control interfaces.
public struct ControlServer: Sendable {
  private let context: ControlContext
  private let server: VarlinkServer

  /// Starts serving on sockets that listen already.
  /// - Parameters:
  ///   - store: gives what answers questions about channels and changes, and may block on these threads.
  ///   - connections: sockets that are connected already.
  ///   - reload: loads the files that declare operators again; throws `BatonError.invalidFiles`.
  ///   - declarationsTrouble: what is wrong with these files at present; nil when they are in force.
  ///   - logLevel: how severe messages must be that are logged.
  ///   - startedAt: when the daemon began, on the coordinator's clock.
  ///   - credentials: the folder with what the service manager holds for the daemon; nil: nothing.
  public static func start(
    coordinator: Coordinator, store: (any BlockingWork) -> any ControlStorage, access: Access, sockets: [CInt],
    connections: [CInt] = [],
    group: any EventLoopGroup, version: String, startedAt: Timestamp, logger: Logger,
    reload: @escaping @Sendable () async throws -> ReloadReport = {
      ReloadReport(files: 0, operators: 0, servers: 0, relays: 0, options: [], needRestart: [])
    },
    declarationsTrouble: @escaping @Sendable () -> String? = { nil }, logLevel: LogLevelControl = LogLevelControl(),
    limits: VarlinkServer.Limits = VarlinkServer.Limits(), listLimits: ListLimits = ListLimits(), credentials: String? = nil
  ) async throws -> ControlServer {
    let threads = ControlThreads()
    let context = ControlContext(
      coordinator: coordinator, store: store(threads), access: access, logger: logger, version: version, startedAt: startedAt,
      reload: reload, declarationsTrouble: declarationsTrouble,
      logLevel: logLevel, listLimits: listLimits, credentials: credentials, threads: threads
    )
    let service = VarlinkService(
      .init(vendor: "Baton", product: "batond", version: version, url: "https://batond.org"),
      interfaces: interfaces(context))
    let server = try await VarlinkServer.start(
      service, sockets: sockets, connections: connections, group: group, limits: limits,
      standing: { access.standing(of: $0) }, farewell: { $0.error }
    ) { notice in
      switch notice {
      case .protocolBroken(let peer, let reason):
        logger.debug("disconnected uid \(peer?.uid ?? .max), pid \(peer?.pid ?? 0): \(reason)")
      case .tooManyConnections(let peer, let limit):
        logger.warning("refused a connection of uid \(peer.uid), pid \(peer.pid): \(limit.words)")
      case .internalError(let peer, let method, let error):
        logger.event(
          .internalFault, .error, "\(method), called by uid \(peer.uid), failed for a fault of the daemon: \(error)",
          ["BATON_METHOD": "\(method)"])
      }
    }
    return ControlServer(context: context, server: server)
  }

  /// All that is served beside `org.varlink.service`.
  static func interfaces(_ context: ControlContext) -> [any VarlinkInterface] {
    [
      ControlInterface(Interfaces.operators, context, OperatorsInterface(context: context)),
      ControlInterface(Interfaces.servers, context, ServersInterface(context: context)),
      ControlInterface(Interfaces.relays, context, RelaysInterface(context: context)),
      ControlInterface(Interfaces.identities, context, IdentitiesInterface(context: context)),
      ControlInterface(Interfaces.channels, context, ChannelsInterface(context: context)),
      ControlInterface(Interfaces.monitor, context, MonitorInterface(context: context)),
      ControlInterface(Interfaces.daemon, context, DaemonInterface(context: context)),
      ControlInterface(Interfaces.systemd, context, SystemdInterface(context: context)),
    ]
  }

  /// Waits until all connections that were there at the start have ended.
  public func handedOverConnectionsEnded() async { await server.handedOverConnectionsEnded() }
  public func stopAccepting() async { await server.stopAccepting() }
  public func stop() async {
    await server.stop()
    await context.threads.shutDown()
  }

  /// What clients have not taken yet of their replies, in bytes, one number for each connection.
  func unsentBytes() async -> [Int] { await server.unsentBytes() }

  /// One line for people and for systemd.
  /// - Throws: `StoreError` when the database cannot be read; `CancellationError` when the server has stopped.
  public func summary() async throws -> String {
    try await DaemonInterface.status(context).summary
  }
}

extension ConnectionLimit {
  /// As `org.batond.Daemon` declares it.
  fileprivate var error: VarlinkError {
    let (of, max) =
      switch self {
      case .user(let max): ("user", max)
      case .strangers(let max): ("strangers", max)
      case .all(let max): ("all", max)
      }
    return DaemonRefusal.tooManyConnections(of: of, max: max).error
  }

  fileprivate var words: String {
    switch self {
    case .user(let max): "the user has \(max) already"
    case .strangers(let max): "users who may not read anything have \(max) already"
    case .all(let max): "\(max) are open"
    }
  }
}
