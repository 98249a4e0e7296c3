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
  private let registry: ConnectionRegistry

  private init(listeners: [any Channel], registry: ConnectionRegistry) {
    self.listeners = listeners
    self.registry = registry
  }

  /// Starts serving on sockets that listen already.
  /// - Parameter isKnown: whether a peer may call anything of weight; strangers get few connections.
  public static func start(
    _ service: VarlinkService, sockets: [CInt], group: any EventLoopGroup, limits: Limits = Limits(),
    isKnown: @escaping @Sendable (VarlinkPeer) -> Bool = { _ in true },
    notice: @escaping @Sendable (Notice) -> Void
  ) async throws -> VarlinkServer {
    let limits = limits.bounded()
    let registry = ConnectionRegistry(limits: limits)
    var listeners: [any Channel] = []
    for socket in sockets {
      let listener = try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 256)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              ConnectionHandler(service: service, limits: limits, registry: registry, isKnown: isKnown, notice: notice))
          }
        }
        .withBoundSocket(socket).get()
      listeners.append(listener)
    }
    return VarlinkServer(listeners: listeners, registry: registry)
  }

  public var connectionCount: Int { registry.count }

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
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      }
      channel.eventLoop.scheduleTask(in: TimeAmount(grace)) { channel.close(promise: nil) }
    }
    for channel in open { try? await channel.closeFuture.get() }
  }
}

/// Why a control socket cannot be made.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  /// Whether somebody else serves there.
  public let isInUse: Bool
}

/// Makes the listening socket of a server.
public enum UnixListener {
  /// A socket that listens at `path`, with `mode` in place before the first client can connect. A socket file that nobody serves any more is
  /// replaced; one that is served, or a file of another kind, is not.
  public static func listen(path: String, mode: UInt32) throws(ListenError) -> CInt {
    func failure(_ what: String) -> ListenError {
      ListenError(description: "\(what) \(path): \(String(cString: strerror(errno)))", isInUse: false)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw ListenError(description: "the socket path \(path) must have 1 to 107 bytes", isInUse: false)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
      }
    }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw ListenError(description: "\(path) exists and is no socket", isInUse: false)
      }
      let probe = socket(AF_UNIX, kind, 0)
      defer { close(probe) }
      if withAddress({ connect(probe, $0, $1) }) == 0 {
        throw ListenError(description: "the socket \(path) is in use by another server", isInUse: true)
      }
      guard errno == ECONNREFUSED else { throw failure("cannot tell whether somebody serves") }
      unlink(path)
    }
    let listener = socket(AF_UNIX, kind | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard listener >= 0 else { throw failure("cannot make a socket for") }
    // Nobody may connect before the mode is right. The socket's own mode becomes that of the file (unix(7) on Linux); the umask is
    // not touched, because it belongs to the whole process.
    guard fchmod(listener, 0) == 0 else { throw failure("cannot make a socket for") }
    let bound = withAddress { bind(listener, $0, $1) }
    let problem = errno
    guard bound == 0, chmod(path, mode) == 0, Glibc.listen(listener, 256) == 0 else {
      if bound != 0 { errno = problem }
      defer { close(listener) }
      throw failure("cannot listen at")
    }
    return listener
  }
}
