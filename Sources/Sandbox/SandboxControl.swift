internal import HTTPHandlers
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import StrictJSON

/// A small HTTP control for the relays of one sandbox, on loopback:
/// `GET /relays` lists them, `POST /relays/N/FAULT` makes relay N (from 1) misbehave, `POST /relays/N/none` heals it.
public struct SandboxControl: Sendable {
  private let channel: any Channel

  /// - Parameter port: the port, or 0 for a free one.
  public static func start(relays: [SandboxRelay], port: Int = 0) async throws -> SandboxControl {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          HTTPHandlers.prepare()
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(relays: relays))
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    return SandboxControl(channel: channel)
  }

  public var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let relays: [SandboxRelay]
    private var head: HTTPRequestHead?

    init(relays: [SandboxRelay]) { self.relays = relays }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): self.head = head
      case .body: break
      case .end: if let head { answer(head, context) }
      }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      let parts = head.uri.split(separator: "/").map(String.init)
      if head.method == .GET, parts == ["relays"] { return respond(.ok, list(), context) }
      guard head.method == .POST, parts.count == 3, parts[0] == "relays", let number = Int(parts[1]),
        relays.indices.contains(number - 1)
      else { return respond(.notFound, ["error": "use GET /relays or POST /relays/N/FAULT"], context) }
      guard let fault = SandboxFault(rawValue: parts[2]) else {
        let known = SandboxFault.allCases.map { JSONValue.string($0.rawValue) }
        return respond(.badRequest, ["error": "no such fault", "faults": .array(known)], context)
      }
      let relay = relays[number - 1]
      let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
      let eventLoop = context.eventLoop
      Task {
        let problem: String?
        do {
          try await relay.set(fault)
          problem = nil
        } catch {
          problem = "\(error)"
        }
        eventLoop.execute {
          let (handler, context) = bound.value
          if let problem {
            handler.respond(.internalServerError, ["error": .string(problem)], context)
          } else {
            handler.respond(.ok, handler.list(), context)
          }
        }
      }
    }

    private func list() -> JSONValue {
      .array(
        relays.map { relay in
          ["url": .string(relay.url), "fault": .string(relay.fault.rawValue), "events": .integer(Int64(relay.eventCount))]
        })
    }

    private func respond(_ status: HTTPResponseStatus, _ json: JSONValue, _ context: ChannelHandlerContext) {
      let body = context.channel.allocator.buffer(bytes: json.bytes + [0x0A])
      let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(body.readableBytes)"]
      context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
