internal import NIOCore
internal import Synchronization

/// A limit that another connection would exceed.
public enum ConnectionLimit: Hashable, Sendable {
  /// The limit on connections of one user.
  case user(max: Int)
  /// The limit on connections of all strangers.
  case strangers(max: Int)
  /// The limit on all connections.
  case all(max: Int)
  /// The limit on descriptors of the process. `max` is how many connections there are.
  case descriptors(max: Int)
}

/// Counts connections: in total, of strangers, and per user.
final class ConnectionRegistry: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var perUser: [UInt32: Int] = [:]
    var strangers = 0
  }
  private let limits: VarlinkServer.Limits
  private let state = Mutex(State())

  init(limits: VarlinkServer.Limits) { self.limits = limits }

  var count: Int { state.withLock { $0.channels.count } }
  var channels: [any Channel] { state.withLock { Array($0.channels.values) } }

  /// Counts the connection, if the limits allow it. Reserved connections may exceed the limit of a user and the total limit.
  /// - Returns: the limit that it would exceed, or `nil` if it is allowed.
  func add(
    _ channel: any Channel, descriptor: CInt, user: UInt32, _ standing: VarlinkServer.Standing
  ) -> ConnectionLimit? {
    let reserve = standing == .owner ? limits.connectionsReserved : 0
    let userMax = (standing == .stranger ? limits.connectionsPerStrangerMax : limits.connectionsPerUserMax) + reserve
    let allMax = limits.connectionsMax - limits.connectionsReserved + reserve
    return state.withLock { state in
      if state.perUser[user, default: 0] >= userMax { return .user(max: userMax) }
      if standing == .stranger, state.strangers >= limits.strangersMax { return .strangers(max: limits.strangersMax) }
      if state.channels.count >= allMax { return .all(max: allMax) }
      if Int(descriptor) >= limits.descriptorsEnd(of: standing) { return .descriptors(max: state.channels.count) }
      state.channels[ObjectIdentifier(channel)] = channel
      state.perUser[user, default: 0] += 1
      if standing == .stranger { state.strangers += 1 }
      return nil
    }
  }

  func remove(_ channel: any Channel, user: UInt32, _ standing: VarlinkServer.Standing) {
    state.withLock { state in
      guard state.channels.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return }
      state.perUser[user, default: 1] -= 1
      if state.perUser[user] == 0 { state.perUser[user] = nil }
      if standing == .stranger { state.strangers -= 1 }
    }
  }
}
