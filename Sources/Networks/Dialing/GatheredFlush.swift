public import NIOCore

/// Gathers the writes of one round of the event loop, and gives them to the system in one call. A relay that answers many events together
/// would otherwise be answered with a call for each.
public final class GatheredFlush: ChannelOutboundHandler {
  public typealias OutboundIn = NIOAny

  private var isDue = false

  public init() {}

  public func flush(context: ChannelHandlerContext) {
    guard !isDue else { return }
    isDue = true
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      handler.isDue = false
      context.flush()
    }
  }

  /// Closes without losing anything that was written before the end.
  public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    context.flush()
    context.close(mode: mode, promise: promise)
  }
}
