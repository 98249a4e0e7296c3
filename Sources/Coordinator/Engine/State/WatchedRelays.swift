internal import Channels

/// The relays to which networks keep a connection, and the state of each connection.
struct WatchedRelays {
  private(set) var all: Set<RelayID> = []
  /// The relays whose connection is up.
  private var connected: Set<RelayID> = []
  /// Why the other relays are down, if that was reported since the start.
  private var causes: [RelayID: Cause] = [:]
  /// Relays about which nothing is assumed until their channels were read back.
  private(set) var readings: [RelayID: Reading] = [:]

  /// How far the channels of a relay have been read back.
  struct Reading: Equatable {
    /// The last channel that was read back. `nil` before the first.
    var after: ChannelID?
    /// Whether there is a reason to begin again after the last channel.
    var isRepeated = false
    /// Whether all channels were asked for in this round.
    var isOver = false
  }

  init(_ all: Set<RelayID> = []) { self.all = all }

  func contains(_ relay: RelayID) -> Bool { all.contains(relay) }
  func isConnected(_ relay: RelayID) -> Bool { connected.contains(relay) }

  /// Why a relay is down.
  func cause(of relay: RelayID) -> Cause { causes[relay] ?? .unreachable }

  /// Watches another relay.
  /// - Returns: whether it was not watched before.
  mutating func add(_ relay: RelayID) -> Bool { all.insert(relay).inserted }

  mutating func up(_ relay: RelayID) {
    connected.insert(relay)
    causes[relay] = nil
  }

  mutating func down(_ relay: RelayID, _ cause: Cause) {
    connected.remove(relay)
    causes[relay] = cause
  }

  /// Records that a relay may have lost channels.
  /// - Returns: whether reading them back has to begin.
  mutating func doubt(_ relay: RelayID) -> Bool {
    guard let reading = readings[relay], !reading.isOver else {
      readings[relay] = Reading()
      return true
    }
    readings[relay]?.isRepeated = reading.after != nil
    return false
  }

  /// Records that channels of a relay are being read back.
  /// - Parameter last: the last of them. `nil` if no others are left.
  mutating func read(_ relay: RelayID, through last: ChannelID?) {
    guard let reading = readings[relay] else { return }
    readings[relay] =
      if let last { Reading(after: last, isRepeated: reading.isRepeated) } else { Reading(isOver: !reading.isRepeated) }
  }

  /// Begins a round: relays whose channels were all asked for are done.
  mutating func beginRound() { readings = readings.filter { !$0.value.isOver } }

  /// Forgets the state of the relay's connection, because the relay has a new address.
  mutating func moved(_ relay: RelayID) {
    connected.remove(relay)
    causes[relay] = nil
  }
}
