internal import Glibc
internal import NIOCore
internal import StrictJSON

/// Handles one server connection: one call at a time, with answers in the order of the calls.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let service: VarlinkService
  private let limits: VarlinkServer.Limits
  private let registry: ConnectionRegistry
  private let standingOf: @Sendable (VarlinkPeer) -> VarlinkServer.Standing
  private let farewell: @Sendable (ConnectionLimit) -> VarlinkError?
  private let notice: @Sendable (VarlinkServer.Notice) -> Void
  private var frames: FrameBuffer
  private var peer: VarlinkPeer?
  private var standing = VarlinkServer.Standing.stranger
  private var messageBytesMax: Int
  private var task: Task<Void, Never>?
  private var isInputClosed = false
  /// The server is stopping, and serves calls that are on their way.
  private var isLastCall = false
  /// `serveNext` is running further up the stack.
  private var isServing = false
  /// A reply is being written.
  private var isAnswering = false
  private var isOver = false
  private var mustRead = false
  /// Ends the connection of a peer that does not send a call.
  private var deadline: Scheduled<Void>?
  /// Ends the connection of a peer that does not read its replies.
  private var writeDeadline: Scheduled<Void>?
  private var isWriting = false
  private var hasCalled = false

  init(
    service: VarlinkService, limits: VarlinkServer.Limits, registry: ConnectionRegistry,
    standing: @escaping @Sendable (VarlinkPeer) -> VarlinkServer.Standing,
    farewell: @escaping @Sendable (ConnectionLimit) -> VarlinkError?,
    notice: @escaping @Sendable (VarlinkServer.Notice) -> Void
  ) {
    self.service = service
    self.limits = limits
    self.registry = registry
    standingOf = standing
    self.farewell = farewell
    self.notice = notice
    messageBytesMax = limits.messageBytesMax(of: .stranger)
    frames = FrameBuffer(messageBytesMax: messageBytesMax)
  }

  func channelActive(context: ChannelHandlerContext) {
    let descriptor = try? context.channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { $0 }
    peer = descriptor.flatMap { VarlinkPeer(socket: $0) }
    guard let descriptor, let peer else {
      notice(.protocolBroken(nil, reason: "the kernel does not identify the peer"))
      return over(context)
    }
    standing = standingOf(peer)
    messageBytesMax = limits.messageBytesMax(of: standing)
    frames = FrameBuffer(messageBytesMax: messageBytesMax)
    if let limit = registry.add(context.channel, descriptor: descriptor, user: peer.uid, standing) {
      notice(.tooManyConnections(peer, limit))
      return dismiss(context, farewell(limit))
    }
    expectMessage(context)
    context.fireChannelActive()
  }

  /// Closes a connection for which there is no room. A client that connects is about to make a call and treats this message as the answer.
  /// It fits into the empty buffer of a new socket.
  private func dismiss(_ context: ChannelHandlerContext, _ error: VarlinkError?) {
    if let error {
      context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: error.message)), promise: nil)
    }
    over(context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    var bytes = unwrapInboundIn(data)
    frames.append(&bytes)
    serveNext(context)
    if isLastCall, hasCalled {
      isInputClosed = true
      if task == nil, !isAnswering, frames.count == 0 { return over(context) }
    }
    expectMessage(context)
    readOn(context)
  }

  /// Stops reading while more than one message waits for its turn.
  func read(context: ChannelHandlerContext) {
    if frames.count > messageBytesMax, task != nil || isAnswering { mustRead = true } else { context.read() }
  }

  /// Prepares for the end of the server: no further calls are read.
  struct Stopping: Sendable {}

  /// The time that a peer that has just connected may take to send its call, when the server stops.
  private static let lastCallTime = TimeAmount.milliseconds(500)

  /// Ends the connection when the server stops. In the middle of a call it ends after the reply. A call that has arrived but is not read
  /// yet, or is about to arrive, gets its reply too. All other connections end immediately.
  private func stop(_ context: ChannelHandlerContext) {
    guard task == nil, !isAnswering else { return isInputClosed = true }
    let isExpected = !hasCalled || frames.count > 0 || Self.hasUnread(context)
    guard isExpected, !isInputClosed else { return over(context) }
    isLastCall = true
    awaitLastCall(context)
  }

  /// Reads the bytes that have arrived when the time is over, even if the server was busy.
  private func awaitLastCall(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.lastCallTime) {
      let (handler, context) = bound.value
      guard !handler.isOver, handler.task == nil, !handler.isAnswering else { return }
      if Self.hasUnread(context) { handler.awaitLastCall(context) } else { handler.over(context) }
    }
  }

  private static func hasUnread(_ context: ChannelHandlerContext) -> Bool {
    let count = try? context.channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      var byte: UInt8 = 0
      return recv($0, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    }
    return (count ?? 0) > 0
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Stopping { return stop(context) }
    guard let event = event as? ChannelEvent, event == .inputClosed else {
      return context.fireUserInboundEventTriggered(event)
    }
    isInputClosed = true
    if task == nil, !isAnswering { over(context) }
  }

  /// Writes one reply, or several in one piece. Nothing else is written before the peer has read it.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    isWriting = true
    let promise = promise ?? context.eventLoop.makePromise()
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { _ in
      bound.value.isWriting = false
      bound.value.writeDeadline?.cancel()
      bound.value.writeDeadline = nil
    }
    context.write(data, promise: promise)
  }

  /// Starts the timer of a reply, unless the peer has read it already, as it mostly has.
  func flush(context: ChannelHandlerContext) {
    context.flush()
    guard isWriting, writeDeadline == nil, !isOver else { return }
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    writeDeadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.replyTimeout(of: standing))) {
      let (handler, context) = bound.value
      handler.notice(.protocolBroken(handler.peer, reason: "a reply was not taken in time"))
      handler.over(context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    isOver = true
    deadline?.cancel()
    writeDeadline?.cancel()
    task?.cancel()
    if let peer { registry.remove(context.channel, user: peer.uid, standing) }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { over(context) }

  private func over(_ context: ChannelHandlerContext) {
    guard !isOver else { return }
    isOver = true
    deadline?.cancel()
    writeDeadline?.cancel()
    task?.cancel()
    context.close(promise: nil)
  }

  /// Gives the peer time for the message that it has begun, or for its first one. Peers that have called may be silent for as long as
  /// they like, except strangers.
  private func expectMessage(_ context: ChannelHandlerContext) {
    let isWanted = task == nil && !isAnswering && !isOver && (frames.count > 0 || !hasCalled || standing == .stranger)
    guard isWanted else {
      deadline?.cancel()
      deadline = nil
      return
    }
    guard deadline == nil else { return }
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.messageTimeout(of: standing))) {
      let (handler, context) = bound.value
      handler.notice(.protocolBroken(handler.peer, reason: "no complete message in time"))
      handler.over(context)
    }
  }

  /// Serves the calls that wait, one by one. This is a loop, not a recursion, because replies may be read the moment they are written, and
  /// a peer may queue any number of calls.
  private func serveNext(_ context: ChannelHandlerContext) {
    guard !isServing, let peer else { return }
    isServing = true
    defer { isServing = false }
    do {
      while task == nil, !isAnswering, !isOver {
        guard let message = try frames.next() else {
          if isInputClosed { over(context) }
          return
        }
        hasCalled = true
        deadline?.cancel()
        deadline = nil
        let (call, unusable) = try VarlinkCall.read(message.readableBytesView)
        serve(call, unusable, peer, context)
      }
    } catch {
      notice(.protocolBroken(peer, reason: "\(error)"))
      over(context)
    }
  }

  /// - Parameter unusable: a parameter that cannot be decoded.
  private func serve(
    _ call: VarlinkCall, _ unusable: String?, _ peer: VarlinkPeer, _ context: ChannelHandlerContext
  ) {
    do {
      if let unusable {
        try service.check(call)
        throw VarlinkError.invalidParameter(unusable)
      }
      guard let reply = try service.answerAtOnce(call, from: peer) else { return serveLater(call, peer, context) }
      answer(call, reply.message(continues: false), context)
    } catch let error as VarlinkError {
      answer(call, ByteBuffer(bytes: error.message), context)
    } catch {
      notice(.internalError(peer, method: call.method, error: "\(error)"))
      over(context)
    }
  }

  /// Writes the reply to a call that was answered without waiting.
  private func answer(_ call: VarlinkCall, _ message: ByteBuffer, _ context: ChannelHandlerContext) {
    isAnswering = true
    answered(call.mode == .oneway ? nil : message, context)
  }

  private func serveLater(_ call: VarlinkCall, _ peer: VarlinkPeer, _ context: ChannelHandlerContext) {
    let channel = context.channel
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let stream = VarlinkStream { messages in
      guard call.mode == .more else { return }
      // Any error of the socket means that the client is gone, and that is not a fault of the method.
      do { try await channel.writeAndFlush(messages).get() } catch { throw CancellationError() }
    }
    task = Task { [service, notice] in
      let message: ByteBuffer?
      do {
        message = try await service.answer(call, from: peer, stream: stream).message(continues: false)
      } catch let error as VarlinkError {
        message = ByteBuffer(bytes: error.message)
      } catch {
        if !Task.isCancelled, !(error is CancellationError) {
          notice(.internalError(peer, method: call.method, error: "\(error)"))
        }
        // Varlink has no error for it, and a wrong answer is worse than none.
        message = nil
      }
      channel.eventLoop.execute {
        let (handler, context) = bound.value
        guard let message else { return handler.over(context) }
        handler.answered(call.mode == .oneway ? nil : message, context)
      }
    }
  }

  /// Ends a call once its reply was read: a peer that does not read gets no further answers, and none is cut off.
  private func answered(_ message: ByteBuffer?, _ context: ChannelHandlerContext) {
    guard !isOver, let message else { return done(context) }
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.channel.writeAndFlush(message).whenComplete { _ in
      let (handler, context) = bound.value
      handler.done(context)
    }
  }

  private func done(_ context: ChannelHandlerContext) {
    task = nil
    isAnswering = false
    // The loop further up the stack continues.
    guard !isOver, !isServing else { return }
    serveNext(context)
    expectMessage(context)
    readOn(context)
  }

  /// Resumes reading once there is room, or nothing is left to wait for.
  private func readOn(_ context: ChannelHandlerContext) {
    guard mustRead, !isOver, frames.count <= messageBytesMax || (task == nil && !isAnswering) else { return }
    mustRead = false
    context.read()
  }
}
