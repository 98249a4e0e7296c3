internal import Channels
internal import RelayNetwork
internal import Storage
internal import Synchronization

/// The state that request threads may read without the coordinator's task: the catalog, identities, networks.
final class RelayDirectory: Sendable {
  struct Contents {
    var catalog = Catalog() { didSet { pools = RelayPools() } }
    /// The loads of relays, and the pools from which creations choose.
    var loads = RelayLoads()
    var pools = RelayPools()
    var identities: [IdentityRow] = []
    /// Why changes are refused now, if they are.
    var storageTrouble: String?
    var liveChannels = 0
    /// The number of decided inputs whose commit has not begun.
    var inputsOpen = 0
    /// The number of decided inputs about posts whose commit has not begun.
    var postsOpen = 0
    /// The channels that have posts, or a request for one.
    var channelsWithPosts: Set<ChannelID> = []
    /// The state of networks as a whole.
    var networkStates: [NetworkKind: NetworkState] = [:]
    /// The random generator that draws among equal relays.
    var random: SplitMix64
  }
  let networks: [NetworkKind: any RelayNetwork]
  /// Every network whose addresses Baton can read, served or not.
  let addressing: [NetworkKind: any RelayAddressing]
  let servers: (any ServerNetwork)?
  /// The slots of the channels in the daemon's chat core.
  private let coreSlots: SlotSet
  private let contents: Mutex<Contents>

  /// - Parameters:
  ///   - coreSlots: the slots of the channels in the daemon's chat core, whether or not it has them now.
  ///   - seed: the seed of the random choice of relays.
  init(
    networks: [any RelayNetwork], addressing: [any RelayAddressing], servers: (any ServerNetwork)?, coreSlots: SlotSet = .all,
    seed: UInt64
  ) {
    self.coreSlots = coreSlots
    contents = Mutex(Contents(random: SplitMix64(seed: seed)))
    self.networks = Dictionary(networks.map { ($0.kind, $0) }) { first, _ in first }
    let all = addressing + networks.map { $0 as any RelayAddressing }
    self.addressing = Dictionary(all.map { ($0.kind, $0) }) { _, last in last }
    self.servers = servers
  }

  func read<T>(_ body: (borrowing Contents) -> sending T) -> sending T { contents.withLock { body($0) } }
  func write<T>(_ body: (inout Contents) -> sending T) -> sending T { contents.withLock { body(&$0) } }

  /// Whether this daemon can reach the channel: another daemon's chat core is accessible only to that daemon.
  func canReach(_ channel: ChannelID, on network: NetworkKind) -> Bool {
    !network.isInCore || coreSlots.contains(channel)
  }

  var catalog: Catalog { contents.withLock { $0.catalog } }
  var relays: [RelayID: RelayRow] { contents.withLock { $0.catalog.relays } }

  /// The identity that tests sign with.
  func mainIdentity(on network: NetworkKind) -> IdentityID {
    contents.withLock { $0.identities }.first { $0.network == network && $0.name == Coordinator.mainIdentity }?.id
      ?? IdentityID(rawValue: 0)
  }

  /// Checks whether a network shows a channel with this profile.
  /// - Throws: `invalidDisplayName`, `invalidProfile` or `invalidImage`.
  func check(_ profile: Profile, on network: NetworkKind) throws(BatonError) {
    do throws(ProfileRefusal) {
      try networks[network]?.check(profile)
    } catch {
      throw BatonError(error)
    }
  }

  /// Makes snapshots of channels from the current state.
  var snapshotMaker: SnapshotMaker {
    let (relays, identities, states) = contents.withLock { ($0.catalog.relays, $0.identities, $0.networkStates) }
    return SnapshotMaker(
      relays: relays, identities: identities, networkStates: states, networks: networks, addressing: addressing,
      canReach: { [self] in canReach($0, on: $1) })
  }

  /// A channel as clients see it.
  func snapshot(_ row: ChannelRow, _ relays: [ChannelRelayRow]) -> ChannelSnapshot { snapshotMaker.snapshot(row, relays) }
}
