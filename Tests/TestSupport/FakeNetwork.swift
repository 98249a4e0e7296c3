public import Channels
public import RelayNetwork
public import Secrets
internal import Synchronization

/// A network inside the process: a small world of relays that answers as it is told and refuses what no network may be asked.
public final class FakeNetwork: RelayNetwork {
  /// The behaviour of a relay.
  public enum Behaviour: Sendable {
    /// `away`: the relay cannot be reached, but keeps what it has. `limited`: it works, and lets no one read for now.
    case works, silent, unreachable, refuses, loses, away, limited
  }

  private struct State {
    var report: (@Sendable (NetworkReport) -> Void)?
    var early: [NetworkReport] = []
    var behaviours: [String: Behaviour] = [:]
    /// Channels that each relay has, with how often each was handed over.
    var stored: [String: Set<String>] = [:]
    var invitations: [String: Int] = [:]
    var violations: [String] = []
    var withdrawn: Set<String> = []
    /// The newest edition that each place has accepted.
    var editions: [String: String] = [:]
    /// Addresses that refuse editions.
    var refusingEditions: Set<String> = []
    /// Addresses that keep one edition of all channels that share a key, with the channel that it is of.
    var keepingOne: [String: String] = [:]
    /// Editions that were replaced there: "place document".
    var gone: Set<String> = []
    var performed = 0
    var nextID = 0
    var keys = 0
    var watched: [RelayID: String] = [:]
    var tests: [Test] = []
    var silentTests = 0
    var abandoned: [SlotSet] = []
  }

  /// What it was told to send nothing more for.
  public var abandoned: [SlotSet] { state.withLock { $0.abandoned } }

  /// A test that was requested.
  public struct Test: Hashable, Sendable {
    public let address: String
    public let isFull: Bool
  }
  public let kind = NetworkKind.nostr
  public let takesRemovedRelaysAgain: Bool
  /// What its relays do with posts.
  public let posts = FakePosts()
  /// What it was asked to read.
  public let following = FakeFollowing()
  private let state = Mutex(State())

  private let keepsKeys: Bool
  public let readsAsMember: Bool

  /// - Parameters:
  ///   - takesRemovedRelaysAgain: whether relays forget that they were told to delete a channel.
  ///   - keepsKeys: whether the network has one identity, whose key it keeps to itself.
  ///   - readsAsMember: whether channels of others are joined.
  public init(takesRemovedRelaysAgain: Bool = false, keepsKeys: Bool = false, readsAsMember: Bool = false) {
    self.readsAsMember = readsAsMember
    self.takesRemovedRelaysAgain = takesRemovedRelaysAgain
    self.keepsKeys = keepsKeys
  }

  public func set(_ behaviour: Behaviour, at address: String) { state.withLock { $0.behaviours[address] = behaviour } }
  func behaviour(at address: String) -> Behaviour { state.withLock { $0.behaviours[address] ?? .works } }
  /// Takes over the relays of `earlier`, as after a restart of the daemon.
  public func adopt(_ earlier: FakeNetwork) {
    let (stored, editions) = earlier.state.withLock { ($0.stored, $0.editions) }
    state.withLock { ($0.stored, $0.editions) = (stored, editions) }
    posts.adopt(earlier.posts)
  }
  /// The relay loses everything that it has.
  public func forget(at address: String) { state.withLock { $0.stored[address] = [] } }
  /// The relay keeps its channels, and loses their later editions.
  public func forgetEditions(at address: String) {
    state.withLock { state in state.editions = state.editions.filter { !$0.key.hasSuffix(" at \(address)") } }
  }
  public func channels(at address: String) -> Set<String> { state.withLock { $0.stored[address] ?? [] } }
  /// The document of the newest edition of a channel that a relay accepted.
  public func edition(of networkID: String, at address: String) -> String? {
    state.withLock { $0.editions["\(networkID) at \(address)"] }
  }
  public func refuseEditions(at address: String, _ isRefusing: Bool = true) {
    state.withLock { state in
      if isRefusing { state.refusingEditions.insert(address) } else { state.refusingEditions.remove(address) }
    }
  }
  /// From now on the relay keeps one edition of all channels that share a key.
  public func keepOneEdition(at address: String) { state.withLock { $0.keepingOne[address] = "" } }
  /// Requests that must never be made of a network.
  public var violations: [String] { state.withLock { $0.violations } }
  public var tests: [Test] { state.withLock { $0.tests } }
  /// The number of tests that have begun and get no answer.
  public var silentTests: Int { state.withLock { $0.silentTests } }
  public var performed: Int { state.withLock { $0.performed } }
  /// Whether the reports of the network are read.
  public var isRunning: Bool { state.withLock { $0.report != nil } }

