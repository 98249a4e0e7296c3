public import Channels
public import RelayNetwork
public import Storage

// The current state.
extension Coordinator {
  /// The current time of the clock that dates everything the daemon stores and publishes.
  public var now: Timestamp { clock.now }
  /// The time of day, which dates channels and posts.
  public var timeOfDay: Timestamp { clock.timeOfDay }

  public var networks: [NetworkKind] { directory.networks.keys.sorted { $0.rawValue < $1.rawValue } }

  /// Why changes are refused now. `nil` if storage works.
  public var storageTrouble: String? { directory.read { $0.storageTrouble } }

  /// How many requests and reports wait to be decided, by their subject, and the maximum of each kind.
  public var requestsWaiting: (counts: [(kind: String, count: Int)], max: Int) {
    let open = directory.read { (channels: $0.inputsOpen, posts: $0.postsOpen) }
    return (
      [
        ("channels", inbox.count + open.channels), ("posts", postInbox.count + open.posts), ("messages", messageInbox.count),
      ], requestsMax
    )
  }

  /// Networks that are unusable as a whole, and why.
  public var networkTroubles: [(network: NetworkKind, trouble: NetworkTrouble)] {
    directory.read { $0.networkStates }.compactMap { network, state in state.trouble.map { (network: network, trouble: $0) } }
      .sorted { $0.network.rawValue < $1.network.rawValue }
  }

  /// Returns the reason why `network` is unusable now. `nil` if it is usable, or if that is unknown.
  public func trouble(of network: NetworkKind) -> NetworkTrouble? { directory.read { $0.networkStates[network] }?.trouble }

  /// How many inputs wait to be decided, or to be committed.
  var inputsWaiting: Int { inbox.count + directory.read { $0.inputsOpen } }

  /// The number of background tests that have begun and not ended.
  var testsUnderWay: Int { prober.count }

  /// The number of channels that have something left to do.
  public var liveChannelCount: Int { directory.read { $0.liveChannels } }

  /// Makes snapshots of channels from the current state.
  public var snapshotMaker: SnapshotMaker { directory.snapshotMaker }

  /// Returns a stored channel as clients see it.
  public func snapshot(_ stored: StoredChannel) -> ChannelSnapshot { directory.snapshot(stored.row, stored.relays) }

  /// A keyed digest for cursors of lists, which clients store but cannot forge.
  public var sealOfCursors: @Sendable (String) -> String {
    let secrets = secrets
    return { String(secrets.digest(Array($0.utf8), label: "cursor").prefix(32)) }
  }
}
