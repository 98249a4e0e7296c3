public import Channels
internal import Dialing
public import Logging
internal import NIOConcurrencyHelpers
public import NIOCore
internal import NIOPosix
internal import NIOSSL
public import RelayNetwork

/// NIP-28 public channels on Nostr relays.
///
/// Two sessions per relay: one per identity that publishes, one anonymous that reads back and watches.
public final class NostrNetwork: RelayNetwork {
  public let kind = NetworkKind.nostr

  private struct State {
    var keys: [IdentityID: SecretKey] = [:]
    var publishers: [Publisher: RelaySession<PublisherMachine>] = [:]
    var readers: [RelayID: Reader] = [:]
    var report: (@Sendable (NetworkReport) -> Void)?
    /// What was to be reported before anybody listened.
    var unreported: [NetworkReport] = []
    var isOver = false
  }
  private struct Publisher: Hashable {
    let relay: RelayID
    let address: String
    let identity: IdentityID
  }
  private struct Reader {
    let address: String
    let session: RelaySession<ReaderMachine>
  }

  let group: any EventLoopGroup
  let dialer: RelayDialer
  private let lookup = HostLookup()
  private let limits: NostrLimits
  private let logger: Logger
  /// Unix time in seconds, for events that are signed when they are sent.
  let now: @Sendable () -> Int64
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - trustRoots: a PEM file with certificate authorities to trust; nil trusts the system's.
  ///   - now: Unix time in seconds.
  /// - Throws: when the TLS context cannot be made, for example because `trustRoots` cannot be read.
  public init(
    group: any EventLoopGroup, limits: NostrLimits = NostrLimits(), trustRoots: String? = nil, logger: Logger,
    now: @escaping @Sendable () -> Int64
  ) throws {
    self.group = group
    self.limits = limits
    self.logger = logger
    self.now = now
    var tls = TLSConfiguration.makeClientConfiguration()
    if let trustRoots { tls.trustRoots = .file(trustRoots) }
    tls.applicationProtocols = ["http/1.1"]
    dialer = RelayDialer(tls: try NIOSSLContext(configuration: tls), limits: limits)
  }

  public func lock(_ identity: IdentityID) {
    let sessions = state.withLockedValue { state in
      state.keys[identity] = nil
      let mine = state.publishers.filter { $0.key.identity == identity }
      for name in mine.keys { state.publishers[name] = nil }
      return Array(mine.values)
    }
    for session in sessions { _ = session.end() }
  }

  public func parse(address: String) throws(InvalidAddress) -> RelayAddress {
    try NostrAddressing().parse(address: address)
  }

  public func makeIdentity(secret: [UInt8]?) throws(NetworkFailure) -> IdentityKey {
    let key: SecretKey
    if let secret {
      do { key = try SecretKey(bytes: secret) } catch { throw NetworkFailure("the secret key is not a valid Nostr key") }
    } else {
      key = .random()
    }
    return IdentityKey(publicKey: key.publicKey, secret: key.bytes)
  }

  public func secret(from text: String) throws(NetworkFailure) -> [UInt8] {
    if let bytes = Hex.decode(text.lowercased(), count: 32) { return bytes }
    if case .nsec(let secret)? = try? NIP19(text) { return secret }
    throw NetworkFailure("it is neither an nsec nor 64 hexadecimal digits")
  }

  public func unlock(_ identity: IdentityID, key: IdentityKey) {
    guard let secret = try? SecretKey(bytes: key.secret) else { return }
    state.withLockedValue { $0.keys[identity] = secret }
  }

  public func cancel(_ channel: ChannelID, at relay: RelayID) {
    let sessions = state.withLockedValue { state in state.publishers.filter { $0.key.relay == relay }.map(\.value) }
    for session in sessions { session.feed(.cancelled(channel)) }
  }

  public func watch(_ relays: [RelayID: String]) {
    let unwatched = state.withLockedValue { state in state.readers.filter { relays[$0.key] == nil }.map(\.value.session) }
    for session in unwatched { session.feed(.watched(false)) }
    for (relay, address) in relays { reader(relay, address)?.feed(.watched(true)) }
  }

  public func run(report: @escaping @Sendable (NetworkReport) -> Void) async {
    state.withLockedValue { state in
      for what in state.unreported { report(what) }
      state.unreported = []
      state.report = report
    }
    let (forever, keepAlive) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    _ = keepAlive
    let ends = state.withLockedValue { state in
      state.isOver = true
      let ends = state.publishers.values.map { $0.end() } + state.readers.values.map { $0.session.end() }
      state.publishers = [:]
      state.readers = [:]
      return ends
    }
    for end in ends { try? await end.get() }
  }

  public func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep> {
    let key = state.withLockedValue { $0.keys[identity] }
    let test = RelayTest(
      dialer: dialer, lookup: lookup, eventLoop: group.next(), limits: limits, key: key, now: now)
    return AsyncStream { continuation in
      let task = Task {
        await test.run(address.text, depth) { continuation.yield($0) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: - Sessions

  func key(of identity: IdentityID) -> SecretKey? { state.withLockedValue { $0.keys[identity] } }

  func publisher(_ operation: RelayOperation) -> RelaySession<PublisherMachine>? {
    guard let url = try? RelayURL(operation.address) else { return nil }
    let name = Publisher(relay: operation.relay, address: url.text, identity: operation.content.identity)
    return state.withLockedValue { state in
      guard !state.isOver else { return nil }
      if let session = state.publishers[name] { return session }
      let key = state.keys[operation.content.identity]
      let now = now
      let session = RelaySession(
        machine: PublisherMachine(address: url.text, limits: limits, salt: salt(operation.relay)), url: url,
        dialer: dialer, eventLoop: group.next(), logger: logger,
        sign: { kind, tags, content in
          key.flatMap { NostrEvent(signedBy: $0, createdAt: now(), kind: kind, tags: tags, content: content) }
        },
        report: { [weak self] in self?.report($0) })
      state.publishers[name] = session
      return session
    }
  }

  func reader(_ relay: RelayID, _ address: String) -> RelaySession<ReaderMachine>? {
    guard let url = try? RelayURL(address) else { return nil }
    return state.withLockedValue { state in
      guard !state.isOver else { return nil }
      if let reader = state.readers[relay] {
        if reader.address == url.text { return reader.session }
        // The relay moved; what is left at its old address must not speak for it any more.
        _ = reader.session.end()
        for name in state.publishers.keys where name.relay == relay && name.address != url.text {
          _ = state.publishers.removeValue(forKey: name)?.end()
        }
      }
      let session = RelaySession(
        machine: ReaderMachine(relay: relay, limits: limits, salt: salt(relay) &+ 1), url: url, dialer: dialer,
        eventLoop: group.next(), logger: logger, sign: nil, report: { [weak self] in self?.report($0) })
      state.readers[relay] = Reader(address: url.text, session: session)
      return session
    }
  }

  private func salt(_ relay: RelayID) -> UInt64 { UInt64(bitPattern: relay.rawValue) &* 0x9E37_79B9_7F4A_7C15 }

  func invalid(_ operation: RelayOperation) {
    // Nothing is carried out any more: the next start takes the operation up again.
    if state.withLockedValue({ $0.isOver }) { return }
    report(operation, .misbehaved(Trouble(.protocol, "the relay's address is not one of Nostr")))
  }

  func report(_ operation: RelayOperation, _ outcome: RelayOutcome) {
    report(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome))
  }

  private func report(_ what: NetworkReport) {
    let report = state.withLockedValue { state in
      if state.report == nil { state.unreported.append(what) }
      return state.report
    }
    report?(what)
  }
}
