public import Channels
public import ControlAPI
public import Coordinator
public import Logging
internal import Meters
public import NIOCore
internal import NIOPosix
public import Storage
internal import StrictJSON
public import Varlink

/// Serves the control interfaces.
public struct ControlServer: Sendable {
  private let context: ControlContext
  private let server: VarlinkServer
  private let interfaces: [any ForwardedAnswering & VarlinkInterface]

  /// Starts serving on sockets that already listen.
  /// - Parameters:
  ///   - store: returns the storage for questions about channels, posts and changes. It may block on these threads.
  ///   - messages: returns the storage for questions about messages, in the same way, or `nil` if no one reads them.
  ///   - connections: sockets that are already connected.
  ///   - reload: loads the files that declare operators again. It throws `BatonError.invalidFiles`.
  ///   - declarationsTrouble: returns the error in these files, or `nil` if they are in force.
  ///   - logLevel: how severe messages must be to be logged.
  ///   - startedAt: when the daemon started, on the coordinator's clock.
  ///   - forwarder: has other daemons answer calls about their objects, or `nil` if there are none.
  ///   - sharing: lists the daemons that share the store, or `nil` if it is not shared.
  ///   - configurationWarnings: returns the dangerous settings of a configuration that works.
  ///   - credentials: the folder with the credentials that the service manager holds for the daemon, or `nil` if there are none.
  public static func start(
    coordinator: Coordinator, store: (any BlockingWork) -> any ControlStorage & PostReading,
    messages: (any BlockingWork) -> (any MessageReading)? = { _ in nil }, access: Access, sockets: [CInt],
    connections: [CInt] = [],
    group: any EventLoopGroup, version: String, startedAt: Timestamp, logger: Logger,
    reload: @escaping @Sendable () async throws -> ReloadReport = {
      ReloadReport(files: 0, operators: 0, servers: 0, relays: 0, options: [], needRestart: [])
    },
    declarationsTrouble: @escaping @Sendable () -> String? = { nil }, logLevel: LogLevelControl = LogLevelControl(),
    limits: VarlinkServer.Limits = VarlinkServer.Limits(), listLimits: ListLimits = ListLimits(), credentials: String? = nil,
    forwarder: CallForwarder? = nil, sharing: (any SharingStorage)? = nil,
    configurationWarnings: @escaping @Sendable () -> [Finding] = { [] }
  ) async throws -> ControlServer {
    let threads = ControlThreads(limit: listLimits.timeMax)
    let storage = store(threads)
    let reading = messages(threads)
    let context = ControlContext(
      coordinator: coordinator, store: storage, posts: storage, messages: reading,
      activities: ChannelActivities(storage, reading), access: access, logger: logger, version: version, startedAt: startedAt,
      reload: reload,
      declarationsTrouble: declarationsTrouble, logLevel: logLevel, listLimits: listLimits, credentials: credentials,
      forwarder: forwarder, sharing: sharing, configurationWarnings: configurationWarnings, threads: threads)
    let interfaces = interfaces(context)
    // Counted from the start, so that the first call of each kind can be seen as one.
    coordinator.metrics.note { page in
      for name in interfaces.map(\.definition.name) {
        for outcome in ["ok", "refused", "error"] { page.add(0, to: .calls, [name, outcome]) }
        page.take([], in: .callTime, [name])
      }
    }
    let service = VarlinkService(
      .init(vendor: "Baton", product: "batond", version: version, url: "https://batond.org"),
      interfaces: interfaces)
    let server = try await VarlinkServer.start(
      service, sockets: sockets, connections: connections, group: group, limits: limits,
      standing: { access.standing(of: $0) }, farewell: { $0.error }
    ) { notice in
      switch notice {
      case .protocolBroken(let peer, let reason):
        logger.debug("disconnected uid \(peer?.uid ?? .max), pid \(peer?.pid ?? 0): \(reason)")
      case .tooManyConnections(let peer, let limit):
        logger.warning("refused a connection of uid \(peer.uid), pid \(peer.pid): \(limit.words)")
      case .cannotAccept(let reason):
        logger.warning("no new connections are accepted for now: \(reason)")
      case .internalError(let peer, let method, let error):
        logger.fault(error, in: method, calledBy: peer)
      }
    }
    return ControlServer(context: context, server: server, interfaces: interfaces)
  }

