public import Channels
internal import Dialing
public import Logging
internal import NIOConcurrencyHelpers
public import NIOCore
internal import NIOPosix
public import RelayNetwork
public import Secrets

/// NIP-28 public channels on Nostr relays.
///
/// Three kinds of sessions per relay: one per identity that publishes, an anonymous one that reads back and watches, and an anonymous one
/// that follows channels. Each has its own connection where the relay allows that.
public final class NostrNetwork: RelayNetwork {
  public let kind = NetworkKind.nostr

  private struct State {
    var keys: [IdentityID: SecretKey] = [:]
    var publishers: [Publisher: RelaySession<PublisherMachine>] = [:]
    var readers: [RelayID: Reader] = [:]
    var followers: [RelayID: Follower] = [:]
    /// The number of sessions that followed channels since the start.
    var followerCount = 0
    /// The lines to relays, by address.
    var lines: [String: RelayLines] = [:]
    /// NIP-11 documents that were requested recently, by address.
    var documents: [String: Document] = [:]
    /// Addresses that were read before, by their text.
    var urls: [String: RelayURL] = [:]
    /// Profiles that were signed recently, by the id of the event that they repeat: each goes to all relays of its channel.
    var profiles: [String: NostrEvent] = [:]
    /// The limits that relays declare for the sizes and dates of events, and when they were asked, by address.
    var eventLimits: [String: KnownLimits] = [:]
    /// The ids of posts that were composed lately.
    var composed: Set<String> = []
    var isOver = false
  }
  private struct Document {
    let askedAt: NIODeadline
    let answer: EventLoopFuture<RelayInformation?>
  }
  private struct KnownLimits {
    let askedAt: NIODeadline
    /// `nil` until the relay has declared its limits.
    var limits: EventLimits?
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

  private struct Follower {
    let address: String
    /// Names the session in the numbers of its batches.
    let number: Int
    let session: RelaySession<FollowerMachine>
  }

  let group: any EventLoopGroup
  let dialer: RelayDialer
  /// The time for which a relay's NIP-11 document counts as current, and the number of documents that are kept.
  private static let documentLife = TimeAmount.seconds(60)
  private static let documentsMax = 1_000
  /// The time for which a relay is not asked again which events it accepts, and the number of relays of which that is known.
  private static let eventLimitsLife = TimeAmount.hours(1)
  private static let eventLimitsMax = 1_000
  private static let composedMax = 10_000
  private static let profilesMax = 1_000
  private static let urlsMax = 10_000
  /// The bits of a batch's number that count the batches of one session. The other bits name the session.
  private static let batchBits = 40
  private let lookup = HostLookup()
  let limits: NostrLimits
  let logger: Logger
  /// The servers for files, best first.
  let fileServers: [FileServer]
  /// Whether anything may be published at this very moment.
  private let mayPublish: @Sendable () -> Bool
  /// Unix time in seconds, for events that are signed when they are sent.
  let now: @Sendable () -> Int64
  private let state = NIOLockedValueBox(State())
  private let reports = ReportBuffer<NetworkReport>()
  /// The dates that relays accept, and the latest that were given.
  let dates = NIOLockedValueBox(KnownDates())
  /// The channels that are followed.
  let followed = NIOLockedValueBox<[ChannelID: FollowedChannel]>([:])

