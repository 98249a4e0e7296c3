internal import Cryptography
internal import NIOCore
internal import NIOWebSocket
internal import Nostr
internal import Secrets
internal import StrictJSON
internal import Synchronization

/// One client of a sandbox relay.
final class RelayConnection: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The part of this connection that other connections may use.
  struct Handle: Sendable {
    let channel: any Channel
    /// Sends an event to the subscriptions that match it.
    let offer: @Sendable (NostrEvent) -> Void
    /// Sends a message after all messages offered so far.
    let say: @Sendable ([JSONValue]) -> Void
  }

  private let relay: SandboxRelay
  private var subscriptions: [String: [EventFilter]] = [:]
  private var handle: Handle?
  private var challenge: String?
  private var isTurnedAway = false
  /// The public keys that the client proved to hold.
  private var authenticated: Set<String> = []

  init(relay: SandboxRelay) { self.relay = relay }

  func handlerAdded(context: ChannelHandlerContext) {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let eventLoop = context.eventLoop
    let handle = Handle(
      channel: context.channel,
      offer: { event in
        eventLoop.execute {
          let (handler, context) = bound.value
          guard let event = handler.relay.served(event, to: handler.authenticated) else { return }
          for (name, filters) in handler.subscriptions where filters.contains(where: { $0.matches(event) }) {
            handler.send(["EVENT", .string(name)], event.text, context)
          }
        }
      },
      say: { message in
        eventLoop.execute {
          let (handler, context) = bound.value
          handler.send(message, context)
        }
      })
    self.handle = handle
    let others = relay.state.withLock { state in
      defer { state.connections[ObjectIdentifier(context.channel)] = handle }
      state.counts.connections += 1
      return Array(state.connections.values)
    }
    if relay.fault == .newestConnection { for other in others { other.channel.close(promise: nil) } }
    if relay.fault == .oneConnectionSilently { isTurnedAway = !others.isEmpty }
    if relay.fault == .oneConnectionPolitely, !others.isEmpty {
      isTurnedAway = true
      var reason = context.channel.allocator.buffer(capacity: 32)
      reason.write(webSocketErrorCode: .policyViolation)
      reason.writeString("one connection each")
      return write(.connectionClose, reason, context)
    }
    if relay.fault == .auth || relay.fault == .authAuthor { sendChallenge(context) }
    flood(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    flood(context)
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    relay.state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(context.channel)) }
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text where isTurnedAway: return
    case .text: received(Array(frame.unmaskedData.readableBytesView), context)
    case .ping:
      guard relay.fault != .stall else { return }
      context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
    case .connectionClose:
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)))
        .whenComplete { _ in channel.close(promise: nil) }
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  // MARK: - Messages

  private func received(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    guard let parts = try? JSONParser.parse(bytes).array, let type = parts.first?.string else {
      return send(["NOTICE", "error: not a message"], context)
    }
    relay.state.withLock { state in
      if type == "EVENT" { state.counts.eventsReceived += 1 }
      if type == "REQ" { state.counts.requestsReceived += 1 }
    }
    let fault = relay.fault
    switch fault {
    case .stall: return
    case .closeMidFrame: return closeMidFrame(context)
    case .rubbish: return sendText("this is not JSON", context)
    case .binary: return write(.binary, context.channel.allocator.buffer(repeating: 7, count: 64), context)
    case .huge: return write(.text, context.channel.allocator.buffer(repeating: 0x20, count: 17 << 20), context)
    case .notUTF8: return write(.text, context.channel.allocator.buffer(bytes: [0x5B, 0x22, 0xC3, 0x28, 0x22, 0x5D]), context)
    case .masked: return writeMasked("[\"NOTICE\",\"masked\"]", context)
    case .none, .refuse, .rateLimit, .auth, .authAuthor, .restricted, .onePerAuthor, .emptyID, .lose, .forgeID, .forgeSignature,
      .forget, .foreignGroup, .groupTaken, .waitingRoom,
      .floodPongs, .floodNotices, .floodOKs, .floodEvents, .mute, .oneEvent, .unreadable, .oneConnection,
      .oneConnectionPolitely, .oneConnectionSilently, .newestConnection, .down:
      break
    }
    switch type {
    case "EVENT": event(parts, fault, context)
    case "REQ": request(parts, context)
    case "CLOSE": if parts.count > 1, let name = parts[1].string { subscriptions[name] = nil }
    case "AUTH": authenticate(parts, context)
    default: send(["NOTICE", "error: unknown message"], context)
    }
  }

  private func event(_ parts: [JSONValue], _ fault: SandboxFault, _ context: ChannelHandlerContext) {
    guard parts.count > 1, let event = NostrEvent(json: parts[1]) else {
      return send(["NOTICE", "invalid: not an event"], context)
    }
    func message(_ accepted: Bool, _ text: String) -> [JSONValue] {
      ["OK", .string(fault == .emptyID ? "" : event.id), .bool(accepted), .string(text)]
    }
    func answer(_ accepted: Bool, _ text: String) {
      if fault != .mute { send(message(accepted, text), context) }
    }
    if (try? event.verify()) == nil { return answer(false, "invalid: bad id or signature") }
    switch fault {
    case .refuse: return answer(false, "blocked: this relay takes nothing from you")
    case .rateLimit: return answer(false, "rate-limited: slow down")
    case .lose: return answer(true, "")
    case .auth where authenticated.isEmpty:
      if challenge == nil { sendChallenge(context) }
      return answer(false, "auth-required: who are you?")
    case .authAuthor where !authenticated.contains(event.publicKey):
      if challenge == nil { sendChallenge(context) }
      return answer(false, "auth-required: only authors publish here")
    case .none, .stall, .auth, .authAuthor, .restricted, .onePerAuthor, .emptyID, .forgeID, .forgeSignature, .forget,
      .foreignGroup, .groupTaken, .waitingRoom, .closeMidFrame,
      .rubbish, .binary, .huge, .floodPongs, .floodNotices, .floodOKs, .floodEvents, .mute, .oneEvent, .unreadable,
      .oneConnection, .oneConnectionPolitely, .oneConnectionSilently, .newestConnection, .masked, .notUTF8, .down:
      break
    }
    do {
      if let taken = try relay.takeAsGroup(event) {
        // As on real relays, events that follow from an event are sent before its OK.
        if fault != .mute { handle?.say(message(taken.accepted, taken.text)) }
        return
      }
      switch try relay.store.take(event, keepsNewest: relay.keepsNewest(event.kind)) {
      case .kept: break
      case .known: return answer(true, "duplicate: have it already")
      case .outdated: return answer(false, "replaced: have newer event")
      }
    } catch {
      return answer(false, "error: cannot store")
    }
    answer(true, "")
    relay.push([event])
  }

  private func request(_ parts: [JSONValue], _ context: ChannelHandlerContext) {
    guard parts.count > 2, let name = parts[1].string, (1...64).contains(name.utf8.count) else {
      return send(["NOTICE", "invalid: not a request"], context)
    }
    let filters = parts.dropFirst(2).compactMap(EventFilter.init)
    guard filters.count == parts.count - 2 else {
      return send(["CLOSED", .string(name), "invalid: not a filter"], context)
    }
    if let refusal = relay.refusal(of: filters, for: authenticated) {
      if authenticated.isEmpty, challenge == nil { sendChallenge(context) }
      return send(["CLOSED", .string(name), .string(refusal)], context)
    }
    if relay.fault == .unreadable { for text in Self.unreadable(name) { sendText(text, context) } }
    var sent: Set<String> = []
    let most = relay.fault == .oneEvent ? 1 : Int.max
    for filter in filters {
      for event in relay.find(filter, for: authenticated) where sent.count < most && sent.insert(event.id).inserted {
        send(["EVENT", .string(name)], event.text, context)
      }
    }
    subscriptions[name] = filters
    send(["EOSE", .string(name)], context)
  }

  /// Messages that are JSON, and nothing that a client can use.
  private static func unreadable(_ name: String) -> [String] {
    let rest = "\"id\":\"\",\"pubkey\":\"\",\"kind\":42,\"sig\":\"\""
    return [
      "[\"EVENT\",\"\(name)\",{\(rest),\"created_at\":1,\"content\":\"\",\"tags\":[[\"p\",null]]}]",
      "[\"EVENT\",\"\(name)\",{\(rest),\"created_at\":1,\"content\":\"\\ud83d\",\"tags\":[]}]",
      "[\"EVENT\",\"\(name)\",{\(rest),\"created_at\":1,\"created_at\":1,\"content\":\"\",\"tags\":[]}]",
      "[\"EVENT\",\"\(name)\",{\(rest),\"created_at\":1.5,\"content\":\"\",\"tags\":[]}]", "[\"EOSE\"]",
    ]
  }

  // MARK: - NIP-42

  private func sendChallenge(_ context: ChannelHandlerContext) {
    let text = SystemRandom.bytes(16).hexadecimal
    challenge = text
    send(["AUTH", .string(text)], context)
  }

  private func authenticate(_ parts: [JSONValue], _ context: ChannelHandlerContext) {
    guard parts.count > 1, let event = NostrEvent(json: parts[1]) else { return }
    let isGood =
      (try? event.verify()) != nil && event.kind == 22242 && event.tag("challenge") == challenge
      && event.tag("relay") == relay.url
    if isGood { authenticated.insert(event.publicKey) }
    send(["OK", .string(event.id), .bool(isGood), .string(isGood ? "" : "auth-required: that is not right")], context)
  }

  // MARK: - Sending

  private func send(_ parts: [JSONValue], _ context: ChannelHandlerContext) {
    sendText(JSONValue.array(parts).text, context)
  }

  /// Sends a message whose last part is JSON text already.
  private func send(_ parts: [JSONValue], _ last: String, _ context: ChannelHandlerContext) {
    sendText("\(JSONValue.array(parts).text.dropLast()),\(last)]", context)
  }

  private func sendText(_ text: String, _ context: ChannelHandlerContext) {
    write(.text, context.channel.allocator.buffer(string: text), context)
  }

  private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
  }

  /// Writes as much of the flood as the client has room for.
  private func flood(_ context: ChannelHandlerContext) {
    let nobody = String(repeating: "0", count: 64)
    let (opcode, text): (WebSocketOpcode, String)
    switch relay.fault {
    case .floodPongs: (opcode, text) = (.pong, "")
    case .floodNotices: (opcode, text) = (.text, "[\"NOTICE\",\"read this\"]")
    case .floodOKs: (opcode, text) = (.text, "[\"OK\",\"\(nobody)\",true,\"\"]")
    case .floodEvents:
      guard let event = NostrEvent(signedBy: relay.stranger, createdAt: 0, kind: 1, content: "read this") else { return }
      (opcode, text) = (.text, "[\"EVENT\",\"mine\",\(event.text)]")
    default: return
    }
    let frame = WebSocketFrame(fin: true, opcode: opcode, data: context.channel.allocator.buffer(string: text))
    guard !isFloodDue, context.channel.isActive, context.channel.isWritable else { return }
    isFloodDue = true
    for _ in 0..<Self.floodAtOnce { context.write(wrapOutboundOut(frame), promise: nil) }
    context.flush()
    // This waits until other handlers on this thread have had their turn.
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .milliseconds(1)) {
      let (connection, context) = bound.value
      connection.isFloodDue = false
      connection.flood(context)
    }
  }

  /// Whether more of a flood follows soon.
  private var isFloodDue = false

  /// Sends more than Baton accepts, so that the flood always comes before the answer.
  private static let floodAtOnce = 2_000

  private func writeMasked(_ text: String, _ context: ChannelHandlerContext) {
    let data = context.channel.allocator.buffer(string: text)
    let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: [1, 2, 3, 4], data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  /// Writes the head of a frame of 1,000 bytes and ten of the bytes, and closes the connection.
  private func closeMidFrame(_ context: ChannelHandlerContext) {
    var bytes = context.channel.allocator.buffer(capacity: 16)
    bytes.writeBytes([0x81, 126, 0x03, 0xE8])
    bytes.writeRepeatingByte(0x5B, count: 10)
    let channel = context.channel
    guard let encoder = try? context.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self) else {
      return channel.close(promise: nil)
    }
    encoder.writeAndFlush(NIOAny(bytes)).whenComplete { _ in channel.close(promise: nil) }
  }
}
