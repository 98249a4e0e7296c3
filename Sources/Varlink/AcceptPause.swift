internal import Glibc
package import NIOCore

/// Stops accepting for a moment when the process has too few descriptors for another connection. swift-nio's `AcceptBackoffHandler` does
/// not: the failed read is still pending, so the socket is tried again without a pause, for as long as a client waits.
package final class AcceptPause: ChannelInboundHandler {
  package typealias InboundIn = any Channel
  package typealias InboundOut = any Channel

  private static let pause = TimeAmount.milliseconds(100)

  private let end: Int
  private let tell: (String) -> Void
  /// The reason is reported again only after a while, because clients may come as fast as they like.
  private var toldAt = NIODeadline.distantPast

  /// - Parameters:
  ///   - end: the first descriptor that no accepted connection may have.
  ///   - tell: gets the reason when accepting stops, at most once a minute.
  package init(end: Int = .max, tell: @escaping (String) -> Void = { _ in }) {
    self.end = end
    self.tell = tell
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    if end < .max, lowestFree >= end { pause(context, "the limit on open files and connections is reached") }
    context.fireChannelReadComplete()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
      return context.fireErrorCaught(error)
    }
    pause(context, String(cString: strerror(error.errnoCode)))
  }

  /// All descriptors below it are in use.
  private var lowestFree: Int {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .max }
    close(descriptor)
    return Int(descriptor)
  }

  private func pause(_ context: ChannelHandlerContext, _ reason: String) {
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenSuccess {
      channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true) }
    }
    guard toldAt + .minutes(1) <= .now() else { return }
    toldAt = .now()
    tell(reason)
  }
}
