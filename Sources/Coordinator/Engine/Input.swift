internal import Channels
internal import RelayNetwork
internal import Storage
internal import StrictJSON

extension Engine {
  /// An input of the engine.
  enum Input: Sendable, Equatable {
    case report(NetworkReport)
    case timersDue
    case create(NewChannel, Reply<ChannelSnapshot>)
    case retry(ChannelID, RelayID?, Reply<ChannelSnapshot>)
    case verify(ChannelID, Reply<ChannelSnapshot>)
    case delete(ChannelID, Reply<ChannelSnapshot>)
    /// Read a channel of others no more.
    case unfollow(ChannelID, Reply<ChannelSnapshot>)
    /// Add these relays, and as many more as `pick`, which the daemon chooses.
    case joinRelays(ChannelID, [RelayID], pick: Int, Reply<ChannelSnapshot>)
    case leaveRelay(ChannelID, RelayID, Reply<ChannelSnapshot>)
    case update(ChannelID, ChannelEdit, Reply<ChannelSnapshot>)
    /// A change of operators, servers and relays; `force` allows it even if it adds errors or channels lose something.
    case change(CatalogChange, force: Bool, Reply<CatalogObject?>)
    /// A test ended; it has a reply if a person asked for it.
    /// - address: the address that was tested; a result for another than the present one does not count.
    case tested(Probed, address: String, ProbeVerdict, Reply<Void>?)
    /// Tell the channels that have `relay` in `status`, from the first after `after` on.
    case sweep(RelayID, RelayStatus, ChannelRelayMachine.Event, after: ChannelID?)
    /// Ask a relay for the channels that are due to be read back, at most `atMost` of them.
    case verifyChannels(RelayID, atMost: Int)
    /// A channel has put an edition on a relay that keeps one per author: look whose it took the place of.
    case lookForNeighbour(of: ChannelID, IdentityID, RelayID)
    /// Go on forgetting the part of the history that is too old or too large.
    case forgetHistory
    case addIdentity(IdentityRow, IdentityKey, Reply<IdentityRow>)
    case removeIdentity(IdentityID, Reply<IdentityRow>)
    case adopt(Rules, Reply<Void>)
    /// Answers once something was written, or could not be.
    case heartbeat(Reply<Void>)
    /// Answers once everything before it is done.
    case barrier(Reply<Void>)
    /// Take up channels that were unfinished when the daemon last stopped, or when the daemon that had them lost them.
    case takeUp([ChannelID])
    /// What the daemon that looks after the catalog has stored of it, where several share one store.
    case catalogRead(StoredCatalog)
    /// Networks were told to send nothing more, and may send again: what is under way begins again.
    case resumed
    /// Act for the channels in these slots from now on; no one else does any more.
    case gained(SlotSet)
    /// The same for slots that were gained while nothing could be read.
    case gainedBefore
    /// Act for the channels in these slots no more. It answers once everything before is durable.
    case lost(SlotSet, Reply<Void>)

    // What `timersDue` stands for (`Decider.unfold`).

    case alarm(Alarm)
    /// Read channels again that storage failed, and store what it did not take.
    case recover([ChannelID], [CatalogReference])

    /// Whether it is the alarm that the engine set.
    var isWaking: Bool { if case .timersDue = self { true } else { false } }

    /// Whether it must be decided alone, because it changes which channels other inputs may concern.
    var standsAlone: Bool {
      switch self {
      case .gained, .gainedBefore, .lost: true
      default: false
      }
    }

