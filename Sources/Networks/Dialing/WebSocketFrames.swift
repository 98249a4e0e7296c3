internal import Channels
internal import Glibc
public import NIOCore
public import NIOWebSocket

/// Turns frames into messages, answers pings, pings silent peers, and gives up on dead ones. It comes after an `IdleStateHandler`, whose
/// read timeout sets how long a silence leads to a ping.
public final class WebSocketFrames: ChannelInboundHandler {
  public typealias InboundIn = WebSocketFrame
  public typealias OutboundOut = WebSocketFrame

  private let peer: String
  private let messageBytesMax: Int
  private let silenceMax: TimeAmount
  private let question: String?
  private let deliver: @Sendable (WebSocketInbound) -> Void
  private var lastRead = NIODeadline.now()
  private var isOver = false

  /// - Parameters:
  ///   - peer: the kind of peer, for people.
  ///   - messageBytesMax: the limit of the aggregator before this one, in bytes, for people.
  ///   - silenceMax: how long a peer may send no byte before it counts as dead.
  ///   - question: a text message that is sent after half of that, for peers that do not answer pings. `nil` sends none.
  ///   - deliver: called on the event loop, in order.
  public init(
    peer: String, messageBytesMax: Int, silenceMax: Duration, question: String? = nil,
    deliver: @escaping @Sendable (WebSocketInbound) -> Void
  ) {
    self.peer = peer
    self.messageBytesMax = messageBytesMax
    self.silenceMax = .milliseconds(silenceMax.wholeMilliseconds)
    self.question = question
    self.deliver = deliver
  }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    lastRead = .now()
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text:
      let data = frame.unmaskedData
      guard Self.isText(data) else {
        return violate(context, "the \(peer) sent text that is not UTF-8", .dataInconsistentWithMessage)
      }
      deliver(.message(data))
    case .binary: violate(context, "the \(peer) sent a binary frame", .unacceptableData)
    case .ping:
      // RFC 6455 allows pongs to be left out. A peer that pings without reading gets none.
      guard context.channel.isWritable else { return }
      send(context, .pong, frame.unmaskedData)
    case .connectionClose:
      var data = frame.unmaskedData
      let code = data.readInteger(as: UInt16.self).map(Int.init)
      let reason = data.readString(length: min(data.readableBytes, 123)) ?? ""
      var echo = context.channel.allocator.buffer(capacity: 2)
      if let code { echo.writeInteger(UInt16(code)) }
      send(context, .connectionClose, echo)
      over(.closed(code: code, reason: reason))
      context.close(promise: nil)
    default: break
    }
  }

  public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
    let silence = NIODeadline.now() - lastRead
    if silence > silenceMax {
      over(.closed(code: nil, reason: "the \(peer) was silent for more than \(Duration(silenceMax).briefly)"))
      context.close(promise: nil)
    } else {
      send(context, .ping, ByteBuffer())
      if let question, silence * 2 > silenceMax { send(context, .text, context.channel.allocator.buffer(string: question)) }
    }
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
      NIOWebSocketFrameAggregator.Error.tooManyFragments:
      violate(context, "the \(peer) sent a message of more than \(messageBytesMax) bytes", .messageTooLarge)
    case WebSocketBreach.frame(let words):
      violate(context, "the \(peer) broke the WebSocket protocol: \(words)", .protocolError)
    case WebSocketBreach.flood:
      violate(context, .flooded("the \(peer) floods the connection with data that no one asked for"), .policyViolation)
    case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
      violate(context, "the \(peer) broke the WebSocket protocol: \(error)", .protocolError)
    case let failure as PeerFailure: broke(context, failure.trouble.detail)
    case let error as IOError: broke(context, String(cString: strerror(error.errnoCode)))
    default: broke(context, "\(error)")
    }
  }

  /// Reads the text of a message. Most are plain ASCII, which needs no copy.
  private static func isText(_ data: ByteBuffer) -> Bool {
    data.withUnsafeReadableBytes { bytes in bytes.allSatisfy { $0 < 0x80 } }
      || (try? data.peekUTF8ValidatedString(length: data.readableBytes)) != nil
  }

  private func broke(_ context: ChannelHandlerContext, _ words: String) {
    over(.closed(code: nil, reason: "the connection to the \(peer) broke: \(words)"))
    context.close(promise: nil)
  }

  public func channelInactive(context: ChannelHandlerContext) {
    over(.closed(code: nil, reason: ""))
    context.fireChannelInactive()
  }

  private func violate(_ context: ChannelHandlerContext, _ text: String, _ code: WebSocketErrorCode) {
    violate(context, .violated(text), code)
  }

  private func violate(_ context: ChannelHandlerContext, _ last: WebSocketInbound, _ code: WebSocketErrorCode) {
    var data = context.channel.allocator.buffer(capacity: 2)
    data.write(webSocketErrorCode: code)
    send(context, .connectionClose, data)
    over(last)
    context.close(promise: nil)
  }

  private func send(_ context: ChannelHandlerContext, _ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  private func over(_ last: WebSocketInbound) {
    guard !isOver else { return }
    isOver = true
    deliver(last)
  }
}
