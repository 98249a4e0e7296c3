internal import NIOCore
internal import NIOHTTP1

/// The handlers that NIO puts into every connection over HTTP/1.
public enum HTTPHandlers {
  /// Makes their types ready. Call this before a connection gets such handlers: the first call makes the types, and others wait.
  ///
  /// NIO makes them when they are first needed. If two threads do so simultaneously, as when a daemon begins and connects to its relays,
  /// the runtime of Swift 6.3 now and then finds a type half made, and the process ends with SIGSEGV.
  public static func prepare() { withExtendedLifetime(types) {} }

  private static let types: [Any.Type] = [
    ByteToMessageHandler<HTTPRequestDecoder>.self, ByteToMessageHandler<HTTPResponseDecoder>.self,
  ]
}