  public func relayWent(_ up: Bool, _ relay: RelayID) {
    send(up ? .relayUp(relay, roundTrip: .milliseconds(1)) : .relayDown(relay, Trouble(.unreachable, "connection refused")))
  }

  /// Reports an outcome by hand.
  public func send(_ report: NetworkReport) {
    let listener = state.withLock { state in
      if state.report == nil { state.early.append(report) }
      return state.report
    }
    listener?(report)
  }

  // MARK: - RelayNetwork

  public func parse(address: String) throws(InvalidAddress) -> RelayAddress {
    guard address.hasPrefix("ws://") else {
      throw InvalidAddress(address: PasswordEcho.hiding(address), reason: "it must start with ws://")
    }
    return RelayAddress(text: address, displayHost: String(address.dropFirst(5)))
  }

  public func makeIdentity(secret: Secret?) throws(NetworkFailure) -> IdentityKey {
    if keepsKeys { return IdentityKey(publicName: "its user", secret: Secret([UInt8]())) }
    let drawn = state.withLock { state in
      // The first one is always the same, the others differ.
      if secret == nil { state.keys += 1 }
      return [UInt8](repeating: state.keys < 2 ? 7 : UInt8(7 + state.keys), count: 32)
    }
    let secret = secret ?? Secret(drawn)
    let isFirst = secret.bytes == [UInt8](repeating: 7, count: 32)
    return IdentityKey(publicName: isFirst ? "key" : "key of \(secret.bytes)", secret: secret)
  }

  public func secret(from text: String) throws(NetworkFailure) -> Secret {
    guard text.hasPrefix("key") else { throw NetworkFailure("it is no key") }
    return Secret(text.utf8)
  }

  public func lock(_ identity: IdentityID) {}
  public func unlock(_ identity: IdentityID, key: IdentityKey) {}

  public func prepare(_ draft: ChannelDraft) throws(NetworkFailure) -> ChannelContent {
    let id = state.withLock { state in
      state.nextID += 1
      return "event\(state.nextID)-\(draft.profile.displayName)"
    }
    return ChannelContent(
      kind: draft.kind, identity: draft.identity, networkID: id, trustAnchor: "key", document: draft.profile.displayName,
      keySalt: draft.key == .own ? Array(id.utf8) : nil)
  }

  /// Unix time in seconds from which on editions are dated too far ahead.
  public static let farAhead: Int64 = 1_000_000

  public func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition {
    let document = "\(draft.profile.displayName) on \(draft.relays.joined(separator: " "))"
    // No relay accepts an event dated so far ahead.
    if let stray = draft.stray, stray.signedAt >= Self.farAhead { throw NetworkFailure("it is dated too far ahead") }
    return ChannelEdition(
      networkID: "edition\(content.edition + 1)", document: document,
      signedAt: max(content.newestEdition?.signedAt ?? 0, draft.stray?.signedAt ?? 0) + 1)
  }

  public func link(of content: ChannelContent, activeRelays: [String]) -> String {
    "fake:\(content.networkID)?\(activeRelays.joined(separator: ","))"
  }

  public func cancel(_ channel: ChannelID, at relay: RelayID) {}
  public func abandon(_ slots: SlotSet) async { state.withLock { $0.abandoned.append(slots) } }
  public func watch(_ relays: [RelayID: String]) { state.withLock { $0.watched = relays } }

