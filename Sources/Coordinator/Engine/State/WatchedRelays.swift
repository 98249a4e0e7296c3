internal import Channels

/// The relays to which networks keep a connection, and how these are.
struct WatchedRelays {
  private(set) var all: Set<RelayID> = []
  /// The relays whose connection is up.
  private var connected: Set<RelayID> = []
  /// Why the others are down, as far as that was reported since the start.
  private var causes: [RelayID: Cause] = [:]

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

  /// Forgets what was known about the relay's connection, because it has another address.
  mutating func moved(_ relay: RelayID) {
    connected.remove(relay)
    causes[relay] = nil
  }
}
