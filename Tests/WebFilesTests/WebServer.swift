import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A web server on loopback that says whatever a test wants, also what no server may say.
final class WebServer: Sendable {
  struct Request: Sendable {
    /// Method and target, such as `GET /a`.
    var line = ""
    /// Header fields by name in lower case.
    var fields: [String: String] = [:]
    var body: [UInt8] = []
  }

  /// What is done with a request.
  enum Reply: Sendable {
    /// These bytes are sent, and the connection is closed.
    case bytes([UInt8])
    case silence

    /// A whole answer.
    static func answer(_ status: Int, _ body: some Sequence<UInt8> = [], _ fields: [String] = []) -> Reply {
      let body = Array(body)
      let head = (["HTTP/1.1 \(status) Words", "Content-Length: \(body.count)"] + fields).joined(separator: "\r\n")
      return .bytes(Array("\(head)\r\n\r\n".utf8) + body)
    }

    static func text(_ text: String) -> Reply { .bytes(Array(text.utf8)) }
  }

  private let channel: any Channel
  private let seen: Seen

  private final class Seen: Sendable {
    let requests = Mutex<[Request]>([])
  }

  /// - Parameter tls: the files with certificate and key; `nil` for none.
  init(tls: (certificate: String, key: String)? = nil, _ reply: @escaping @Sendable (Request) -> Reply) async throws {
    let seen = Seen()
    let context = try tls.map { tls in
      try NIOSSLContext(
        configuration: .makeServerConfiguration(
          certificateChain: try NIOSSLCertificate.fromPEMFile(tls.certificate).map { .certificate($0) },
          privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem))))
    }
    self.seen = seen
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
          try channel.pipeline.syncOperations.addHandler(
            Handler { request in
              seen.requests.withLock { $0.append(request) }
              return reply(request)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { channel.localAddress?.port ?? 0 }
  var address: String { "http://127.0.0.1:\(port)" }
  /// All requests so far.
  var requests: [Request] { seen.requests.withLock { $0 } }

  func stop() async throws { try await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let reply: (Request) -> Reply
    private var bytes: [UInt8] = []
    /// The request without its body, and how many bytes it has with it.
    private var head: (request: Request, start: Int, end: Int)?
    private var isDone = false

    init(_ reply: @escaping (Request) -> Reply) { self.reply = reply }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isDone else { return }
      bytes += unwrapInboundIn(data).readableBytesView
      // A client that speaks TLS is answered like any other.
      if bytes.first == 0x16, case .bytes(let answer) = reply(Request()) { return send(answer, context) }
      if head == nil { head = readHead() }
      guard let head, bytes.count >= head.end else { return }
      var request = head.request
      request.body = Array(bytes[head.start..<head.end])
      guard case .bytes(var answer) = reply(request) else {
        isDone = true
        return
      }
      // The answer to HEAD ends with its header.
      if request.line.hasPrefix("HEAD "), let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) {
        answer = Array(answer[..<end.upperBound])
      }
      send(answer, context)
    }

    private func readHead() -> (request: Request, start: Int, end: Int)? {
      guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
      var request = Request()
      let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
      request.line = String(lines[0]).replacing(" HTTP/1.1", with: "")
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        request.fields[line[..<colon].lowercased()] = line[colon...].dropFirst().drop { $0 == " " }.description
      }
      return (request, end.upperBound, end.upperBound + (request.fields["content-length"].flatMap { Int($0) } ?? 0))
    }

    private func send(_ answer: [UInt8], _ context: ChannelHandlerContext) {
      isDone = true
      let channel = context.channel
      channel.writeAndFlush(channel.allocator.buffer(bytes: answer)).whenComplete { _ in channel.close(promise: nil) }
    }
  }
}
