internal import Glibc
public import NIOCore
internal import NIOPosix

/// Serves Varlink on Unix sockets.
public final class VarlinkServer: Sendable {
  /// Limits of a server, all of them per server unless they say otherwise.
  public struct Limits: Hashable, Sendable {
    /// Largest message taken in, in bytes.
    public var messageBytesMax = 1 << 20
    /// Connections open at once; half of the descriptors at most, the others are for relays and the store.
    public var connectionsMax = 4096
    /// Connections of one user open at once.
    public var connectionsPerUserMax = 128
    /// Connections open at once of a user who may not read anything.
    public var connectionsPerStrangerMax = 8
    /// How long a peer may take from its connection, or its latest reply, to the end of a message that it has begun; and to its first
    /// message, begun or not.
    public var messageTimeout: Duration = .seconds(60)
    /// How long a peer may take to accept a reply.
    public var replyTimeout: Duration = .seconds(300)
    public init() {}

    /// The same with no more connections than descriptors allow.
    func bounded() -> Limits {
      var limits = self
      limits.connectionsMax = max(16, min(connectionsMax, Int(sysconf(CInt(_SC_OPEN_MAX))) / 2))
      return limits
    }
  }

  /// Something worth a log line; the server itself writes none.
  public enum Notice: Sendable {
    /// The peer broke the protocol and was disconnected.
    case protocolBroken(VarlinkPeer?, reason: String)
    case tooManyConnections(VarlinkPeer?)
    /// A method failed with something that is no `VarlinkError`.
    case internalError(VarlinkPeer, method: String, error: String)
  }

  private let listeners: [any Channel]
  private let handedOver: [any Channel]
  private let registry: ConnectionRegistry

  private init(listeners: [any Channel], handedOver: [any Channel], registry: ConnectionRegistry) {
    self.listeners = listeners
    self.handedOver = handedOver
    self.registry = registry
  }

  /// Starts serving on sockets that listen already.
  /// - Parameters:
  ///   - connections: sockets that are connected already; served like any that is accepted.
  ///   - isKnown: whether a peer may call anything of weight; strangers get few connections.
  public static func start(
    _ service: VarlinkService, sockets: [CInt], connections: [CInt] = [], group: any EventLoopGroup, limits: Limits = Limits(),
    isKnown: @escaping @Sendable (VarlinkPeer) -> Bool = { _ in true },
    notice: @escaping @Sendable (Notice) -> Void
  ) async throws -> VarlinkServer {
    let limits = limits.bounded()
    let registry = ConnectionRegistry(limits: limits)
    let serve: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(
          ConnectionHandler(service: service, limits: limits, registry: registry, isKnown: isKnown, notice: notice))
      }
    }
    var listeners: [any Channel] = []
    for socket in sockets {
      let listener = try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 256)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer(serve)
        .withBoundSocket(socket).get()
      listeners.append(listener)
    }
    var handedOver: [any Channel] = []
    for socket in connections {
      let connection = try await ClientBootstrap(group: group)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelInitializer(serve)
        .withConnectedSocket(socket).get()
      handedOver.append(connection)
    }
    return VarlinkServer(listeners: listeners, handedOver: handedOver, registry: registry)
  }

  public var connectionCount: Int { registry.count }

  /// Waits until all connections that were there at the start have ended.
  public func handedOverConnectionsEnded() async {
    for connection in handedOver { try? await connection.closeFuture.get() }
  }

  /// Stops accepting connections; those that are open stay.
  public func stopAccepting() async {
    for listener in listeners { try? await listener.close() }
  }

  /// Stops accepting, lets every connection finish the call that it is in, and closes it.
  /// - Parameter grace: how long a call may still take.
  public func stop(grace: Duration = .seconds(2)) async {
    await stopAccepting()
    let open = registry.channels
    for channel in open {
      channel.eventLoop.execute {
        // Idle connections close at once, busy ones after their reply.
        channel.pipeline.fireUserInboundEventTriggered(ConnectionHandler.Stopping())
      }
      channel.eventLoop.scheduleTask(in: TimeAmount(grace)) { channel.close(promise: nil) }
    }
    for channel in open { try? await channel.closeFuture.get() }
  }
}
