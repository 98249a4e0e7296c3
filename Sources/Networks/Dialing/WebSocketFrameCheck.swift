public import NIOCore
public import NIOWebSocket

/// What a server must not send.
enum WebSocketBreach: Error {
  /// A frame that no server may send, in words.
  case frame(String)
  /// More than it was asked for.
  case flood
}

/// Refuses frames that no server may send (RFC 6455, 5.1 and 5.2): masked ones, such with bits of extensions that were not agreed on,
/// and such of unknown kinds; and more of them than the peer is allowed. Before the aggregator, behind which nothing of that is left to
/// see; `WebSocketFrames` tells of it.
public final class WebSocketFrameCheck: ChannelDuplexHandler {
  public typealias InboundIn = WebSocketFrame
  public typealias InboundOut = WebSocketFrame
  public typealias OutboundIn = WebSocketFrame
  public typealias OutboundOut = WebSocketFrame

  private var allowance: WebSocketAllowance?
  private var isOver = false

  /// - Parameter allowance: nil: the peer may send what it wants.
  public init(allowance: WebSocketAllowance? = nil) { self.allowance = allowance }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let frame = unwrapInboundIn(data)
    if let breach = breach(frame) {
      isOver = true
      // What still comes is not even decrypted any more.
      _ = context.channel.setOption(.autoRead, value: false)
      return context.fireErrorCaught(breach)
    }
    context.fireChannelRead(data)
  }

  public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let frame = unwrapOutboundIn(data)
    // Pongs answer and ask for nothing.
    if frame.opcode == .text { allowance?.sent(bytes: frame.length) }
    context.write(data, promise: promise)
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
