internal import Channels
internal import Dialing
internal import Logging
internal import NIOCore
internal import NIOTLS
internal import RelayNetwork

/// Tests a relay step by step, through the same sessions that channels use: resolve, connect, tls, info (NIP-11, and whether a WebSocket
/// opens), auth (NIP-42, where it is demanded), publish (an event that expires by NIP-40), readBack (as an anonymous reader), verify (id,
/// signature and author of the served event). The event is deleted afterwards (NIP-09). A light test leaves out auth, publish and verify,
/// and asks for an event that does not exist. The first step that fails is the last.
struct RelayTest: Sendable {
  let dialer: RelayDialer
  let lookup: HostLookup
  /// The lines of the channels too, because a relay that allows one connection is tested over that.
  let lines: RelayLines
  let limits: NostrLimits
  let key: SecretKey?
  let now: @Sendable () -> Int64

  private var eventLoop: any EventLoop { lines.eventLoop }

  private static let channel = ChannelID(rawValue: 0)
  private static let relay = RelayID(rawValue: 0)
  /// The time for which the relay is asked to keep the event at most.
  private static let probeLifeSeconds: Int64 = 600

  /// Runs the steps until one fails.
  func run(_ address: String, _ depth: ProbeDepth, _ yield: @escaping @Sendable (ProbeStep) -> Void) async {
    guard let url = try? RelayURL(address) else { return }
    var log = StepLog(yield: yield)
    do {
      try await reach(url, &log)
      let information = try? await dialer.information(of: url, on: eventLoop).get()
      switch depth {
      case .light: await read(url, information ?? nil, &log)
      case .full: await publishAndRead(url, information ?? nil, &log)
      }
    } catch {
      log.failed(error.step, error.failure.trouble)
    }
  }

  /// Gives steps their durations.
  private struct StepLog {
    let yield: @Sendable (ProbeStep) -> Void
    private let clock = ContinuousClock()
    private var started = ContinuousClock().now

    init(yield: @escaping @Sendable (ProbeStep) -> Void) { self.yield = yield }

    private mutating func lap() -> Duration {
      defer { started = clock.now }
      return clock.now - started
    }

    /// - Parameter isInstant: whether the step itself took no time. The time that passed belongs to the next step.
    mutating func passed(
      _ step: String, _ detail: String, selfDescription: PeerDescription? = nil, isInstant: Bool = false
    ) {
      // Names and versions come from the peer, so details are cleaned like troubles.
      yield(
        ProbeStep(
          name: step, duration: isInstant ? .zero : lap(), detail: Trouble(.protocol, detail).detail,
          selfDescription: selfDescription))
    }

    mutating func failed(_ step: String, _ trouble: Trouble) {
      yield(ProbeStep(name: step, duration: lap(), failure: trouble))
    }
  }

  private struct StepFailure: Error {
    let step: String
    let failure: PeerFailure
  }

  // MARK: - The way to the relay

  private func reach(_ url: RelayURL, _ log: inout StepLog) async throws(StepFailure) {
    var step = "resolve"
    do {
      let addresses = try await lookup.addresses(of: url.host, port: url.port, within: limits.dialTimeout, on: eventLoop)
      log.passed(step, addresses.map(\.briefly).joined(separator: ", "))
      step = "connect"
      let tls = dialer.tls
      let handshake = eventLoop.makePromise(of: Void.self)
      // No caller may be left waiting after any end of the connection.
      defer { handshake.fail(PeerFailure(.unreachable, "the connection closed")) }
      let (channel, _) = try await TCPDialer().connect(to: addresses, within: limits.dialTimeout, on: eventLoop) { channel in
        guard url.isSecure else { return }
        try tls.secure(channel, for: url.host, plain: "ws")
        try channel.pipeline.syncOperations.addHandler(HandshakeWaiter(url: url, promise: handshake))
      }
      defer { channel.close(promise: nil) }
      log.passed(step, channel.remoteAddress?.briefly ?? "")
      step = "tls"
      guard url.isSecure else { return log.passed(step, "not used: the address is ws://") }
      let late = PeerFailure(.timeout, "no TLS handshake within \(limits.dialTimeout.briefly)")
      try await eventLoop.outcome(within: limits.dialTimeout, orElse: late) { handshake.futureResult.cascade(to: $0) }
      log.passed(step, "the certificate is valid for \(url.host)")
    } catch {
      throw StepFailure(step: step, failure: error)
    }
  }

