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
    /// Stop reading a followed channel.
    case unfollow(ChannelID, Reply<ChannelSnapshot>)
    /// Add these relays, and `pick` more that the daemon chooses.
    case joinRelays(ChannelID, [RelayID], pick: Int, Reply<ChannelSnapshot>)
    case leaveRelay(ChannelID, RelayID, Reply<ChannelSnapshot>)
    case update(ChannelID, ChannelEdit, Reply<ChannelSnapshot>)
    /// A change of operators, servers and relays; `force` allows it even if it adds errors or channels lose something.
    case change(CatalogChange, force: Bool, Reply<CatalogObject?>)
    /// A test ended. It has a reply if a person asked for it.
    /// - address: the address that was tested. A result for an outdated address does not count.
    case tested(Probed, address: String, ProbeVerdict, Reply<Void>?)
    /// Pass the event to the channels that have `relay` in `status`, beginning after `after`.
    case sweep(RelayID, RelayStatus, ChannelRelayMachine.Event, after: ChannelID?)
    /// Ask a relay for at most `atMost` channels that are due to be read back.
    case verifyChannels(RelayID, atMost: Int)
    /// A channel has put an edition on a relay that keeps one per author: find the channel whose edition it replaced.
    case lookForNeighbour(of: ChannelID, IdentityID, RelayID)
    /// Continue to forget the part of the history that is too old or too large.
    case forgetHistory
    case addIdentity(IdentityRow, IdentityKey, Reply<IdentityRow>)
    case removeIdentity(IdentityID, Reply<IdentityRow>)
    case adopt(Rules, Reply<Void>)
    /// Answers once a write succeeded or failed.
    case heartbeat(Reply<Void>)
    /// Answers once everything before it is done.
    case barrier(Reply<Void>)
    /// Resume channels that were unfinished when the daemon last stopped, or when another daemon lost them.
    case takeUp([ChannelID])
    /// The catalog as the daemon in charge of it has stored it, if daemons share a store.
    case catalogRead(StoredCatalog)
    /// Networks that were stopped from sending may send again: unfinished operations begin again.
    case resumed
    /// Act for the channels in these slots, which belong to no other daemon any longer.
    case gained(SlotSet)
    /// The same for slots that were gained while nothing could be read.
    case gainedBefore
    /// Stop acting for the channels in these slots. Answers once everything before is durable.
    case lost(SlotSet, Reply<Void>)

    // `Decider.unfold` replaces `timersDue` by these.

    case alarm(Alarm)
    /// Read channels again whose reading or storing failed, and store objects that storage did not accept.
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

    /// Answers a request that is no longer decided.
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

    /// The channels that it concerns, and that must be awake for it.
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
  /// Whether Baton owns the channel. A followed channel is only read, from `relays`.
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

  /// The preferences as they are stored. The owner of a followed channel decides about them. A plain `nil` would be JSON's null.
  var preferences: JSONValue? { isOwned ? request.completePreferences : .none }

  /// The channel's name on its network.
  var name: ChannelName { ChannelName(network: network, networkID: content.networkID) }
}

/// Sends the answer to a request exactly once. A reply equals only itself.
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
