internal import Channels
internal import Dialing
internal import HTTPHandlers
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import RelayNetwork
public import StrictJSON

/// A relay's NIP-11 document. Every field may be missing.
public struct RelayInformation: Hashable, Sendable {
  public let name: String?
  public let software: String?
  public let description: String?
  public let supportedNIPs: [Int]
  public let requiresAuthentication: Bool
  public let requiresPayment: Bool
  public let restrictsWrites: Bool
  /// The sizes of events that the relay declares to accept.
  let limits: EventLimits
  /// The key with which the relay signs the state of groups: `self`, or the contact key that older relays show.
  public let ownKey: String?
  /// The key of the relay's contact.
  let contactKey: String?

  /// The largest document that is read, in bytes.
  static let bytesMax = 64 << 10

  /// Reads the document. Unknown members are ignored, and wrong types count as missing.
  public init?(json: JSONValue) {
    guard json.object != nil else { return nil }
    name = json["name"]?.string
    software = json["software"]?.string
    description = json["description"]?.string
    supportedNIPs = (json["supported_nips"]?.array ?? []).compactMap {
      $0.integer.map(Int.init) ?? $0.string.flatMap { Int($0) }
    }
    requiresAuthentication = json["limitation"]?["auth_required"]?.bool ?? false
    requiresPayment = json["limitation"]?["payment_required"]?.bool ?? false
    restrictsWrites = json["limitation"]?["restricted_writes"]?.bool ?? false
    limits = EventLimits(limitation: json["limitation"])
    contactKey = Self.key(json["pubkey"])
    ownKey = Self.key(json["self"]) ?? contactKey
  }

  private static func key(_ json: JSONValue?) -> String? {
    json?.string.map { $0.lowercased() }.flatMap { Hex.decode($0, count: 32) == nil ? nil : $0 }
  }
}

extension RelayInformation {
  /// Whether the relay declares that it accepts only events of known authors.
  var restrictsAuthors: Bool { requiresPayment || restrictsWrites }

  /// The same in the words that all networks share. Texts are cut and cleaned, because they come from a stranger.
  var selfDescription: PeerDescription {
    func cleaned(_ text: String?) -> String? { text.map { Trouble(.protocol, $0).detail } }
    var words = Set(supportedNIPs.filter { (0...9999).contains($0) }.map { "nip\($0)" })
    if requiresAuthentication { words.insert("authRequired") }
    if requiresPayment { words.insert(PeerDescription.paymentRequired) }
    if restrictsWrites { words.insert(PeerDescription.restrictedWrites) }
    return PeerDescription(
      name: cleaned(name), text: cleaned(description), software: cleaned(software),
      capabilities: Array(words.sorted().prefix(PeerDescription.capabilitiesMax)))
  }
}

extension RelayDialer {
  /// Asks a relay for its NIP-11 document.
  /// - Parameter limit: the time for the whole request, or `nil` for as much time as connecting to a relay has.
  /// - Returns: `nil` if no document can be read in time. Relays need not have one.
  func information(
    of url: RelayURL, within limit: Duration? = nil, on eventLoop: any EventLoop
  ) -> EventLoopFuture<RelayInformation?> {
    let limit = limit ?? limits.dialTimeout
    let timeout = TimeAmount.milliseconds(limit.wholeMilliseconds)
    let promise = eventLoop.makePromise(of: RelayInformation?.self)
    let deadline = eventLoop.scheduleTask(in: timeout) { promise.succeed(nil) }
    ClientBootstrap(group: eventLoop)
      .resolver(ConcurrentResolver(eventLoop, within: limit))
      .connectTimeout(timeout)
      .channelInitializer { channel in
        eventLoop.makeCompletedFuture {
          promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
          if let refusal = Descriptors.refusal(of: channel) { throw DialFailure.unreachable(refusal) }
          if url.isSecure { try tls.secure(channel, for: url.host, plain: "ws") }
          HTTPHandlers.prepare()
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(InformationHandler(url: url, promise: promise))
        }
      }
      .connect(host: url.host, port: url.port)
      .whenFailure { _ in promise.succeed(nil) }
    promise.futureResult.whenComplete { _ in deadline.cancel() }
    return promise.futureResult
  }
}

private final class InformationHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart
  private let url: RelayURL
  private let promise: EventLoopPromise<RelayInformation?>
  private var body: [UInt8] = []
  private var isFound = false

  init(url: RelayURL, promise: EventLoopPromise<RelayInformation?>) {
    self.url = url
    self.promise = promise
  }

  func channelActive(context: ChannelHandlerContext) {
    let headers: HTTPHeaders = [
      "Host": url.authority, "Accept": "application/nostr+json", "User-Agent": "Baton", "Connection": "close",
    ]
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.requestTarget, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): isFound = head.status == .ok
    case .body(let part):
      guard body.count + part.readableBytes <= RelayInformation.bytesMax else { return promise.succeed(nil) }
      body.append(contentsOf: part.readableBytesView)
    case .end:
      let json = isFound ? try? JSONParser.parse(body) : nil
      promise.succeed(json.flatMap { RelayInformation(json: $0) })
    }
  }

  func channelInactive(context: ChannelHandlerContext) { promise.succeed(nil) }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.succeed(nil) }
}
