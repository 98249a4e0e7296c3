internal import Channels

/// The channels that are awake, with an index by the relay that they wait for, so that a relay that comes up does not cost a scan of all
/// channels.
struct AwakeChannels: Equatable {
  private(set) var channels: [ChannelID: Decider.Live]
  /// Derived from the channels. Relays for which no channel waits are absent.
  private var waiting: [RelayID: Set<ChannelID>] = [:]

  init(_ channels: [ChannelID: Decider.Live] = [:]) {
    self.channels = channels
    for (id, channel) in channels { note(channel, id) }
  }

  subscript(id: ChannelID) -> Decider.Live? {
    get { channels[id] }
    set {
      let before: Decider.Live?
      if let newValue { before = channels.updateValue(newValue, forKey: id) } else { before = channels.removeValue(forKey: id) }
      if let before { forget(before, id) }
      if let newValue { note(newValue, id) }
    }
  }

  /// The channels that wait for a relay.
  func waiting(for relay: RelayID) -> Set<ChannelID> { waiting[relay] ?? [] }

  private mutating func note(_ channel: Decider.Live, _ id: ChannelID) {
    for pairing in channel.machine.relays where pairing.machine.isOutstanding {
      waiting[pairing.relay, default: []].insert(id)
    }
  }

  private mutating func forget(_ channel: Decider.Live, _ id: ChannelID) {
    for pairing in channel.machine.relays where pairing.machine.isOutstanding {
      waiting[pairing.relay]?.remove(id)
      if waiting[pairing.relay]?.isEmpty == true { waiting[pairing.relay] = nil }
    }
  }
}

extension Decider.Live {
  /// Whether it continues at a relay as soon as that works again.
  func waits(for relay: RelayID) -> Bool { machine(of: relay)?.isOutstanding ?? false }
}

extension ChannelRelayMachine {
  /// Whether the relay had the channel and has lost it.
  var isMissing: Bool { state.status == .inactive && state.trouble?.cause == .missing }

  /// Whether a withdrawal or an announcement is still due at the relay, and is not under way.
  fileprivate var isOutstanding: Bool {
    switch state.status {
    case .active, .removed: !isSettled && underWay == nil
    case .new, .invited, .accepted, .inactive, .failed: false
    }
  }
}
