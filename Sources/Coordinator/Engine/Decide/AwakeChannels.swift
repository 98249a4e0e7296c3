internal import Channels

/// The channels that are awake, and which of them wait for which relay, so that a relay that comes up does not cost a look at all of them.
struct AwakeChannels: Equatable {
  private(set) var channels: [ChannelID: Decider.Live]
  /// Follows from the channels. Relays for which none waits are absent.
  private var waiting: [RelayID: Set<ChannelID>] = [:]

  init(_ channels: [ChannelID: Decider.Live] = [:]) {
    self.channels = channels
    for (id, channel) in channels { note(channel, id) }
  }

  subscript(id: ChannelID) -> Decider.Live? {
    get { channels[id] }
    set {
      let before = channels[id]
      channels[id] = newValue
      for relay in before?.outstanding ?? [] {
        waiting[relay]?.remove(id)
        if waiting[relay]?.isEmpty == true { waiting[relay] = nil }
      }
      if let newValue { note(newValue, id) }
    }
  }

  /// The channels that wait for a relay.
  func waiting(for relay: RelayID) -> Set<ChannelID> { waiting[relay] ?? [] }

  private mutating func note(_ channel: Decider.Live, _ id: ChannelID) {
    for relay in channel.outstanding { waiting[relay, default: []].insert(id) }
  }
}

extension Decider.Live {
  /// The relays that it still has to tell that it left them, or that it has a new edition, and tells nothing at the moment.
  var outstanding: [RelayID] { machine.relays.filter { Self.isOutstanding($0.machine) }.map(\.relay) }

  /// Whether it goes on at a relay as soon as that works again.
  func waits(for relay: RelayID) -> Bool { machine(of: relay).map(Self.isOutstanding) ?? false }

  private static func isOutstanding(_ machine: ChannelRelayMachine) -> Bool {
    switch machine.state.status {
    case .active, .removed: !machine.isSettled && machine.underWay == nil
    case .new, .invited, .accepted, .inactive, .failed: false
    }
  }
}
