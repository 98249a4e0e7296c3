import Dialing
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

/// What a WebSocket peer gets back for its frames.
struct FramesTests {
  private func ping(_ channel: EmbeddedChannel) throws {
    try channel.writeInbound(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(string: "are you there")))
  }

  @Test func pingsAreAnsweredUnlessThePeerDoesNotRead() throws {
    let channel = EmbeddedChannel(
      handler: WebSocketFrames(peer: "relay", messageBytesMax: 1_000, silenceMax: .seconds(9)) { _ in })
    try ping(channel)
    let pong = try #require(try channel.readOutbound(as: WebSocketFrame.self))
    #expect(pong.opcode == .pong && pong.data == ByteBuffer(string: "are you there"))
    // What it does not take piles up here.
    channel.isWritable = false
    for _ in 0..<100 { try ping(channel) }
    #expect(try channel.readOutbound(as: WebSocketFrame.self) == nil)
    channel.isWritable = true
    try ping(channel)
    #expect(try channel.readOutbound(as: WebSocketFrame.self)?.opcode == .pong)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }
}