  // MARK: - The steps on a connection

  private func read(_ url: RelayURL, _ information: RelayInformation?, _ log: inout StepLog) async {
    // Nothing has this id.
    let content = ChannelContent(
      identity: IdentityID(rawValue: 0), networkID: SecretKey.random().publicKey, trustAnchor: "", document: "")
    for await sight in sights(of: .verify, content, nil, url) {
      switch sight {
      case .seen(.opened): log.passed("info", Self.words(information), selfDescription: information?.selfDescription)
      case .seen: break
      case .ended(.missing, _): log.passed("readBack", "the relay answers requests")
      case .ended(let outcome, let hasOpened): log.failed(hasOpened ? "readBack" : "info", Self.trouble(outcome))
      }
    }
  }

  private func publishAndRead(_ url: RelayURL, _ information: RelayInformation?, _ log: inout StepLog) async {
    // This is the identity's own key, because a relay may accept only events of known authors.
    let probe = key ?? .random()
    let expiry = now() + Self.probeLifeSeconds
    // Two tests within a second must not create the same event: relays refuse events that were deleted before.
    let tags = [["expiration", "\(expiry)"], ["baton", String(UInt64.random(in: 0 ... .max), radix: 16)]]
    guard
      let event = NostrEvent(
        signedBy: probe, createdAt: now(), kind: PublicChannel.creationKind, tags: tags,
        content: PublicChannel.content(name: "Baton relay test", about: "expires by itself", picture: "", relays: [url.text]))
    else { return }
    let content = ChannelContent(
      identity: IdentityID(rawValue: 0), networkID: event.id, trustAnchor: event.publicKey, document: event.text)

    var isAsked = false
    var isAuthenticated = false
    for await sight in sights(of: .invite, content, event, url, probe) {
      switch sight {
      case .seen(.opened): log.passed("info", Self.words(information), selfDescription: information?.selfDescription)
      case .seen(.authenticating): isAsked = true
      case .seen(.sent):
        guard isAsked, !isAuthenticated else { continue }
        isAuthenticated = true
        log.passed("auth", "the relay asked for it and did not refuse it")
      case .ended(let outcome, let hasOpened):
        if case .accepted = outcome {
          if !isAsked { log.passed("auth", "not asked for", isInstant: true) }
          log.passed("publish", "the relay took an event that expires in \(Self.probeLifeSeconds / 60) minutes")
          continue
        }
        let trouble = Self.trouble(outcome)
        guard hasOpened else { return log.failed("info", trouble) }
        // The relay may have the event although it did not confirm that.
        await clean(event, probe, content, url)
        guard trouble.cause != .authRequired || isAuthenticated, !isAsked || isAuthenticated else {
          return log.failed("auth", trouble)
        }
        if !isAsked { log.passed("auth", "not asked for", isInstant: true) }
        return log.failed("publish", trouble)
      }
    }
    await readBack(content, url, &log)
    await clean(event, probe, content, url)
  }

  private func readBack(_ content: ChannelContent, _ url: RelayURL, _ log: inout StepLog) async {
    for await sight in sights(of: .verify, content, nil, url) {
      guard case .ended(let outcome, _) = sight else { continue }
      switch outcome {
      case .verified:
        log.passed("readBack", "an anonymous reader gets the event")
        log.passed("verify", "id, signature and author are right")
      case .misbehaved(let trouble) where trouble.cause == .wrongIdentity:
        log.passed("readBack", "an anonymous reader gets an event")
        log.failed("verify", trouble)
      default: log.failed("readBack", Self.trouble(outcome))
      }
    }
  }

