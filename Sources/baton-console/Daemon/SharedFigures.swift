internal import BatonClient
internal import ControlAPI

/// Counts of all channels, which every page shares.
struct SharedFigures: Sendable {
  private let daemon: Daemon
  private let hub: LiveHub
  private let channels = Recent<[ChannelCount]>()
  private let relays = Recent<[ChannelsAtRelay]>()
  private let figures = Recent<[Int64: RelayFigures]>()

  init(daemon: Daemon, hub: LiveHub) {
    self.daemon = daemon
    self.hub = hub
  }

  /// Channels by network and phase, and whether something has changed since they were counted.
  func channelCounts() async throws -> (value: [ChannelCount], isOld: Bool) {
    try await channels.value(at: await hub.revision) { [daemon] in
      try await daemon.ask { try await $0.channels.counts().counts }
    }
  }

  /// Channels by relay, status and cause.
  func relayCounts() async throws -> (value: [ChannelsAtRelay], isOld: Bool) {
    try await relays.value(at: await hub.revision) { [daemon] in try await daemon.ask { try await $0.relays.allCounts() } }
  }

  /// How well relays perform, by their identifiers.
  func relayFigures() async throws -> (value: [Int64: RelayFigures], isOld: Bool) {
    try await figures.value(at: await hub.revision) { [daemon] in
      Dictionary(try await daemon.ask { try await $0.relays.allFigures() }.map { ($0.relayId, $0) }) { first, _ in first }
    }
  }
}
