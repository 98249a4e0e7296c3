public import Channels
public import ControlAPI
public import Coordinator
public import Logging
public import NIOCore
internal import NIOPosix
public import Store
public import Varlink

/// Serves the control interfaces.
public struct ControlServer: Sendable {
  private let context: ControlContext
  private let server: VarlinkServer

  /// Starts serving on sockets that listen already.
  /// - Parameters:
  ///   - connections: sockets that are connected already.
  ///   - reload: loads the files that declare operators again; throws `BatonError.invalidFiles`.
  ///   - declarationsTrouble: what is wrong with these files at present; nil when they are in force.
  ///   - logLevel: how severe messages must be that are logged.
  public static func start(
    coordinator: Coordinator, store: Store, access: Access, sockets: [CInt], connections: [CInt] = [],
    group: any EventLoopGroup, version: String, startedAt: Timestamp, logger: Logger,
    reload: @escaping @Sendable () async throws -> ReloadReport = {
      ReloadReport(files: 0, operators: 0, servers: 0, relays: 0, options: [], needRestart: [])
    },
    declarationsTrouble: @escaping @Sendable () -> String? = { nil }, logLevel: LogLevelControl = LogLevelControl(),
    limits: VarlinkServer.Limits = VarlinkServer.Limits(), listLimits: ListLimits = ListLimits()
  ) async throws -> ControlServer {
    let context = ControlContext(
      coordinator: coordinator, store: store, access: access, logger: logger, version: version, startedAt: startedAt,
      reload: reload, declarationsTrouble: declarationsTrouble,
      logLevel: logLevel, listLimits: listLimits, slowLane: NIOThreadPool(numberOfThreads: 2))
    context.slowLane.start()
    let service = VarlinkService(
      .init(vendor: "Baton", product: "batond", version: version, url: "https://batond.org"),
      interfaces: interfaces(context))
    let server = try await VarlinkServer.start(
      service, sockets: sockets, connections: connections, group: group, limits: limits,
      isKnown: { access.allows($0, .read) }
    ) { notice in
      switch notice {
      case .protocolBroken(let peer, let reason):
        logger.debug("disconnected uid \(peer?.uid ?? .max), pid \(peer?.pid ?? 0): \(reason)")
      case .tooManyConnections(let peer):
        logger.warning("refused a connection of uid \(peer?.uid ?? .max): too many are open")
      case .internalError(let peer, let method, let error):
        logger.error("\(method) called by uid \(peer.uid) failed: \(error)")
      }
    }
    return ControlServer(context: context, server: server)
  }

  /// All that is served beside `org.varlink.service`.
  static func interfaces(_ context: ControlContext) -> [ControlInterface] {
    [
      .operators(context), .servers(context), .relays(context), .identities(context), .channels(context), .monitor(context),
      .daemon(context), .systemd(context),
    ]
  }

  /// Waits until all connections that were there at the start have ended.
  public func handedOverConnectionsEnded() async { await server.handedOverConnectionsEnded() }
  public func stopAccepting() async { await server.stopAccepting() }
  public func stop() async {
    await server.stop()
    try? await context.slowLane.shutdownGracefully()
  }

  /// One line for people and for systemd.
  public func summary() throws -> String { try ControlInterface.status(context).summary }
}
