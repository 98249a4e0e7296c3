internal import Channels
internal import Dialing
internal import NIOCore

/// TLS in a channel's pipeline. For the handlers after it, the channel becomes active when the handshake is complete.
final class OpenSSLHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    case idle, handshaking, open, ended
  }

  private let client: TLSClient
  private let promise: EventLoopPromise<TLSSession>
  private var state = State.idle

  /// The outcome of the handshake. Failures are `PeerFailure`s.
  var handshake: EventLoopFuture<TLSSession> { promise.futureResult }

  init(applicationProtocol: String, eventLoop: any EventLoop) throws(TLSFailure) {
    client = try TLSClient(applicationProtocol: applicationProtocol)
    promise = eventLoop.makePromise()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end("the connection was closed") }

  func channelActive(context: ChannelHandlerContext) { begin(context) }

  func channelInactive(context: ChannelHandlerContext) {
    end("the server closed the connection")
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end("\(error)")
    context.fireErrorCaught(error)
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard state == .handshaking || state == .open else { return }
    do {
      try client.feed(unwrapInboundIn(data))
      if state == .handshaking { try advance(context) }
      if state == .open { try deliver(context) }
      send(context)
    } catch {
      fail(context, error)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    do {
      guard state == .open else { throw ChannelError.ioOnClosedChannel }
      try client.write(unwrapOutboundIn(data))
      if let output = client.takeOutput(context.channel.allocator) {
        context.write(wrapOutboundOut(output), promise: promise)
      } else {
        promise?.succeed(())
      }
    } catch {
      promise?.fail(error)
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if state == .open, mode != .input {
      client.shutdown()
      send(context)
    }
    context.close(mode: mode, promise: promise)
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard state == .idle else { return }
    state = .handshaking
    do {
      try advance(context)
      send(context)
    } catch {
      fail(context, error)
    }
  }

  private func advance(_ context: ChannelHandlerContext) throws(TLSFailure) {
    guard let session = try client.handshake() else { return }
    state = .open
    send(context)
    promise.succeed(session)
    context.fireChannelActive()
  }

  /// Processes received bytes. The handshake and the data after it may arrive together.
  private func deliver(_ context: ChannelHandlerContext) throws(TLSFailure) {
    // A handler may close the connection during the loop.
    while state == .open {
      switch try client.read(context.channel.allocator) {
      case .bytes(let bytes): context.fireChannelRead(wrapInboundOut(bytes))
      case .needsMore: return
      case .closed: return context.close(promise: nil)
      }
    }
  }

  private func send(_ context: ChannelHandlerContext) {
    guard let output = client.takeOutput(context.channel.allocator) else { return }
    context.writeAndFlush(wrapOutboundOut(output), promise: nil)
  }

  private func fail(_ context: ChannelHandlerContext, _ failure: TLSFailure) {
    // This sends the alert to the peer.
    send(context)
    let wasOpen = state == .open
    end(failure.reason, .protocol)
    if wasOpen { context.fireErrorCaught(PeerFailure(.protocol, "the TLS connection broke: \(failure.reason)")) }
    context.close(promise: nil)
  }

  /// - Parameter cause: `protocol` if the peer's answer is wrong, `unreachable` if the connection ends.
  private func end(_ reason: String, _ cause: Cause = .unreachable) {
    state = .ended
    // This has no effect if the handshake was complete.
    promise.fail(PeerFailure(cause, "the TLS handshake failed: \(reason)"))
  }
}
