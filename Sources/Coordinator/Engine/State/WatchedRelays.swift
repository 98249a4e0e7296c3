internal import Channels

/// The relays to which networks keep a connection, and how these are.
struct WatchedRelays {
  private(set) var all: Set<RelayID> = []
  /// The relays whose connection is up.
  private var connected: Set<RelayID> = []
  /// Why the others are down, as far as that was reported since the start.
  private var causes: [RelayID: Cause] = [:]
  /// Relays of which nothing is assumed until their channels were read back.
  private(set) var readings: [RelayID: Reading] = [:]

  /// How far the channels of a relay have been read back.
  struct Reading: Equatable {
    /// The last channel that was. `nil` before the first.
    var after: ChannelID?
    /// Whether there is a reason to begin again after the last channel.
    var isRepeated = false
    /// Whether all were asked for in this round.
    var isOver = false
  }

  init(_ all: Set<RelayID> = []) { self.all = all }

  func contains(_ relay: RelayID) -> Bool { all.contains(relay) }
  func isConnected(_ relay: RelayID) -> Bool { connected.contains(relay) }

  /// Why a relay is down.
  func cause(of relay: RelayID) -> Cause { causes[relay] ?? .unreachable }

  /// Watches one more relay.
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

  /// Notes that a relay may have lost channels.
  /// - Returns: whether they are not being read back already.
  mutating func doubt(_ relay: RelayID) -> Bool {
    guard let reading = readings[relay], !reading.isOver else {
      readings[relay] = Reading()
      return true
    }
    readings[relay]?.isRepeated = reading.after != nil
    return false
  }

  /// Notes that channels of a relay are read back.
  /// - Parameter last: the last of them. `nil` if there are no others.
  mutating func read(_ relay: RelayID, through last: ChannelID?) {
    guard let reading = readings[relay] else { return }
    readings[relay] =
      if let last { Reading(after: last, isRepeated: reading.isRepeated) } else { Reading(isOver: !reading.isRepeated) }
  }

  /// Begins a round: the questions of the previous one are answered.
  mutating func beginRound() { readings = readings.filter { !$0.value.isOver } }

  /// Forgets what was known about the relay's connection, because it has another address.
  mutating func moved(_ relay: RelayID) {
    connected.remove(relay)
    causes[relay] = nil
  }
}
