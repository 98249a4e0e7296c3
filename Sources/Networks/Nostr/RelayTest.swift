internal import Channels
internal import Logging
internal import NIOCore
internal import RelayNetwork

/// Tests a relay step by step with an event that expires: connect, info, publish (with AUTH where it is
/// demanded), readBack (with id, signature and author checked), cleanUp.
struct RelayTest: Sendable {
  let dialer: RelayDialer
  let eventLoop: any EventLoop
  let limits: NostrLimits
  let key: SecretKey?
  let now: @Sendable () -> Int64

  private static let channel = ChannelID(rawValue: 0)
  private static let relay = RelayID(rawValue: 0)

  /// Runs the steps until one fails.
  func run(_ address: String, _ yield: @Sendable (RelayTestStep) -> Void) async {
    guard let url = try? RelayURL(address) else { return }
    let clock = ContinuousClock()
    var started = clock.now
    func step(_ name: String, _ failure: Trouble? = nil, _ detail: String = "") {
      yield(
        RelayTestStep(name: name, duration: clock.now - started, failure: failure, detail: Trouble(.protocol, detail).detail))
      started = clock.now
    }

    do {
      try await dialer.dial(url, on: eventLoop) { _ in }.map { $0.hangUp() }.get()
      step("connect", nil, url.isSecure ? "TLS certificate is valid for \(url.host)" : "without TLS")
    } catch {
      return step("connect", (error as? DialFailure)?.trouble ?? Trouble(.unreachable, "\(error)"))
    }

    let information = try? await dialer.information(of: url, on: eventLoop).get()
    step("info", nil, Self.describe(information ?? nil))

    // The identity's own key, because a relay may take events of known authors only.
    let probe = key ?? .random()
    let expiry = now() + 600
    guard
      let event = NostrEvent(
        signedBy: probe, createdAt: now(), kind: PublicChannel.creationKind, tags: [["expiration", "\(expiry)"]],
        content: PublicChannel.content(name: "Baton relay test", about: "expires by itself", picture: "", relays: [url.text]))
    else { return }
    let content = ChannelContent(
      identity: IdentityID(rawValue: 0), networkID: event.id, author: event.publicKey, document: event.text)

    switch await outcome(.invite, content, event.id, event.text, url) {
    case .accepted: step("publish", nil, "the relay took an event")
    case let other: return step("publish", Self.trouble(other))
    }
    switch await outcome(.verify, content, event.id, "", url) {
    case .verified: step("readBack", nil, "a reader gets the event, unchanged")
    case let other: step("readBack", Self.trouble(other))
    }
    if let deletion = NostrEvent(
      signedBy: probe, createdAt: now(), kind: 5, tags: [["e", event.id], ["k", "\(PublicChannel.creationKind)"]], content: "")
    {
      switch await outcome(.withdraw, content, deletion.id, deletion.text, url) {
      case .withdrawn: step("cleanUp", nil, "the relay took the deletion")
      case let other: step("cleanUp", nil, "not deleted, will expire: \(Self.trouble(other).detail)")
      }
    }
  }

  /// One operation through a session of its own, as channels use it.
  private func outcome(
    _ task: RelayOperation.Task, _ content: ChannelContent, _ eventID: String, _ eventText: String, _ url: RelayURL
  ) async -> RelayOutcome {
    let operation = RelayOperation(
      task: task, channel: Self.channel, relay: Self.relay, address: url.text, number: 1, content: content)
    let (reports, continuation) = AsyncStream.makeStream(of: RelayOutcome.self)
    let report: @Sendable (NetworkReport) -> Void = {
      if case .outcome(_, _, _, let outcome) = $0, outcome.isFinal { continuation.yield(outcome) }
    }
    let item = SessionOperation(operation: operation, eventID: eventID, eventText: eventText)
    let end: () -> EventLoopFuture<Void>
    if task == .verify {
      let session = RelaySession(
        machine: ReaderMachine(relay: Self.relay, limits: limits, salt: 0), url: url, dialer: dialer,
        eventLoop: eventLoop, logger: .init(label: "baton.nostr.test") { _ in SwiftLogNoOpLogHandler() }, sign: nil,
        report: report)
      session.feed(.submitted(item))
      end = session.end
    } else {
      let key = key
      let now = now
      let session = RelaySession(
        machine: PublisherMachine(address: url.text, limits: limits, salt: 0), url: url, dialer: dialer,
        eventLoop: eventLoop, logger: .init(label: "baton.nostr.test") { _ in SwiftLogNoOpLogHandler() },
        sign: { challenge in
          key.flatMap {
            NostrEvent(
              signedBy: $0, createdAt: now(), kind: 22242, tags: [["relay", url.text], ["challenge", challenge]], content: "")
          }
        }, report: report)
      session.feed(.submitted(item))
      end = session.end
    }
    var result = RelayOutcome.troubled(Trouble(.timeout, "the test was cancelled"), retryAfter: nil)
    for await outcome in reports {
      result = outcome
      break
    }
    try? await end().get()
    return result
  }

  private static func trouble(_ outcome: RelayOutcome) -> Trouble {
    switch outcome {
    case .refused(let trouble), .misbehaved(let trouble), .troubled(let trouble, _): trouble
    case .missing: Trouble(.missing, "the relay took the event but does not serve it")
    case .handedOver, .accepted, .verified, .withdrawn: Trouble(.protocol, "unexpected outcome")
    }
  }

  private static func describe(_ information: RelayInformation?) -> String {
    guard let information else { return "no NIP-11 document" }
    let nips = information.supportedNIPs.map(String.init).joined(separator: " ")
    let name = information.name ?? information.software ?? "unnamed"
    return "\(name); NIPs \(nips.isEmpty ? "not listed" : nips)\(information.requiresAuthentication ? "; demands AUTH" : "")"
  }
}
