internal import Channels
internal import Cryptography
internal import Dialing
internal import Glibc
internal import NIOCore
internal import NIOHTTP1

/// One request and its answer, on its own connection.
final class WebExchange: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  /// How many bytes of a body are given to the connection at a time: few enough to leave within the time that counts as silence.
  private static let pieceBytes = 64 << 10

  private let request: WebRequest
  private let silence: Duration
  private let promise: EventLoopPromise<WebAnswer>
  private var sent = 0
  private var head: WebAnswer?
  private var body: [UInt8] = []
  private var digest = SHA256()
  private var taken = 0

  init(_ request: WebRequest, silence: Duration, on eventLoop: any EventLoop) {
    self.request = request
    self.silence = silence
    promise = eventLoop.makePromise()
  }

  var answer: EventLoopFuture<WebAnswer> { promise.futureResult }

  /// Only the first result counts.
  func finish(_ result: Result<WebAnswer, any Error>) { promise.completeWith(result) }

  private func fail(_ cause: Cause, _ words: String) { finish(.failure(PeerFailure(cause, words))) }

  // MARK: - Sending

  func channelActive(context: ChannelHandlerContext) {
    var headers: HTTPHeaders = [
      "Host": request.address.authority, "User-Agent": "Baton", "Accept": "*/*", "Accept-Encoding": "identity",
      "Connection": "close",
    ]
    if request.method == .put { headers.add(name: "Content-Length", value: "\(request.body.count)") }
    for field in request.fields { headers.add(name: field.name, value: field.value) }
    let method = HTTPMethod(rawValue: request.method.rawValue)
    let head = HTTPRequestHead(version: .http1_1, method: method, uri: request.address.target, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    sendMore(context)
  }

  /// Sends the next piece of the body when the one before has left, so that a slow connection does not fill the memory.
  private func sendMore(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    guard sent < request.body.count else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
    let next = min(sent + Self.pieceBytes, request.body.count)
    let piece = context.channel.allocator.buffer(bytes: request.body[sent..<next])
    sent = next
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let left = context.eventLoop.makePromise(of: Void.self)
    // The next piece gets its own turn of the event loop, because a write that ends immediately would nest turns without end.
    left.futureResult.whenSuccess { bound.eventLoop.execute { bound.value.handler.sendMore(bound.value.context) } }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece))), promise: left)
  }

  // MARK: - Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): take(head)
    case .body(let piece): take(piece)
    case .end: end()
    }
  }

  private func take(_ head: HTTPResponseHead) {
    let fields = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
    let answer = WebAnswer(status: Int(head.status.code), fields: fields)
    self.head = answer
    // The rest is not wanted.
    if case .digest = request.intake, answer.status != 200 { finish(.success(answer)) }
  }

  private func take(_ piece: ByteBuffer) {
    taken += piece.readableBytes
    guard taken <= request.intake.bytesMax else {
      return fail(.tooLarge, "the server's answer has more than \(request.intake.bytesMax) bytes")
    }
    switch request.intake {
    case .nothing: break
    case .bytes: body += piece.readableBytesView
    case .digest: piece.withUnsafeReadableBytes { digest.update($0) }
    }
  }

  private func end() {
    guard var answer = head else { return fail(.protocol, "the server's answer is not one of HTTP") }
    answer.body = body
    if case .digest = request.intake { answer.digest = digest.finish() }
    finish(.success(answer))
  }

  // MARK: - Failures

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { fail(.timeout, "the server was silent for \(silence.briefly)") }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let failure as PeerFailure: finish(.failure(failure))
    case is HTTPParserError: fail(.protocol, "the server's answer is not one of HTTP, or it is cut off")
    case let error as IOError: fail(.unreachable, "the connection broke: \(String(cString: strerror(error.errnoCode)))")
    default: fail(.unreachable, "the connection broke: \(error)")
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    let isWhole = sent == request.body.count
    fail(.unreachable, "the server closed the connection \(isWhole ? "without an answer" : "before it had all of the file")")
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { fail(.unreachable, "the server closed the connection") }
}