  /// All interfaces that are served in addition to `org.varlink.service`.
  static func interfaces(_ context: ControlContext) -> [any ForwardedAnswering & VarlinkInterface] {
    [
      ControlInterface(Interfaces.operators, context, OperatorsInterface(context: context)),
      ControlInterface(Interfaces.servers, context, ServersInterface(context: context)),
      ControlInterface(Interfaces.relays, context, RelaysInterface(context: context)),
      ControlInterface(Interfaces.identities, context, IdentitiesInterface(context: context)),
      ControlInterface(Interfaces.channels, context, ChannelsInterface(context: context)),
      ControlInterface(Interfaces.posts, context, PostsInterface(context: context)),
      ControlInterface(Interfaces.messages, context, MessagesInterface(context: context)),
      ControlInterface(Interfaces.members, context, MembersInterface(context: context)),
      ControlInterface(Interfaces.people, context, PeopleInterface(context: context)),
      ControlInterface(Interfaces.monitor, context, MonitorInterface(context: context)),
      ControlInterface(Interfaces.daemon, context, DaemonInterface(context: context)),
      ControlInterface(Interfaces.systemd, context, SystemdInterface(context: context)),
    ]
  }

  /// Answers calls that other daemons leave for this one, and gives the answers to its own, until it is cancelled.
  public func exchangeCalls() async {
    guard let forwarder = context.forwarder else { return }
    let byName = Dictionary(interfaces.map { ($0.definition.name, $0) }) { first, _ in first }
    await forwarder.run { call in
      guard let parameters = try? JSONParser.parse(call.parameters).object else {
        return VarlinkError.invalidParameter("parameters").message
      }
      let made = VarlinkCall(method: call.method, parameters: parameters, mode: call.hasMore ? .more : .single)
      guard let interface = byName[made.interface] else {
        // It comes from a newer daemon.
        return VarlinkError.interfaceNotFound(made.interface).message
      }
      return try await interface.answer(made, forwardedFor: call.user, by: call.origin)
    }
  }

  /// Stops taking calls that other daemons leave.
  public func takeNoMoreCalls() { context.forwarder?.takeNoMore() }

  /// The same, and returns when the calls under way are answered, or a little later.
  public func stopExchange() async { await context.forwarder?.stop() }

  /// Waits until all connections that existed at the start have ended.
  public func handedOverConnectionsEnded() async { await server.handedOverConnectionsEnded() }
  public func stopAccepting() async { await server.stopAccepting() }
  public func stop() async {
    await server.stop()
    await context.threads.shutDown()
  }

  var connectionCount: Int { server.connectionCount }

  /// The bytes of replies that clients have not read yet, one number for each connection.
  func unsentBytes() async -> [Int] { await server.unsentBytes() }

  /// A line of status for people and for systemd.
  /// - Throws: `StoreError` when the database cannot be read, or `CancellationError` when the server has stopped.
  public func summary() async throws -> String {
    try await DaemonInterface.status(context).summary
  }
}

extension ConnectionLimit {
  /// The error as `org.batond.Daemon` declares it.
  fileprivate var error: VarlinkError {
    let (of, max) =
      switch self {
      case .user(let max): ("user", max)
      case .strangers(let max): ("strangers", max)
      case .all(let max), .descriptors(let max): ("all", max)
      }
    return DaemonRefusal.tooManyConnections(of: of, max: max).error
  }

  fileprivate var words: String {
    switch self {
    case .user(let max): "the user has \(max) already"
    case .strangers(let max): "users who may not read anything have \(max) already"
    case .all(let max): "\(max) are open"
    case .descriptors(let max): "\(max) are open, and the limit of files and connections is reached: raise LimitNOFILE"
    }
  }
}
