internal import Glibc
internal import NIOConcurrencyHelpers
public import NIOCore
internal import NIOPosix
public import StrictJSON

/// One connection to a Varlink server. Calls are answered in order. A stream occupies its connection until its last reply.
public final class VarlinkClient: Sendable {
  /// A failure on the client's side. Servers never send one.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// No server listens at the address.
    case notReachable(String)
    /// The address may not be used.
    case notPermitted(String)
    /// The connection ended before the reply. It is not known whether the call was carried out.
    case disconnected
    /// The connection ended before the server had read the call, so it was not carried out and may be repeated.
    case notTaken
    /// The reply did not come in time. The connection is no longer usable.
    case timedOut
    /// The server broke the protocol.
    case protocolBroken(String)

    public var description: String {
      switch self {
      case .notReachable(let reason), .notPermitted(let reason): reason
      case .disconnected: "the server closed the connection"
      case .notTaken: "the server closed the connection and did not take the call"
      case .timedOut: "the server did not answer in time"
      case .protocolBroken(let reason): "the server broke the protocol: \(reason)"
      }
    }
  }

  /// The longest message accepted from a server, in bytes.
  public static let messageBytesMax = 16 << 20

  private let channel: any Channel
  /// The error that the server sent, without being asked, before it closed this connection.
  private let farewell: Farewell

  fileprivate typealias Farewell = NIOLockedValueBox<VarlinkError?>

  private init(channel: any Channel, farewell: Farewell) {
    self.channel = channel
    self.farewell = farewell
  }

  /// The wait before another attempt to connect to a server whose queue of waiting connections is full.
  private static let connectPause = Duration.milliseconds(20)

  /// Connects to the Unix socket at `path`.
  /// - Parameters:
  ///   - group: the event loops, or `nil` for the loops that the process shares.
  ///   - patience: how long to wait for a place among the connections that the server has not accepted yet.
  ///   - whileRefused: how long to wait for a server at a socket that no process serves.
  ///   - whileMissing: how long to wait for a socket that does not exist, as happens for a moment while a server restarts.
  public static func connect(
    path: String, group: (any EventLoopGroup)? = nil, patience: Duration = .seconds(45), whileRefused: Duration = .zero,
    whileMissing: Duration = .zero
  ) async throws(Failure) -> VarlinkClient {
    let group = group ?? MultiThreadedEventLoopGroup.singleton
    let begin = ContinuousClock.now
    while true {
      let farewell = Farewell(nil)
      do {
        let channel = try await ClientBootstrap(group: group)
          .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(ClientHandler(farewell: farewell))
            }
          }
          .connect(unixDomainSocketPath: path).get()
        return VarlinkClient(channel: channel, farewell: farewell)
      } catch let error as IOError {
        let wait: Duration? =
          switch error.errnoCode {
          // For a Unix socket this means that the queue of its listener is full.
          case EAGAIN: patience
          case ECONNREFUSED: whileRefused
          case ENOENT: whileMissing
          default: nil
          }
        if let wait, ContinuousClock.now - begin < wait, (try? await Task.sleep(for: connectPause)) != nil { continue }
        if error.errnoCode == EAGAIN { throw .timedOut }
        let reason = "cannot connect to \(path): \(String(cString: strerror(error.errnoCode)))"
        throw [EACCES, EPERM].contains(error.errnoCode) ? .notPermitted(reason) : .notReachable(reason)
      } catch {
        throw .notReachable("cannot connect to \(path): \(error)")
      }
    }
  }

  public func close() async { try? await channel.close() }

  /// Calls a method and waits for its one reply.
  /// - Parameter timeout: how long to wait, or `nil` to wait while the connection lasts.
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
  /// - Parameter thenClose: whether to close the connection after the last reply, or when no one reads the replies any more.
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
    channel.eventLoop.execute { [channel, farewell] in
      guard channel.isActive, let handler = try? channel.pipeline.syncOperations.handler(type: ClientHandler.self) else {
        return answer.fail(ClientHandler.reason(.notTaken, farewell))
      }
      handler.expect(answer)
      let written = channel.eventLoop.makePromise(of: Void.self)
      let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
      written.futureResult.whenFailure { _ in bound.value.latestWasNotRead() }
      channel.writeAndFlush(channel.allocator.buffer(bytes: message), promise: written)
    }
  }
}

private final class ClientHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  struct TimedOut {}
  /// The waiting caller of a call.
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
  /// Whether the first expected answer has begun to arrive.
  private var hasBegun = false
  /// Whether the server has closed the connection without reading the latest call to its end.
  private var isLatestUnread = false
  private let farewell: VarlinkClient.Farewell

  init(farewell: VarlinkClient.Farewell) { self.farewell = farewell }

  func expect(_ answer: Answer) { expected.append(answer) }

  func latestWasNotRead() { isLatestUnread = true }

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
    guard let answer = expected.first else { return try takeFarewell(message) }
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
        // This happens before the waiting caller is resumed, because that may close the connection and drop everything that is expected.
        hasBegun = reply.continues
        if !reply.continues { expected.removeFirst() }
        if source.yield(reply) == .stopProducing { pause(context) }
        if !reply.continues { source.finish() }
      }
    } catch let error as VarlinkError {
      expected.removeFirst()
      hasBegun = false
      answer.fail(error)
    }
  }

  /// Handles the error of a server that has no room for this connection. It comes unasked, perhaps even before the first call.
  private func takeFarewell(_ message: ByteBuffer) throws {
    do {
      _ = try VarlinkReply(message: message.readableBytesView)
      throw VarlinkClient.Failure.protocolBroken("a reply without a call")
    } catch let error as VarlinkError {
      farewell.withLockedValue { $0 = $0 ?? error }
    }
  }

  /// The reason why a connection is over: the server's own error, if it sent one.
  static func reason(_ failure: VarlinkClient.Failure, _ farewell: VarlinkClient.Farewell) -> any Error {
    guard [.disconnected, .notTaken].contains(failure), let said = farewell.withLockedValue({ $0 }) else { return failure }
    return said
  }

  /// Drops the replies that no one reads any more.
  private func pause(_ context: ChannelHandlerContext) {
    context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is TimedOut { end(.timedOut, context) } else { context.fireUserInboundEventTriggered(event) }
  }

  func channelInactive(context: ChannelHandlerContext) { end(.disconnected, context) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The errors of a Unix socket (unix(7) on Linux) whose other end was closed before it had read everything that was sent.
    if (error as? IOError)?.errnoCode == ECONNRESET { isLatestUnread = true }
    end(.disconnected, context)
  }

  private func end(_ failure: VarlinkClient.Failure, _ context: ChannelHandlerContext) {
    let waiting = expected
    expected = []
    for (index, answer) in waiting.enumerated() {
      // Calls are read in order, so only the latest one is known to be unread.
      let isUnread = isLatestUnread && index == waiting.count - 1 && !(index == 0 && hasBegun)
      answer.fail(Self.reason(failure == .disconnected && isUnread ? .notTaken : failure, farewell))
    }
    context.close(promise: nil)
  }
}
