internal import NIOCore
internal import Synchronization

/// Counts connections, in all and per user.
final class ConnectionRegistry: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var perUser: [UInt32: Int] = [:]
  }
  private let limits: VarlinkServer.Limits
  private let state = Mutex(State())

  init(limits: VarlinkServer.Limits) { self.limits = limits }

  var count: Int { state.withLock { $0.channels.count } }
  var channels: [any Channel] { state.withLock { Array($0.channels.values) } }

  /// Whether the connection may stay.
  func add(_ channel: any Channel, user: UInt32, isKnown: Bool) -> Bool {
    let userMax = isKnown ? limits.connectionsPerUserMax : limits.connectionsPerStrangerMax
    return state.withLock { state in
      guard state.channels.count < limits.connectionsMax, state.perUser[user, default: 0] < userMax else { return false }
      state.channels[ObjectIdentifier(channel)] = channel
      state.perUser[user, default: 0] += 1
      return true
    }
  }

  func remove(_ channel: any Channel, user: UInt32) {
    state.withLock { state in
      guard state.channels.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return }
      state.perUser[user, default: 1] -= 1
      if state.perUser[user] == 0 { state.perUser[user] = nil }
    }
  }
}
