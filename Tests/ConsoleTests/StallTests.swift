import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ConsoleProgram

/// Connections of peers that stop in the middle end; those of others do not.
struct StallTests {
  /// Keeps what is written, as a kernel does whose buffer is full.
  private final class FullBuffer: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    private(set) var kept: [EventLoopPromise<Void>?] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) { kept.append(promise) }

    /// Takes the oldest part.
    func take() { kept.removeFirst()?.succeed() }
  }

  private let buffer = FullBuffer()
  private let channel: EmbeddedChannel

  init() throws {
    channel = EmbeddedChannel(handlers: [buffer, StallHandler()])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
  }

  private func read(_ part: HTTPRequestPart) throws { try channel.writeInbound(part) }

  private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

  private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/login"))

  @Test func aRequestThatDoesNotEndEndsTheConnection() throws {
    try read(head)
    for _ in 0..<29 {
      pass(.seconds(1))
      try read(.body(ByteBuffer(string: "a")))
    }
    #expect(channel.isActive)
    pass(.seconds(1))
    #expect(!channel.isActive, "a byte a second keeps no place")
  }

  @Test func aRequestThatEndedHasAllTimeForItsAnswer() throws {
    try read(head)
    pass(.seconds(29))
    try read(.end(nil))
    pass(.hours(1))
    #expect(channel.isActive)
    // The next one has as long as the first one.
    try read(head)
    pass(.seconds(29))
    #expect(channel.isActive)
    pass(.seconds(1))
    #expect(!channel.isActive)
  }

  @Test func anAnswerThatNobodyTakesEndsTheConnection() throws {
    channel.write(HTTPResponsePart.body(ByteBuffer(string: "a")), promise: nil)
    channel.write(HTTPResponsePart.body(ByteBuffer(string: "b")), promise: nil)
    #expect(buffer.kept.count == 2)
    pass(.seconds(59))
    #expect(channel.isActive)
    buffer.take()
    pass(.seconds(59))
    #expect(channel.isActive, "it goes on, if slowly")
    pass(.seconds(1))
    #expect(!channel.isActive)
  }

  @Test func anAnswerThatWasTakenMayBeFollowedByNothing() throws {
    channel.write(HTTPResponsePart.body(ByteBuffer(string: "beat")), promise: nil)
    pass(.seconds(59))
    buffer.take()
    pass(.hours(1))
    #expect(channel.isActive, "a stream without news has nothing to take")
  }
}