  /// - Parameters:
  ///   - trustRoots: a PEM file with certificate authorities to trust, or `nil` to trust the system's.
  ///   - fileServers: where files of posts are uploaded to, best first.
  ///   - mayPublish: whether anything may be published at this very moment.
  ///   - now: Unix time in seconds.
  /// - Throws: an error if the TLS context cannot be created, for example because `trustRoots` cannot be read.
  public init(
    group: any EventLoopGroup, limits: NostrLimits = NostrLimits(), trustRoots: String? = nil, fileServers: [FileServer] = [],
    logger: Logger, mayPublish: @escaping @Sendable () -> Bool = { true }, now: @escaping @Sendable () -> Int64
  ) throws {
    self.group = group
    self.limits = limits
    self.fileServers = fileServers
    self.logger = logger
    self.mayPublish = mayPublish
    self.now = now
    dialer = RelayDialer(tls: try WebTLS(trustRoots: trustRoots), limits: limits)
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

  public func makeIdentity(secret: Secret?) throws(NetworkFailure) -> IdentityKey {
    let key: SecretKey
    if let secret {
      do { key = try SecretKey(secret) } catch { throw NetworkFailure("the secret key is not a valid Nostr key") }
    } else {
      key = .random()
    }
    return IdentityKey(publicName: key.publicKey, secret: key.secret)
  }

  public func secret(from text: String) throws(NetworkFailure) -> Secret {
    let text = HumanText.line(text)
    if let bytes = Hex.decode(text.lowercased(), count: 32) { return Secret(bytes) }
    if case .nsec(let secret)? = try? NIP19(text) { return Secret(secret) }
    throw NetworkFailure("it is neither an nsec nor 64 hexadecimal digits")
  }

  public func unlock(_ identity: IdentityID, key: IdentityKey) {
    guard let secret = try? SecretKey(key.secret) else { return }
    state.withLockedValue { $0.keys[identity] = secret }
    followAgain(identity)
  }

  public func cancel(_ channel: ChannelID, at relay: RelayID) {
    for session in publishers(on: relay) { session.feed(.cancelled(channel)) }
  }

  public func abandon(_ slots: SlotSet) async {
    let fed = state.withLockedValue { state in state.publishers.values.map { $0.fed(.abandoned(slots)) } }
    for one in fed { try? await one.get() }
  }

  public func watch(_ relays: [RelayID: String]) {
    let unwatched = state.withLockedValue { state in state.readers.filter { relays[$0.key] == nil }.map(\.value.session) }
    for session in unwatched { session.feed(.watched(false)) }
    for (relay, address) in relays { reader(relay, address)?.feed(.watched(true)) }
  }

  public func run(report: @escaping @Sendable (NetworkReport) -> Void) async {
    reports.start(report)
    let (forever, keepAlive) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    _ = keepAlive
    let ends = state.withLockedValue { state in
      state.isOver = true
      let ends =
        state.publishers.values.map { $0.end() } + state.readers.values.map { $0.session.end() }
        + state.followers.values.map { $0.session.end() }
      (state.publishers, state.readers, state.followers) = ([:], [:], [:])
      return ends
    }
    for end in ends { try? await end.get() }
  }

  public func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep> {
    guard let url = try? RelayURL(address.text) else { return AsyncStream { $0.finish() } }
    let (key, mine) = state.withLockedValue { state in (state.keys[identity], lines(to: url, &state)) }
    let test = RelayTest(dialer: dialer, lookup: lookup, lines: mine, limits: limits, key: key, now: now)
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

  /// The key that signs a channel: its own, which is derived each time and not kept, or its identity's.
  func key(of content: ChannelContent) -> SecretKey? {
    guard let identity = key(of: content.identity), let salt = content.keySalt else { return key(of: content.identity) }
    // Events signed by any other key than the one that readers know would belong to no one.
    guard let own = identity.channelKey(salt: salt), own.publicKey == content.trustAnchor else { return nil }
    return own
  }

  /// Returns a relay's description of itself (NIP-11), requested now and then, however many callers there are, or `nil` if it does not
  /// answer in time.
  func document(of url: RelayURL) -> EventLoopFuture<RelayInformation?> {
    let now = NIODeadline.now()
    return state.withLockedValue { state in
      if let known = state.documents[url.text], now - known.askedAt < Self.documentLife { return known.answer }
      let answer = dialer.information(of: url, within: limits.informationTimeout, on: group.next())
      state.documents.remember(Document(askedAt: now, answer: answer), for: url.text, max: Self.documentsMax)
      return answer
    }
  }

  /// The profile that repeats the event `id`: the one signed before, or else the one that `sign` makes.
  func knownProfile(of id: String, sign: () -> NostrEvent?) -> NostrEvent? {
    if let known = state.withLockedValue({ $0.profiles[id] }) { return known }
    guard let profile = sign() else { return nil }
    state.withLockedValue { $0.profiles.remember(profile, for: id, max: Self.profilesMax) }
    return profile
  }

  /// The sizes of events that a relay declares to accept, or `nil` until they are known. Unknown sizes are requested, and no one waits.
  func eventLimits(of address: String) -> EventLimits? {
    guard let url = url(of: address) else { return nil }
    let now = NIODeadline.now()
    let (known, isDue) = state.withLockedValue { state -> (EventLimits?, Bool) in
      let known = state.eventLimits[url.text]
      if let known, now - known.askedAt < Self.eventLimitsLife { return (known.limits, false) }
      state.eventLimits.remember(KnownLimits(askedAt: now, limits: known?.limits), for: url.text, max: Self.eventLimitsMax)
      return (known?.limits, true)
    }
    if isDue {
      document(of: url).whenSuccess { [weak self] information in
        guard let limits = information?.limits else { return }
        self?.state.withLockedValue { $0.eventLimits[url.text]?.limits = limits }
      }
    }
    return known
  }

  /// The same as far as it is known by now, without a request.
  func knownEventLimits(of url: RelayURL) -> EventLimits? { state.withLockedValue { $0.eventLimits[url.text]?.limits } }

  /// Notes the id of a new post.
  /// - Returns: false if another post was composed lately that has it.
  func isNew(_ id: String) -> Bool {
    state.withLockedValue { state in
      if state.composed.count >= Self.composedMax { state.composed = [] }
      return state.composed.insert(id).inserted
    }
  }

  func url(of address: String) -> RelayURL? {
    if let known = state.withLockedValue({ $0.urls[address] }) { return known }
    guard let url = try? RelayURL(address) else { return nil }
    state.withLockedValue { $0.urls.remember(url, for: address, max: Self.urlsMax) }
    return url
  }

  /// The session that publishes for an identity on a relay, or `nil` if the address does not belong to Nostr, or the network has ended.
  func publisher(
    _ relay: RelayID, _ address: String, _ identity: IdentityID
  ) -> RelaySession<PublisherMachine>? {
    guard let url = url(of: address) else { return nil }
    let name = Publisher(relay: relay, address: url.text, identity: identity)
    return state.withLockedValue { state in
      guard !state.isOver else { return nil }
      if let session = state.publishers[name] { return session }
      let key = state.keys[identity]
      let session = RelaySession(
        machine: PublisherMachine(address: url.text, limits: limits, salt: salt(relay)),
        lines: lines(to: url, &state), logger: logger,
        sign: { kind, tags, content, author, createdAt in
          var signer = key
          if let salt = author?.keySalt { signer = key?.channelKey(salt: salt) }
          return signer.flatMap {
            NostrEvent(signedBy: $0, createdAt: createdAt, kind: kind, tags: tags, content: content)
          }
        },
        now: now, halt: { [mayPublish] in mayPublish() ? nil : .abandoned(.all) },
        dates: RelayDates(
          ahead: { [weak self] in self?.aheadMax(at: [url.text]) ?? 0 },
          refused: { [weak self] in self?.learn($0, $1, $2, of: url) }),
        report: { [weak self] in self?.report($0) })
      state.publishers[name] = session
      return session
    }
  }

  func reader(_ relay: RelayID, _ address: String) -> RelaySession<ReaderMachine>? {
    guard let url = url(of: address) else { return nil }
    return state.withLockedValue { state in
      guard !state.isOver else { return nil }
      if let reader = state.readers[relay] {
        if reader.address == url.text { return reader.session }
        // The relay moved, so sessions at its old address must no longer report for it.
        _ = reader.session.end()
        for name in state.publishers.keys where name.relay == relay && name.address != url.text {
          _ = state.publishers.removeValue(forKey: name)?.end()
        }
      }
      let session = RelaySession(
        machine: ReaderMachine(relay: relay, limits: limits, salt: salt(relay) &+ 1), lines: lines(to: url, &state),
        logger: logger, sign: nil, now: now, report: { [weak self] in self?.report($0) })
      state.readers[relay] = Reader(address: url.text, session: session)
      return session
    }
  }

  /// The session that follows channels on a relay, or `nil` as of `reader`.
  func follower(_ relay: RelayID, _ address: String) -> RelaySession<FollowerMachine>? {
    guard let url = url(of: address) else { return nil }
    return state.withLockedValue { state in
      guard !state.isOver else { return nil }
      if let follower = state.followers[relay] {
        if follower.address == url.text { return follower.session }
        _ = follower.session.end()
      }
      state.followerCount += 1
      let number = state.followerCount
      let machine = FollowerMachine(relay: relay, limits: limits, salt: salt(relay) &+ 2, batch: number << Self.batchBits)
      let session = RelaySession(
        machine: machine, lines: lines(to: url, &state), logger: logger, sign: nil, now: now,
        report: { [weak self] in self?.reportRead($0) })
      state.followers[relay] = Follower(address: url.text, number: number, session: session)
      return session
    }
  }

  /// The session that follows channels on a relay, if there is one.
  func follower(_ relay: RelayID) -> RelaySession<FollowerMachine>? { state.withLockedValue { $0.followers[relay]?.session } }

  /// The session that reported a batch, or `nil` if it has ended.
  func follower(of batch: MessageBatch.ID) -> RelaySession<FollowerMachine>? {
    let number = batch.number >> Self.batchBits
    return state.withLockedValue { state in state.followers.values.first { $0.number == number }?.session }
  }

  /// The lines to a relay, or `nil` if the network has ended, or the address does not belong to Nostr.
  func lines(to address: String) -> RelayLines? {
    guard let url = url(of: address) else { return nil }
    return state.withLockedValue { state in state.isOver ? nil : lines(to: url, &state) }
  }

  private func lines(to url: RelayURL, _ state: inout State) -> RelayLines {
    if let lines = state.lines[url.text] { return lines }
    let lines = RelayLines(url: url, dialer: dialer, eventLoop: group.next()) { [weak self] count in
      self?.unreadable(count, at: url.text)
    }
    state.lines[url.text] = lines
    return lines
  }

  /// Reports unusable messages, if they are from a relay that channels are read at.
  private func unreadable(_ count: Int, at address: String) {
    let relay = state.withLockedValue { state in
      state.readers.first { $0.value.address == address }?.key ?? state.followers.first { $0.value.address == address }?.key
    }
    if let relay { report(.unreadable(relay, count: count)) }
  }

  private func salt(_ relay: RelayID) -> UInt64 { UInt64(bitPattern: relay.rawValue) &* 0x9E37_79B9_7F4A_7C15 }

  /// Reports that an operation has no session.
  func invalid(_ item: SessionOperation) {
    // The network has ended and performs no operations. The next start resumes this one.
    if state.withLockedValue({ $0.isOver }) { return }
    report(item.report(.misbehaved(Trouble(.protocol, "the relay's address is not one of Nostr"))))
  }

  /// The sessions that publish on a relay, for any identity.
  func publishers(on relay: RelayID) -> [RelaySession<PublisherMachine>] {
    state.withLockedValue { state in state.publishers.filter { $0.key.relay == relay }.map(\.value) }
  }

  func report(_ what: NetworkReport) { reports.add(what) }
}
