internal import Channels
internal import Dialing
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import RelayNetwork

/// A connection to a server, from the TLS handshake to the bytes of its hello.
struct ServerConnection: Sendable {
  /// The outcome of the handshake. Failures are `PeerFailure`s.
  let handshake: EventLoopFuture<TLSSession>
  private let ask: @Sendable (EventLoopPromise<[UInt8]>) -> Void

  /// Prepares a channel before it connects. Call this on its event loop.
  init(_ channel: any Channel, to endpoint: ServerEndpoint, transport: ServerProtocol) throws {
    let tls = try OpenSSLHandler(applicationProtocol: endpoint.applicationProtocol, eventLoop: channel.eventLoop)
    let hello = HelloCollector(promise: channel.eventLoop.makePromise(), takesBytes: transport == .smp)
    let pipeline = channel.pipeline.syncOperations
    handshake = tls.handshake
    try pipeline.addHandler(tls)
    let outcome = hello.promise.futureResult
    switch transport {
    case .smp:
      // The server speaks first.
      try pipeline.addHandler(hello)
      ask = { outcome.cascade(to: $0) }
    case .xftp:
      let streams = try pipeline.configureHTTP2Pipeline(
        mode: .client, connectionConfiguration: .init(), streamConfiguration: .init(),
        inboundStreamInitializer: { $0.close() })
      try pipeline.addHandler(hello)
      ask = { promise in
        outcome.cascadeFailure(to: promise)
        streams.createStreamChannel(promise: nil) { stream in
          stream.eventLoop.makeCompletedFuture {
            try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https))
            try stream.pipeline.syncOperations.addHandler(HelloRequest(host: endpoint.host, promise: promise))
          }
        }
      }
    }
  }

  /// Fetches the bytes of the hello. Failures are `PeerFailure`s.
  func bringHello(_ promise: EventLoopPromise<[UInt8]>) { ask(promise) }
}

/// Collects the first block that a server sends by itself. After HTTP/2, it notices only errors and the end.
private final class HelloCollector: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  let promise: EventLoopPromise<[UInt8]>
  private let takesBytes: Bool
  private var bytes: [UInt8] = []

  init(promise: EventLoopPromise<[UInt8]>, takesBytes: Bool) {
    self.promise = promise
    self.takesBytes = takesBytes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard takesBytes, bytes.count < BlockReader.blockBytes else { return }
    // Servers send nothing after the hello before the client answers it.
    bytes.append(contentsOf: unwrapInboundIn(data).readableBytesView.prefix(BlockReader.blockBytes - bytes.count))
    if bytes.count == BlockReader.blockBytes { promise.succeed(bytes) }
  }

  func channelInactive(context: ChannelHandlerContext) { end() }
  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(PeerFailure(brokenHello: error))
    context.close(promise: nil)
  }

  private func end() { promise.fail(PeerFailure(helloBytes: bytes.count)) }
}

/// Asks an XFTP server for its hello, on a separate HTTP/2 stream.
private final class HelloRequest: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart
  private let host: String
  private let promise: EventLoopPromise<[UInt8]>
  private var bytes: [UInt8] = []

  init(host: String, promise: EventLoopPromise<[UInt8]>) {
    self.host = host
    self.promise = promise
  }

  func channelActive(context: ChannelHandlerContext) {
    let head = HTTPRequestHead(version: .http2, method: .POST, uri: "/", headers: ["host": host])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard head.status != .ok else { return }
      promise.fail(PeerFailure(.protocol, "the server answers with the HTTP status \(head.status.code), not with a hello"))
    case .body(let part):
      guard bytes.count + part.readableBytes <= BlockReader.blockBytes else {
        return promise.fail(PeerFailure(.protocol, "the server sent more than \(BlockReader.blockBytes) bytes as its hello"))
      }
      bytes.append(contentsOf: part.readableBytesView)
    case .end:
      guard bytes.count == BlockReader.blockBytes else { return end() }
      promise.succeed(bytes)
    }
  }

  func channelInactive(context: ChannelHandlerContext) { end() }
  func handlerRemoved(context: ChannelHandlerContext) { end() }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(PeerFailure(brokenHello: error)) }

  private func end() { promise.fail(PeerFailure(helloBytes: bytes.count)) }
}

extension PeerFailure {
  fileprivate init(helloBytes count: Int) {
    self.init(.protocol, "the server sent \(count) of \(BlockReader.blockBytes) bytes of its hello and closed")
  }

  fileprivate init(brokenHello error: any Error) {
    switch error {
    case let failure as PeerFailure: self = failure
    case let error as IOError: self.init(.unreachable, "the connection broke: \(error)")
    default: self.init(.protocol, "the server does not speak its protocol as it should: \(type(of: error))")
    }
  }
}
