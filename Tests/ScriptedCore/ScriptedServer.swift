internal import HTTPHandlers
public import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import StrictJSON

/// A core to test with: `CoreModel` behind a WebSocket on this machine, as `simplex-chat -p` has it.
///
/// One command at a time for each connection, in order; what cannot be read is answered at once. Events come from one queue, and
/// the connections take turns. Nothing waits for time: everything happens when it is called for.
public final class ScriptedServer: Sendable {
  let eventLoop: any EventLoop
  private let stage: NIOLoopBoundBox<Stage>

  /// - Parameters:
  ///   - model: what the core knows at the start.
  ///   - group: one of its event loops does all of the work.
  /// - Throws: when no port can be had.
  public init(_ model: CoreModel = CoreModel(), group: any EventLoopGroup) async throws {
    eventLoop = group.next()
    stage = .makeBoxSendingValue(Stage(model: model, eventLoop: eventLoop), eventLoop: eventLoop)
    try await listen(port: 0)
  }

  private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (Stage) throws -> Value) async throws -> Value {
    let stage = stage
    return try await eventLoop.submit { try body(stage.value) }.get()
  }

  /// The port on 127.0.0.1; it stays the same when the listener is stopped and started.
  public var port: Int { get async throws { try await onLoop(\.port) } }

  /// Every command line that was received, in order.
  public var received: [String] { get async throws { try await onLoop(\.received) } }

  /// How many connections there are.
  public var connectionCount: Int { get async throws { try await onLoop { $0.connections.count } } }

  /// Waits until the model and the command lines that were received are as meant; looked at after every command and change.
  /// - Throws: `CancellationError` when the server is stopped before.
  public func wait(until isMeant: @escaping @Sendable (CoreModel, _ received: [String]) -> Bool) async throws {
    let stage = stage
    try await eventLoop.flatSubmit { stage.value.wait(until: isMeant) }.get()
  }

  /// Waits until `count` commands that begin with `prefix` were received.
  public func wait(forCommand prefix: String, times: Int = 1) async throws {
    try await wait { _, received in received.filter { $0.hasPrefix(prefix) }.count >= times }
  }

  /// Reads or changes the model, and sends the events that result.
  public func withModel<Value: Sendable>(_ body: @escaping @Sendable (inout CoreModel) -> Value) async throws -> Value {
    try await onLoop { stage in
      defer { stage.flush() }
      return body(&stage.model)
    }
  }

  /// Carries out the next pending step. Returns whether there was one.
  @discardableResult
  public func step() async throws -> Bool { try await withModel { $0.step() } }

  /// Carries out every pending step.
  public func settle() async throws { try await withModel { $0.settle() } }

  /// Moves the model's clock.
  public func advance(by duration: Duration) async throws { try await withModel { $0.advance(by: duration) } }

  /// Closes every connection without a word.
  public func dropConnections() async throws { try await onLoop { $0.dropConnections() } }

  /// The next command that begins with `prefix` is carried out, and its answer waits for `releaseReplies`; its connection takes no
  /// other command meanwhile.
  public func holdNextReply(to prefix: String = "") async throws { try await onLoop { $0.holdNext = prefix } }

  /// Sends the answers that were held.
  public func releaseReplies() async throws { try await onLoop { $0.releaseReplies() } }

  /// The next command that begins with `prefix` is carried out, and its connection closed instead of an answer.
  public func crashInsteadOfReply(to prefix: String = "") async throws { try await onLoop { $0.crashNext = prefix } }

  /// Events gather and are not sent.
  public func holdEvents() async throws { try await onLoop { $0.holdsEvents = true } }

  /// Sends the events that gathered.
  public func releaseEvents() async throws {
    try await onLoop { stage in
      stage.holdsEvents = false
      stage.flush()
    }
  }

  /// Connections stay and nothing comes back, not even a pong: the core hangs.
  public func hang() async throws { try await onLoop { $0.hangs = true } }

  /// Sends a text frame of any content to every connection.
  public func send(text: String) async throws { try await onLoop { $0.sendAll(.text, text) } }

  /// Sends a binary frame to every connection.
  public func sendBinary() async throws { try await onLoop { $0.sendAll(.binary, "{}") } }

  /// Stops listening and drops the connections. Must be the last thing done, or be followed by `restart`.
  public func stop() async throws {
    let closed = try await onLoop { stage in
      // First the listener: whoever dials again at once must not be served by a core that is gone.
      let closed = stage.listener?.close()
      stage.listener = nil
      stage.dropConnections()
      stage.dropAccepted()
      stage.giveUpWaiting()
      return closed
    }
    try? await closed?.get()
  }

  /// Listens again on the same port.
  /// - Parameter isNewProcess: whether the core was restarted, so that pending events are lost.
  public func restart(isNewProcess: Bool = false) async throws {
    if isNewProcess { _ = try await withModel { $0.restart() } }
    try await listen(port: try await port)
  }

  private func listen(port: Int) async throws {
    let (stage, eventLoop) = (stage, eventLoop)
    let listener = try await ServerBootstrap(group: eventLoop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        let upgrader = NIOWebSocketServerUpgrader(
          maxFrameSize: 16 << 20,
          shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
          upgradePipelineHandler: { channel, _ in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandlers([
                NIOWebSocketFrameAggregator(
                  minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: 16 << 20),
                ScriptedConnection(stage: stage.value),
              ])
            }
          })
        return channel.eventLoop.makeCompletedFuture {
          stage.value.accept(channel)
          HTTPHandlers.prepare()
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    try await onLoop { stage in
      stage.listener = listener
      stage.port = listener.localAddress?.port ?? 0
    }
  }
}
