public import NIOCore
public import NIOWebSocket

/// A breach that ends the connection.
enum WebSocketBreach: Error {
  /// A frame that no server may send, with a description.
  case frame(String)
  /// More data than the server was asked for.
  case flood
}

/// The size of the answer that a peer is about to be asked for.
struct WebSocketExpectation: Sendable {
  let frames: Int
  let bytes: Int
}

/// Refuses frames that no server may send (RFC 6455, 5.1 and 5.2): masked frames, frames with bits of extensions that were not agreed on,
/// and frames of unknown kinds. It also refuses more frames than the peer is allowed. It must come before the aggregator, after which none
/// of this can be seen. `WebSocketFrames` reports it.
public final class WebSocketFrameCheck: ChannelDuplexHandler {
  public typealias InboundIn = WebSocketFrame
  public typealias InboundOut = WebSocketFrame
  public typealias OutboundIn = WebSocketFrame
  public typealias OutboundOut = WebSocketFrame

  private var allowance: WebSocketAllowance?
  private var isOver = false

  /// - Parameter allowance: the limit, or `nil` if the peer may send as much as it likes.
  public init(allowance: WebSocketAllowance? = nil) { self.allowance = allowance }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let frame = unwrapInboundIn(data)
    if let breach = breach(frame) {
      isOver = true
      // Data that still arrives is not even decrypted.
      _ = context.channel.setOption(.autoRead, value: false)
      return context.fireErrorCaught(breach)
    }
    context.fireChannelRead(data)
  }

  public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let frame = unwrapOutboundIn(data)
    // Pongs are answers and request nothing.
    if frame.opcode == .text { allowance?.sent(bytes: frame.length) }
    context.write(data, promise: promise)
  }

  public func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard let expectation = event as? WebSocketExpectation else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    allowance?.expects(frames: expectation.frames, bytes: expectation.bytes)
    promise?.succeed()
  }

  private func breach(_ frame: WebSocketFrame) -> WebSocketBreach? {
    if let words = Self.flaw(of: frame) { return .frame(words) }
    return allowance?.came(bytes: frame.length) == false ? .flood : nil
  }

  private static func flaw(of frame: WebSocketFrame) -> String? {
    if frame.maskKey != nil { return "a masked frame" }
    if frame.rsv1 || frame.rsv2 || frame.rsv3 { return "a frame of an extension that was not agreed on" }
    switch frame.opcode {
    case .continuation, .text, .binary, .connectionClose, .ping, .pong: return nil
    default: return "a frame of an unknown kind"
    }
  }
}