    /// Answers a request that is not decided any more.
    func refuse(_ error: BatonError) {
      switch self {
      case .create(_, let reply), .retry(_, _, let reply), .verify(_, let reply), .delete(_, let reply),
        .unfollow(_, let reply), .joinRelays(_, _, _, let reply), .leaveRelay(_, _, let reply), .update(_, _, let reply):
        reply.send(.failure(error))
      case .change(_, _, let reply): reply.send(.failure(error))
      case .addIdentity(_, _, let reply), .removeIdentity(_, let reply): reply.send(.failure(error))
      case .tested(_, _, _, let reply): reply?.send(.failure(error))
      case .adopt(_, let reply), .heartbeat(let reply), .barrier(let reply), .lost(_, let reply):
        reply.send(.failure(error))
      case .report, .timersDue, .sweep, .verifyChannels, .lookForNeighbour, .forgetHistory, .takeUp, .gained, .gainedBefore,
        .catalogRead, .resumed,
        .alarm,
        .recover:
        break
      }
    }

    /// Whether it is a report or request about one channel, which must be awake for it.
    func isAbout(_ id: ChannelID) -> Bool {
      switch self {
      case .alarm, .takeUp, .recover: false
      default: channels == [id]
      }
    }

    /// The name that it reports of a channel.
    var name: ReportedName? {
      guard case .report(.named(_, let networkID, let trustAnchor)) = self else { return nil }
      return ReportedName(networkID: networkID, trustAnchor: trustAnchor)
    }

    /// The channels that it names, and that must be awake for it.
    var channels: [ChannelID] {
      switch self {
      case .report(let report): report.channel.map { [$0] } ?? []
      case .retry(let id, _, _), .verify(let id, _), .delete(let id, _), .unfollow(let id, _),
        .joinRelays(let id, _, _, _),
        .leaveRelay(let id, _, _), .update(let id, _, _), .alarm(.channel(let id)):
        [id]
      case .takeUp(let ids), .recover(let ids, _): ids
      case .timersDue, .create, .change, .tested, .sweep, .verifyChannels, .lookForNeighbour, .forgetHistory, .addIdentity,
        .removeIdentity, .adopt, .heartbeat, .barrier, .gained, .gainedBefore, .catalogRead, .resumed, .lost,
        .alarm:
        []
      }
    }
  }
}

extension NetworkReport {
  /// The channel that it is about.
  fileprivate var channel: ChannelID? {
    switch self {
    case .outcome(let id, _, _, _), .named(let id, _, _), .stray(let id, _, _), .lost(let id, _, _): id
    case .relayUp, .relayDown, .unreadable, .state, .delivery, .compared, .read, .served, .synced, .searched: nil
    }
  }
}

/// A channel that is ready to be stored.
struct NewChannel: Hashable, Sendable {
  let request: ChannelRequest
  let profile: Profile
  let network: NetworkKind
  let relays: [RelayID]
  /// Whether the daemon chose the relays.
  let isPicked: Bool
  let content: ChannelContent
  /// Whether it is one of Baton's own channels; one of others is only read, from `relays`.
  let isOwned: Bool

  init(
    request: ChannelRequest, profile: Profile, network: NetworkKind, relays: [RelayID], isPicked: Bool,
    content: ChannelContent, isOwned: Bool = true
  ) {
    self.request = request
    self.profile = profile
    self.network = network
    self.relays = relays
    self.isPicked = isPicked
    self.content = content
    self.isOwned = isOwned
  }

  /// The preferences as they are stored; others decide about those of their channels. A plain `nil` would be JSON's null.
  var preferences: JSONValue? { isOwned ? request.completePreferences : .none }

  /// What it is called on its network.
  var name: ChannelName { ChannelName(network: network, networkID: content.networkID) }
}

/// Where the answer to a request goes, exactly once. It equals only itself.
struct Reply<Value: Sendable>: Sendable, Hashable {
  private final class Way: Sendable {
    let send: @Sendable (Result<Value, BatonError>) -> Void
    init(_ send: @escaping @Sendable (Result<Value, BatonError>) -> Void) { self.send = send }
  }
  private let way: Way

  init(_ send: @escaping @Sendable (Result<Value, BatonError>) -> Void) { way = Way(send) }

  func send(_ result: Result<Value, BatonError>) { way.send(result) }

  static func == (a: Self, b: Self) -> Bool { a.way === b.way }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(way)) }
}
