internal import NIOConcurrencyHelpers
public import NIOCore
internal import NIOPosix
public import StrictJSON

/// One connection to a Varlink server. Calls are answered in order; a stream occupies its connection until its last reply.
public final class VarlinkClient: Sendable {
  /// What goes wrong on this side; never sent by a server.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody serves at the address, or it may not be used.
    case notReachable(String)
    /// The connection ended before the reply.
    case disconnected
    /// The reply did not come in time; the connection is of no more use.
    case timedOut
    /// The server broke the protocol.
    case protocolBroken(String)

    public var description: String {
      switch self {
      case .notReachable(let reason): reason
      case .disconnected: "the server closed the connection"
      case .timedOut: "the server did not answer in time"
      case .protocolBroken(let reason): "the server broke the protocol: \(reason)"
      }
    }
  }

  /// Longest message taken from a server, in bytes.
  public static let messageBytesMax = 16 << 20

  private let channel: any Channel

  private init(channel: any Channel) { self.channel = channel }

  /// Connects to the Unix socket at `path`.
  /// - Parameter group: nil uses the process's shared event loops.
  public static func connect(
    path: String, group: (any EventLoopGroup)? = nil
  ) async throws(Failure) -> VarlinkClient {
    let group = group ?? MultiThreadedEventLoopGroup.singleton
    do {
      let channel = try await ClientBootstrap(group: group)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ClientHandler())
          }
        }
        .connect(unixDomainSocketPath: path).get()
      return VarlinkClient(channel: channel)
    } catch let error as IOError {
      throw .notReachable("cannot connect to \(path): \(describe(error.errnoCode))")
    } catch {
      throw .notReachable("cannot connect to \(path): \(error)")
    }
  }

  public func close() async { try? await channel.close() }

  /// Calls a method and waits for its one reply.
  /// - Parameter timeout: nil waits as long as the connection lasts.
  /// - Throws: `VarlinkError` as sent by the server, or `Failure`.
  public func call(
    _ method: String, _ parameters: [String: JSONValue] = [:], timeout: Duration? = .seconds(45)
  ) async throws -> [String: JSONValue] {
    let replies = stream(VarlinkCall(method: method, parameters: parameters))
    let guardTask = timeout.map { timeout in
      channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) { [channel] in
        channel.pipeline.fireUserInboundEventTriggered(ClientHandler.TimedOut())
      }
    }
    defer { guardTask?.cancel() }
    for try await reply in replies { return reply.parameters }
    throw Failure.disconnected
  }

  /// Calls a method that sends several replies. The stream ends after the last one.
  public func callMore(
    _ method: String, _ parameters: [String: JSONValue] = [:]
  ) -> AsyncThrowingStream<VarlinkReply, any Error> {
    stream(VarlinkCall(method: method, parameters: parameters, mode: .more))
  }

  /// Calls a method without waiting for anything.
  public func callOneway(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws {
    let message = VarlinkCall(method: method, parameters: parameters, mode: .oneway).message
    try await channel.writeAndFlush(channel.allocator.buffer(bytes: message))
  }

  private func stream(_ call: VarlinkCall) -> AsyncThrowingStream<VarlinkReply, any Error> {
    let (replies, continuation) = AsyncThrowingStream.makeStream(of: VarlinkReply.self)
    let message = call.message
    let isMore = call.mode == .more
    channel.eventLoop.execute { [channel] in
      guard channel.isActive, let handler = try? channel.pipeline.syncOperations.handler(type: ClientHandler.self) else {
        return continuation.finish(throwing: Failure.disconnected)
      }
      handler.expect(ClientHandler.Expected(isMore: isMore, continuation: continuation))
      channel.writeAndFlush(channel.allocator.buffer(bytes: message), promise: nil)
    }
    return replies
  }

  private static func describe(_ code: CInt) -> String { IOError(errnoCode: code, reason: "connect").description }
}

private final class ClientHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  struct TimedOut {}
  struct Expected {
    let isMore: Bool
    let continuation: AsyncThrowingStream<VarlinkReply, any Error>.Continuation
  }

  private var frames = FrameBuffer(messageBytesMax: VarlinkClient.messageBytesMax)
  private var expected: [Expected] = []

  func expect(_ call: Expected) { expected.append(call) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    frames.append(&bytes)
    do {
      while let message = try frames.next() { try take(message) }
    } catch {
      end(.protocolBroken("\(error)"), context)
    }
  }

  private func take(_ message: ByteBuffer) throws {
    guard let call = expected.first else { throw VarlinkClient.Failure.protocolBroken("a reply without a call") }
    do {
      let reply = try VarlinkReply(message: message.readableBytesView)
      guard call.isMore || !reply.continues else {
        throw VarlinkClient.Failure.protocolBroken("several replies to a call that wants one")
      }
      call.continuation.yield(reply)
      guard !reply.continues else { return }
      expected.removeFirst()
      call.continuation.finish()
    } catch let error as VarlinkError {
      expected.removeFirst()
      call.continuation.finish(throwing: error)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is TimedOut { end(.timedOut, context) } else { context.fireUserInboundEventTriggered(event) }
  }

  func channelInactive(context: ChannelHandlerContext) { end(.disconnected, context) }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.disconnected, context) }

  private func end(_ failure: VarlinkClient.Failure, _ context: ChannelHandlerContext) {
    let waiting = expected
    expected = []
    for call in waiting { call.continuation.finish(throwing: failure) }
    context.close(promise: nil)
  }
}
