internal import Channels
internal import RelayNetwork
internal import Storage

extension Engine {
  /// An input of the engine.
  enum Input: Sendable {
    case report(NetworkReport)
    case timersDue
    case create(NewChannel, Reply<ChannelSnapshot>)
    case retry(ChannelID, RelayID?, Reply<ChannelSnapshot>)
    case verify(ChannelID, Reply<ChannelSnapshot>)
    case delete(ChannelID, Reply<ChannelSnapshot>)
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
    /// Go on forgetting the part of the history that is too old or too large.
    case forgetHistory
    case addIdentity(IdentityRow, IdentityKey, Reply<IdentityRow>)
    case removeIdentity(IdentityID, Reply<IdentityRow>)
    case adopt(Rules, Reply<Void>)
    /// Answers once something was written, or could not be.
    case heartbeat(Reply<Void>)
    /// Answers once everything before it is done.
    case barrier(Reply<Void>)

    /// Whether it is the alarm that the engine set.
    var isWaking: Bool { if case .timersDue = self { true } else { false } }

    /// The channel that it names, and that must be awake for it.
    var channel: ChannelID? {
      switch self {
      case .report(let report): report.channel
      case .retry(let id, _, _), .verify(let id, _), .delete(let id, _), .joinRelays(let id, _, _, _),
        .leaveRelay(let id, _, _), .update(let id, _, _):
        id
      case .timersDue, .create, .change, .tested, .sweep, .verifyChannels, .forgetHistory, .addIdentity, .removeIdentity,
        .adopt,
        .heartbeat, .barrier:
        nil
      }
    }
  }
}

extension NetworkReport {
  /// The channel that it is about.
  fileprivate var channel: ChannelID? {
    switch self {
    case .outcome(let id, _, _, _), .named(let id, _, _), .stray(let id, _, _), .lost(let id, _, _): id
    case .relayUp, .relayDown, .state: nil
    }
  }
}

/// A channel that is ready to be stored.
struct NewChannel: Sendable {
  let request: ChannelRequest
  let profile: Profile
  let network: NetworkKind
  let relays: [RelayID]
  /// Whether the daemon chose the relays.
  let isPicked: Bool
  let content: ChannelContent
}

/// Where the answer to a request goes, exactly once.
struct Reply<Value: Sendable>: Sendable {
  let send: @Sendable (Result<Value, BatonError>) -> Void
}