  /// Asks for the deletion of the probe. A relay that does not delete is equally good for channels, and the probe expires.
  private func clean(_ event: NostrEvent, _ probe: SecretKey, _ content: ChannelContent, _ url: RelayURL) async {
    let tags = [["e", event.id], ["k", "\(PublicChannel.creationKind)"]]
    guard let deletion = NostrEvent(signedBy: probe, createdAt: now(), kind: 5, tags: tags, content: "") else { return }
    // This is a separate task, because the event must go even if the caller is gone. The session's timers limit it.
    await Task { for await _ in sights(of: .withdraw, content, deletion, url, probe) {} }.value
  }

  // MARK: - Sessions

  private enum Sight: Sendable {
    case seen(SessionSight)
    case ended(RelayOutcome, hasOpened: Bool)
  }

  /// One operation through its own session, as channels use it. The session ends with the stream.
  private func sights(
    of task: RelayOperation.Task, _ content: ChannelContent, _ event: NostrEvent?, _ url: RelayURL,
    _ probe: SecretKey? = nil
  ) -> AsyncStream<Sight> {
    let operation = RelayOperation(
      task: task, channel: Self.channel, relay: Self.relay, address: url.text, number: 1, content: content)
    let item = SessionOperation(operation: operation, events: event.map { [OutgoingEvent($0)] } ?? [])
    let logger = Logger(label: "baton.nostr.test") { _ in SwiftLogNoOpLogHandler() }
    return AsyncStream { continuation in
      // This is touched only on the event loop.
      let hasOpened = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: eventLoop)
      let report: @Sendable (NetworkReport) -> Void = {
        guard case .outcome(_, _, _, let outcome) = $0, outcome.isFinal else { return }
        continuation.yield(.ended(outcome, hasOpened: hasOpened.value))
        continuation.finish()
      }
      let watch: @Sendable (SessionSight) -> Void = {
        if case .opened = $0 { hasOpened.value = true }
        continuation.yield(.seen($0))
      }
      if task == .verify {
        let session = RelaySession(
          machine: ReaderMachine(
            relay: Self.relay, limits: limits, salt: 0, prefix: "t\(UInt32.random(in: 0 ... .max))-"),
          lines: lines, logger: logger, sign: nil, now: now, report: report, watch: watch)
        continuation.onTermination = { _ in _ = session.end() }
        session.feed(.submitted(item))
      } else {
        let key = key ?? probe
        let session = RelaySession(
          machine: PublisherMachine(address: url.text, limits: limits, salt: 0), lines: lines, logger: logger,
          sign: { kind, tags, content, _, createdAt in
            key.flatMap { NostrEvent(signedBy: $0, createdAt: createdAt, kind: kind, tags: tags, content: content) }
          }, now: now, report: report, watch: watch)
        continuation.onTermination = { _ in _ = session.end() }
        session.feed(.submitted(item))
      }
    }
  }

  private static func trouble(_ outcome: RelayOutcome) -> Trouble {
    switch outcome {
    case .refused(let trouble), .misbehaved(let trouble), .troubled(let trouble, _): trouble
    case .missing: Trouble(.missing, "the relay took the event but does not serve it")
    case .handedOver, .accepted, .verified, .withdrawn, .announced: Trouble(.protocol, "unexpected outcome")
    }
  }

  private static func words(_ information: RelayInformation?) -> String {
    guard let information else { return "no NIP-11 document" }
    let nips = information.supportedNIPs.map(String.init).joined(separator: " ")
    let name = information.name ?? information.software ?? "unnamed"
    return "\(name); NIPs \(nips.isEmpty ? "not listed" : nips)\(information.requiresAuthentication ? "; demands AUTH" : "")"
  }
}

/// Waits for the end of a TLS handshake.
private final class HandshakeWaiter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let url: RelayURL
  private let promise: EventLoopPromise<Void>

  init(url: RelayURL, promise: EventLoopPromise<Void>) {
    self.url = url
    self.promise = promise
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted = event { promise.succeed() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(PeerFailure(RelayDialer.failure(error, url).trouble))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(PeerFailure(.unreachable, "the server closed the connection during the TLS handshake"))
    context.fireChannelInactive()
  }
}
