import NIOCore
import NIOPosix

/// A server on loopback that answers the first words of every connection with the same text, whatever they are.
struct CannedServer {
  private let channel: any Channel

  init(_ answer: String) async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(answer)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var address: String { "ws://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  func stop() async throws { try await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let answer: String
    private var isDone = false

    init(_ answer: String) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isDone else { return }
      isDone = true
      context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: answer)), promise: nil)
    }
  }
}
