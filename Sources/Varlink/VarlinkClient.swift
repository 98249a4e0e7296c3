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
    let promise = channel.eventLoop.makePromise(of: VarlinkReply.self)
    send(VarlinkCall(method: method, parameters: parameters), .once(promise))
    let guardTask = timeout.map { timeout in
      channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) { [channel] in
        channel.pipeline.fireUserInboundEventTriggered(ClientHandler.TimedOut())
      }
    }
    defer { guardTask?.cancel() }
    return try await withTaskCancellationHandler {
      try await promise.futureResult.get().parameters
    } onCancel: {
      promise.fail(CancellationError())
    }
  }

  /// Calls a method that sends several replies. They end after the last one.
  /// - Parameter thenClose: whether the connection ends with them, or when nobody wants them any more.
  public func callMore(_ method: String, _ parameters: [String: JSONValue] = [:], thenClose: Bool = false) -> VarlinkReplies {
    let (replies, source) = VarlinkReplies.make(on: channel, closesAtEnd: thenClose)
    send(VarlinkCall(method: method, parameters: parameters, mode: .more), .many(source))
    return replies
  }

  /// Calls a method without waiting for anything.
  public func callOneway(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws {
    let message = VarlinkCall(method: method, parameters: parameters, mode: .oneway).message
    try await channel.writeAndFlush(channel.allocator.buffer(bytes: message))
  }

  private func send(_ call: VarlinkCall, _ answer: ClientHandler.Answer) {
    let message = call.message
    channel.eventLoop.execute { [channel] in
      guard channel.isActive, let handler = try? channel.pipeline.syncOperations.handler(type: ClientHandler.self) else {
        return answer.fail(Failure.disconnected)
      }
      handler.expect(answer)
      channel.writeAndFlush(channel.allocator.buffer(bytes: message), promise: nil)
    }
  }

  private static func describe(_ code: CInt) -> String { IOError(errnoCode: code, reason: "connect").description }
}

private final class ClientHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  struct TimedOut {}
  /// Who waits for the answer to a call.
  enum Answer: Sendable {
    case once(EventLoopPromise<VarlinkReply>)
    case many(VarlinkReplies.Producer.Source)

    func fail(_ error: any Error) {
      switch self {
      case .once(let promise): promise.fail(error)
      case .many(let source): source.finish(error)
      }
    }
  }

  private var frames = FrameBuffer(messageBytesMax: VarlinkClient.messageBytesMax)
  private var expected: [Answer] = []

  func expect(_ answer: Answer) { expected.append(answer) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    frames.append(&bytes)
    do {
      while let message = try frames.next() { try take(message, context) }
    } catch {
      end(.protocolBroken("\(error)"), context)
    }
  }

  private func take(_ message: ByteBuffer, _ context: ChannelHandlerContext) throws {
    guard let answer = expected.first else { throw VarlinkClient.Failure.protocolBroken("a reply without a call") }
    do {
      let reply = try VarlinkReply(message: message.readableBytesView)
      switch answer {
      case .once(let promise):
        guard !reply.continues else {
          throw VarlinkClient.Failure.protocolBroken("several replies to a call that wants one")
        }
        expected.removeFirst()
        promise.succeed(reply)
      case .many(let source):
        // Before anybody hears of it: who does may end the connection, and with it whatever is expected.
        if !reply.continues { expected.removeFirst() }
        if source.yield(reply) == .stopProducing { pause(context) }
        if !reply.continues { source.finish() }
      }
    } catch let error as VarlinkError {
      expected.removeFirst()
      answer.fail(error)
    }
  }

  /// Nobody takes what came already.
  private func pause(_ context: ChannelHandlerContext) {
    context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is TimedOut { end(.timedOut, context) } else { context.fireUserInboundEventTriggered(event) }
  }

  func channelInactive(context: ChannelHandlerContext) { end(.disconnected, context) }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.disconnected, context) }

  private func end(_ failure: VarlinkClient.Failure, _ context: ChannelHandlerContext) {
    let waiting = expected
    expected = []
    for answer in waiting { answer.fail(failure) }
    context.close(promise: nil)
  }
}
