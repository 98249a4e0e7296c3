internal import NIOCore
internal import NIOHTTPTypes

/// Ends the connection of a peer that begins a request and does not finish it, or that does not read a response, so that no one blocks a
/// place by doing nothing.
final class StallHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// How long a request may need to arrive, from its head to its end.
  static let requestMax = TimeAmount.seconds(30)
  /// How long a peer may read nothing of a response, apart from the kernel's buffer.
  static let answerMax = TimeAmount.seconds(60)

  private var requestDeadline: Scheduled<Void>?
  private var answerDeadline: Scheduled<Void>?
  /// Parts of responses that the kernel has not accepted yet.
  private var untaken = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      requestDeadline?.cancel()
      requestDeadline = end(context, in: Self.requestMax)
    case .body: break
    case .end:
      requestDeadline?.cancel()
      requestDeadline = nil
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    untaken += 1
    let promise = promise ?? context.eventLoop.makePromise()
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { _ in
      let (handler, context) = bound.value
      handler.untaken -= 1
      handler.awaitTaking(context)
    }
    if answerDeadline == nil { awaitTaking(context) }
    context.write(data, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    forget()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { forget() }

  /// Gives the peer time for the next part, if there is one.
  private func awaitTaking(_ context: ChannelHandlerContext) {
    answerDeadline?.cancel()
    answerDeadline = untaken > 0 && context.channel.isActive ? end(context, in: Self.answerMax) : nil
  }

  private func end(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    return context.eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
  }

  private func forget() {
    requestDeadline?.cancel()
    answerDeadline?.cancel()
    (requestDeadline, answerDeadline) = (nil, nil)
  }
}
