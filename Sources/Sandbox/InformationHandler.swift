internal import NIOCore
internal import NIOHTTP1

/// Answers plain HTTP with the NIP-11 document.
final class InformationHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart
  private let relay: SandboxRelay

  init(relay: SandboxRelay) { self.relay = relay }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    let auth = relay.fault == .auth || relay.fault == .authAuthor
    let groups = relay.groupKey.map { "\"supported_nips\":[1,9,11,29,42,50],\"self\":\"\($0)\"," }
    let body =
      "{\"name\":\"Baton sandbox\",\"description\":\"a relay to try things out\",\"software\":\"baton-sandbox\","
      + "\"pubkey\":\"\(SandboxRelay.contactKey)\","
      + (groups ?? "\"supported_nips\":[1,9,11,42,50],")
      + "\"limitation\":{\"auth_required\":\(auth),\"restricted_writes\":\(relay.fault == .restricted)}}"
    let headers: HTTPHeaders = [
      "Content-Type": "application/nostr+json", "Content-Length": "\(body.utf8.count)", "Connection": "close",
    ]
    context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: body)))), promise: nil)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
  }
}
