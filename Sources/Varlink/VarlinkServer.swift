internal import Glibc
public import NIOCore
internal import NIOPosix

/// Serves Varlink on Unix sockets.
public final class VarlinkServer: Sendable {
  /// The limits of a server. Each holds for the whole server unless its comment restricts it.
  public struct Limits: Hashable, Sendable {
    /// The largest message accepted, in bytes.
    public var messageBytesMax = 1 << 20
    /// Connections open simultaneously. At most half of the descriptors, because relays and the store need the others.
    public var connectionsMax = 4096
    /// How many of the highest descriptors of the process no connection may have. Owners may have the lower half of them.
    public var descriptorsReserved = 0
    /// Connections of one user open simultaneously.
    public var connectionsPerUserMax = 128
    /// The part of `connectionsMax` that only owners get, beyond the limit of one user, so that others cannot lock them out.
    public var connectionsReserved = 32
    /// Connections of one stranger open simultaneously.
    public var connectionsPerStrangerMax = 8
    /// Connections of all strangers open simultaneously. A limit per user is not enough, because the number of users is unlimited.
    public var strangersMax = 64
    /// The largest message accepted from a stranger, in bytes.
    public var strangerMessageBytesMax = 64 << 10
    /// The time that a stranger may be silent, or take for a message or a reply.
    public var strangerTimeout: Duration = .seconds(10)
    /// The time that a peer may take from its connection, or its latest reply, to the end of a message that it has begun. It also limits
    /// the wait for its first message.
    public var messageTimeout: Duration = .seconds(60)
    /// The time that a peer may take to read a reply.
    public var replyTimeout: Duration = .seconds(300)
    public init() {}

    /// These limits with no more connections than the available descriptors allow.
    func bounded() -> Limits {
      var limits = self
      limits.connectionsMax = max(16, min(connectionsMax, Int(sysconf(CInt(_SC_OPEN_MAX))) / 2))
      limits.connectionsReserved = min(connectionsReserved, limits.connectionsMax / 4)
      return limits
    }

    /// The first descriptor that a connection of such a peer may not have.
    func descriptorsEnd(of standing: Standing) -> Int {
      let reserved = standing == .owner ? descriptorsReserved / 2 : descriptorsReserved
      return reserved == 0 ? .max : Int(sysconf(CInt(_SC_OPEN_MAX))) - reserved
    }

    /// The largest message that the server accepts from a peer, in bytes.
    func messageBytesMax(of standing: Standing) -> Int {
      standing == .stranger ? min(strangerMessageBytesMax, messageBytesMax) : messageBytesMax
    }

    /// Returns the time that a peer may take to finish its message.
    func messageTimeout(of standing: Standing) -> Duration {
      standing == .stranger ? min(strangerTimeout, messageTimeout) : messageTimeout
    }

    /// Returns the time that a peer may take to read a reply.
    func replyTimeout(of standing: Standing) -> Duration {
      standing == .stranger ? min(strangerTimeout, replyTimeout) : replyTimeout
    }
  }

  /// The standing of a peer, which decides how much of the server it may use.
  public enum Standing: Hashable, Sendable {
    /// A peer that may not make any call of importance.
    case stranger
    case member
    /// A peer that must always get a connection.
    case owner
  }

  /// An event worth logging. The server itself does not log.
  public enum Notice: Sendable {
    /// The peer broke the protocol and was disconnected.
    case protocolBroken(VarlinkPeer?, reason: String)
    case tooManyConnections(VarlinkPeer, ConnectionLimit)
    /// No connections are accepted for a moment, because the process has too few descriptors, or the system too little memory.
    case cannotAccept(reason: String)
    /// A method failed with an error that is not a `VarlinkError`.
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
  ///   - connections: sockets that are connected already. They are served like accepted ones.
  ///   - standing: returns the standing of a peer when it connects.
  ///   - farewell: the message to a connection that is closed because there is no room for it.
  public static func start(
    _ service: VarlinkService, sockets: [CInt], connections: [CInt] = [], group: any EventLoopGroup, limits: Limits = Limits(),
    standing: @escaping @Sendable (VarlinkPeer) -> Standing = { _ in .member },
    farewell: @escaping @Sendable (ConnectionLimit) -> VarlinkError? = { _ in nil },
    notice: @escaping @Sendable (Notice) -> Void
  ) async throws -> VarlinkServer {
    let limits = limits.bounded()
    let registry = ConnectionRegistry(limits: limits)
    let serve: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(
          ConnectionHandler(
            service: service, limits: limits, registry: registry, standing: standing, farewell: farewell, notice: notice))
      }
    }
    var listeners: [any Channel] = []
    for socket in sockets {
      // The process that handed it over may have chosen a smaller number.
      UnixListener.listen(socket)
      let listener = try await ServerBootstrap(group: group)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              AcceptPause(end: limits.descriptorsEnd(of: .owner)) { notice(.cannotAccept(reason: $0)) })
          }
        }
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

  /// The bytes of replies that clients have not read yet, one number for each open connection.
  public func unsentBytes() async -> [Int] {
    // Event loops do all tasks before they read and write, so tasks in quick succession would keep them from that.
    let counts = registry.channels.map { channel in
      channel.eventLoop.flatScheduleTask(in: .milliseconds(1)) { channel.getOption(ChannelOptions.bufferedWritableBytes) }
    }
    var bytes: [Int] = []
    for count in counts { if let count = try? await count.futureResult.get() { bytes.append(count) } }
    return bytes
  }

  /// Waits until all connections that were there at the start have ended.
  public func handedOverConnectionsEnded() async {
    for connection in handedOver { try? await connection.closeFuture.get() }
  }

  /// Stops accepting connections. Open connections continue.
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
        // Idle connections close immediately, busy ones after their reply.
        channel.pipeline.fireUserInboundEventTriggered(ConnectionHandler.Stopping())
      }
      channel.eventLoop.scheduleTask(in: TimeAmount(grace)) { channel.close(promise: nil) }
    }
    for channel in open { try? await channel.closeFuture.get() }
  }
}