  public func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep> {
    let behaviour = state.withLock { state in
      state.tests.append(Test(address: address.text, isFull: depth == .full))
      return state.behaviours[address.text] ?? .works
    }
    return AsyncStream { continuation in
      switch behaviour {
      case .works, .limited:
        continuation.yield(ProbeStep(name: "connect", duration: .milliseconds(7)))
        let description = PeerDescription(name: "fake", capabilities: ["nip1"])
        continuation.yield(ProbeStep(name: "info", duration: .milliseconds(1), selfDescription: description))
      case .silent:
        // It lasts until the caller gives up.
        state.withLock { $0.silentTests += 1 }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.silentTests -= 1 } }
        return
      case .refuses:
        continuation.yield(ProbeStep(name: "connect", duration: .milliseconds(7)))
        continuation.yield(ProbeStep(name: "publish", duration: .milliseconds(1), failure: Trouble(.rejected, "blocked")))
      case .unreachable, .loses, .away:
        continuation.yield(
          ProbeStep(name: "connect", duration: .milliseconds(1), failure: Trouble(.unreachable, "refused")))
      }
      continuation.finish()
    }
  }

  public func run(report: @escaping @Sendable (NetworkReport) -> Void) async {
    state.withLock { state in
      for early in state.early { report(early) }
      state.early = []
      state.report = report
    }
    let (forever, keepAlive) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    _ = keepAlive
  }

  public func perform(_ operation: RelayOperation) {
    let outcomes = state.withLock { state -> [RelayOutcome] in
      state.performed += 1
      if takesRemovedRelaysAgain, operation.task == .invite {
        state.withdrawn.remove("\(operation.content.networkID) at \(operation.address)")
      }
      return Self.answer(operation, &state)
    }
    for outcome in outcomes {
      send(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome))
    }
  }

  private static func answer(_ operation: RelayOperation, _ state: inout State) -> [RelayOutcome] {
    let (address, id) = (operation.address, operation.content.networkID)
    let place = "\(id) at \(address)"
    if operation.task == .invite {
      state.invitations[place, default: 0] += 1
      if state.withdrawn.contains(place) { state.violations.append("\(place) was invited after its removal") }
    }
    if operation.task == .withdraw { state.withdrawn.insert(place) }
    if operation.task == .announce, state.withdrawn.contains(place) {
      state.violations.append("\(place) got an edition after its removal")
    }
    switch (state.behaviours[address] ?? .works, operation.task) {
    case (.silent, _): return []
    case (.unreachable, _), (.away, _): return [.troubled(Trouble(.unreachable, "connection refused"), retryAfter: nil)]
    case (.refuses, .invite): return [.handedOver, .refused(Trouble(.rejected, "blocked: no"))]
    case (.loses, .invite): return [.handedOver, .accepted(link: address)]
    case (.limited, .verify): return [.troubled(Trouble(.rateLimited, "rate-limited: slow down"), retryAfter: .seconds(30))]
    case (.works, .invite), (.limited, .invite):
      state.stored[address, default: []].insert(id)
      return [.handedOver, .accepted(link: address)]
    case (.refuses, .announce): return [.refused(Trouble(.rejected, "blocked: no"))]
    case (.loses, .announce): return [.announced]
    case (.works, .announce), (.limited, .announce):
      if state.refusingEditions.contains(address) { return [.refused(Trouble(.rejected, "blocked: no editions here"))] }
      let document = operation.content.newestEdition?.document ?? ""
      if operation.content.sharesKey, let holder = state.keepingOne[address], holder != id {
        if state.gone.contains("\(place) \(document)") {
          return [.refused(Trouble(.onePerAuthor, "replaced: have newer event"))]
        }
        if let other = state.editions.removeValue(forKey: "\(holder) at \(address)") {
          state.gone.insert("\(holder) at \(address) \(other)")
        }
        state.keepingOne[address] = id
      }
      state.editions[place] = document
      return [.announced]
    case (_, .verify):
      guard state.stored[address]?.contains(id) == true else { return [.missing] }
      let isCurrent = operation.content.newestEdition.map { $0.document == state.editions[place] } ?? true
      if isCurrent { return [.verified(edition: operation.content.edition)] }
      guard operation.content.sharesKey, let holder = state.keepingOne[address] else { return [.verified(edition: 1)] }
      let isGone = state.gone.contains("\(place) \(operation.content.newestEdition?.document ?? "")")
      return [.verified(edition: 1, others: holder.isEmpty || holder == id ? .none : isGone ? .newer : .older)]
    case (_, .withdraw):
      state.stored[address]?.remove(id)
      return [.withdrawn]
    }
  }
}
