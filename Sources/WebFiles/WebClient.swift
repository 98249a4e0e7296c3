internal import Channels
internal import Dialing
internal import HTTPHandlers
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The reason why a request on the web failed, as a sentence for people. Words of servers in it are cut and cleaned.
public struct WebFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = Trouble(.protocol, description).detail }
}

/// The times that a request may take.
public struct WebLimits: Sendable {
  /// For looking the name up, and again for connecting.
  public var connecting = Duration.seconds(10)
  /// Without a byte in either direction.
  public var silence = Duration.seconds(30)
  /// For the whole request after that.
  public var whole = Duration.seconds(600)

  public init() {}
}

/// A request to a web server.
struct WebRequest: Sendable {
  enum Method: String, Sendable { case get = "GET", head = "HEAD", put = "PUT" }

  /// The part of an answer's body that is read.
  enum Intake: Sendable {
    case nothing
    /// The bytes, so many at most. More are a failure.
    case bytes(max: Int)
    /// The digest, if the status is 200. More bytes than these are a failure.
    case digest(max: Int)

    var bytesMax: Int {
      switch self {
      case .nothing: 0
      case .bytes(let max), .digest(let max): max
      }
    }
  }

  let method: Method
  let address: WebAddress
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []
  var intake = Intake.nothing
}

/// A server's answer.
struct WebAnswer: Sendable {
  let status: Int
  /// Header fields by name in lower case. Of several with one name, the first.
  let fields: [String: String]
  var body: [UInt8] = []
  /// The SHA-256 of the body, if that was wanted.
  var digest: [UInt8]?
}

/// Requests to web servers, one for each connection: without redirects, cookies, compression or caches, and with bounds for everything that
/// a server can make long. docs/decisions/0028-uploads.md explains why it is not a library.
public struct WebClient: Sendable {
  private let tls: WebTLS
  private let limits: WebLimits
  private let group = MultiThreadedEventLoopGroup.singleton
  private static let lookup = HostLookup(threadsMax: 8)

  /// - Parameter trustRoots: a PEM file with certificate authorities to trust, or `nil` for the system's.
  /// - Throws: `WebFailure` if that file cannot be read.
  public init(trustRoots: String? = nil, limits: WebLimits = WebLimits()) throws(WebFailure) {
    self.limits = limits
    do {
      tls = try WebTLS(trustRoots: trustRoots)
    } catch {
      throw WebFailure("cannot read the certificate authorities\(trustRoots.map { " from \($0)" } ?? "")")
    }
  }

  /// Sends a request.
  /// - Returns: the answer, with any status.
  func send(_ request: WebRequest) async throws(WebFailure) -> WebAnswer {
    do throws(PeerFailure) {
      return try await exchange(request, on: group.next())
    } catch {
      throw WebFailure(error.trouble.detail)
    }
  }

  private func exchange(_ request: WebRequest, on eventLoop: any EventLoop) async throws(PeerFailure) -> WebAnswer {
    let (address, limits, tls) = (request.address, limits, tls)
    let addresses = try await Self.lookup.addresses(
      of: address.host, port: address.port, within: limits.connecting, on: eventLoop)
    let (channel, answer) = try await TCPDialer().connect(to: addresses, within: limits.connecting, on: eventLoop) { channel in
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(IdleStateHandler(allTimeout: TimeAmount(limits.silence)))
      if address.isSecure { try tls.secure(channel, for: address.host, plain: "http") }
      try pipeline.addHandler(InboundBound(bytesMax: InboundBound.bytesMax(request.intake)))
      HTTPHandlers.prepare()
      try pipeline.addHTTPClientHandlers()
      let exchange = WebExchange(request, silence: limits.silence, on: channel.eventLoop)
      do {
        try pipeline.addHandler(exchange)
      } catch {
        exchange.finish(.failure(error))
        throw error
      }
      return exchange.answer
    }
    defer { channel.close(promise: nil) }
    let late = PeerFailure(.timeout, "the server did not finish its answer within \(limits.whole.briefly)")
    return try await eventLoop.outcome(within: limits.whole, orElse: late) { answer.cascade(to: $0) }
  }
}

/// Ends a connection that brings more bytes than any good answer has. Header fields, interim answers and the marks of chunks count too.
private final class InboundBound: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  private var left: Int

  /// The largest answer with this body in all: as much again as the body for the marks of small chunks, and room for the rest.
  static func bytesMax(_ intake: WebRequest.Intake) -> Int { 2 * intake.bytesMax + (128 << 10) }

  init(bytesMax: Int) { left = bytesMax }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard left >= 0 else { return }
    left -= unwrapInboundIn(data).readableBytes
    guard left >= 0 else {
      return context.fireErrorCaught(PeerFailure(.misbehaving, "the server sent much more than it was asked for"))
    }
    context.fireChannelRead(data)
  }
}
