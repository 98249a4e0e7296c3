internal import Channels
internal import NIOCore
internal import NIOWebSocket

/// Turns frames into messages, answers pings, pings in silence, and gives up on the dead.
final class CoreFrameHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let limits: CoreLimits
  private let deliver: @Sendable (CoreDialer.Inbound) -> Void
  private var lastRead = NIODeadline.now()
  private var isOver = false

  /// - Parameter deliver: called on the event loop, in order; nothing follows `violated` or `closed`.
  init(limits: CoreLimits, deliver: @escaping @Sendable (CoreDialer.Inbound) -> Void) {
    self.limits = limits
    self.deliver = deliver
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    lastRead = .now()
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text: deliver(.message(frame.unmaskedData))
    case .binary: violate(context, "the core sent a binary frame", .unacceptableData)
    case .ping:
      guard context.channel.isWritable else { return }
      send(context, .pong, frame.unmaskedData)
    case .connectionClose:
      var data = frame.unmaskedData
      _ = data.readInteger(as: UInt16.self)
      let reason = data.readString(length: min(data.readableBytes, 123)) ?? ""
      send(context, .connectionClose, ByteBuffer())
      over(.closed(CoreText.bounded(reason)))
      context.close(promise: nil)
    default: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
    guard NIODeadline.now() - lastRead > .milliseconds(limits.silenceMax.wholeMilliseconds) else {
      return send(context, .ping, ByteBuffer())
    }
    over(.closed("it was silent for too long"))
    context.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
      NIOWebSocketFrameAggregator.Error.tooManyFragments:
      violate(context, "the core sent a message of more than \(limits.frameBytesMax) bytes", .messageTooLarge)
    case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
      violate(context, "the core broke the WebSocket protocol: \(error)", .protocolError)
    default:
      over(.closed("\(error)"))
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    over(.closed(""))
    context.fireChannelInactive()
  }

  private func violate(_ context: ChannelHandlerContext, _ text: String, _ code: WebSocketErrorCode) {
    var data = context.channel.allocator.buffer(capacity: 2)
    data.write(webSocketErrorCode: code)
    send(context, .connectionClose, data)
    over(.violated(text))
    context.close(promise: nil)
  }

  private func send(_ context: ChannelHandlerContext, _ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  private func over(_ last: CoreDialer.Inbound) {
    guard !isOver else { return }
    isOver = true
    deliver(last)
  }
}
