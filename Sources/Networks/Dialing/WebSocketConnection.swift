internal import Glibc
public import NIOCore
internal import NIOSSL
internal import NIOWebSocket

/// An event of a WebSocket connection. Events come in order, on its event loop. Nothing follows `violated`, `flooded` or `closed`.
public enum WebSocketInbound: Sendable {
  case message(ByteBuffer)
  /// The peer broke the protocol, as described. The connection ends.
  case violated(String)
  /// The peer sent more than it was allowed, as described. The connection ends.
  case flooded(String)
  /// The connection is closed. With a code, the peer closed it and gave this reason. Without one, the reason is empty if nothing is known,
  /// or it is Baton's own sentence about how the connection broke or why it was given up.
  case closed(code: Int?, reason: String)
}

/// An open WebSocket connection. Use it on its event loop only.
public struct WebSocketConnection: Sendable {
  public let channel: any Channel

  public init(channel: any Channel) { self.channel = channel }

  public func send(_ text: String) {
    let data = channel.allocator.buffer(string: text)
    channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: data), promise: nil)
  }

  /// Gives the peer credit for the answer to the next message, which asks for more than its size shows (`WebSocketAllowance`).
  public func expect(frames: Int, bytes: Int) {
    channel.triggerUserOutboundEvent(WebSocketExpectation(frames: frames, bytes: bytes), promise: nil)
  }

  /// Closes the connection immediately. Data in the kernel never arrives: after a normal end the kernel would keep trying to deliver it.
  public func cut() {
    let channel = channel
    guard let socket = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
    let bound = NIOLoopBound(channel.pipeline.syncOperations, eventLoop: channel.eventLoop)
    socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
      // TLS would wait for the peer's goodbye.
      if let tls = try? bound.value.context(handlerType: NIOSSLClientHandler.self) {
        tls.close(promise: nil)
      } else {
        channel.close(promise: nil)
      }
    }
  }

  public func hangUp() {
    var data = channel.allocator.buffer(capacity: 2)
    data.write(webSocketErrorCode: .normalClosure)
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
    let channel = channel
    channel.writeAndFlush(frame).whenComplete { _ in channel.close(promise: nil) }
    // A peer that does not read must not keep the connection open.
    channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
  }
}
