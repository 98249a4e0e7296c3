internal import NIOCore
internal import NIOWebSocket
internal import StrictJSON

/// One connection to a scripted core.
final class ScriptedConnection: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let stage: Stage
  private var channel: (any Channel)?
  /// Commands that wait for the one before.
  private var waiting: [(correlation: String, text: String)] = []
  /// An answer that must wait for `release`.
  private var held: JSONValue?

  init(stage: Stage) { self.stage = stage }

  func handlerAdded(context: ChannelHandlerContext) {
    channel = context.channel
    stage.connections.append(self)
    stage.flush()
  }

  func channelInactive(context: ChannelHandlerContext) {
    stage.connections.removeAll { $0 === self }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !stage.hangs else { return }
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text: take(frame.unmaskedData)
    case .ping: write(.pong, frame.unmaskedData)
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }

  private func take(_ buffer: ByteBuffer) {
    let request = try? JSONParser.parse(buffer.readableBytesView)
    guard let correlation = request?["corrId"]?.string, let text = request?["cmd"]?.string else {
      return send(["resp": CoreErrors.answer(CoreErrors.command("invalid request"))])
    }
    stage.received.append(text)
    if ModelCommand(text) == nil {
      // An unreadable command does not wait for its turn.
      send(["corrId": .string(correlation), "resp": CoreErrors.answer(CoreErrors.command("Failed reading: empty"))])
      stage.flush()
    } else {
      waiting.append((correlation, text))
      runNext()
      stage.flush()
    }
  }

  private func runNext() {
    while held == nil, !waiting.isEmpty {
      let (correlation, text) = waiting.removeFirst()
      let answer = stage.model.execute(text)
      // Events that the command caused come before its answer.
      stage.flush()
      let reply: JSONValue = ["corrId": .string(correlation), "resp": answer]
      if let prefix = stage.crashNext, text.hasPrefix(prefix) {
        stage.crashNext = nil
        return drop()
      }
      if let prefix = stage.holdNext, text.hasPrefix(prefix) {
        stage.holdNext = nil
        held = reply
      } else {
        send(reply)
      }
      if stage.model.settlesAtOnce { stage.model.settle() }
      stage.flush()
    }
  }

  func release() {
    guard let reply = held else { return }
    held = nil
    send(reply)
    runNext()
  }

  func drop() {
    stage.connections.removeAll { $0 === self }
    waiting = []
    held = nil
    channel?.close(promise: nil)
  }

  func send(_ message: JSONValue) { send(.text, message.text) }

  func send(_ opcode: WebSocketOpcode, _ text: String) { write(opcode, ByteBuffer(string: text)) }

  private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    channel?.writeAndFlush(WebSocketFrame(fin: true, opcode: opcode, data: data), promise: nil)
  }
}
