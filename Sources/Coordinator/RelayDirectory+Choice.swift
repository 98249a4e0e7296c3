internal import Channels

// The choice of relays for channels. Creations choose on the threads of their requests, the engine on its own.
extension RelayDirectory {
  /// The relays that a new channel may get.
  func pool(for kind: ChannelKind, on network: NetworkKind, at now: Timestamp) -> SelectionPolicy.Pool {
    write { $0.pool(for: kind, on: network, at: now) }
  }

  /// Chooses relays for a new channel and counts them until they are released.
  func choose(_ count: Int, from pool: SelectionPolicy.Pool) -> [RelayID] {
    write { $0.choose(count, from: pool) }
  }

  /// Counts relays that a request names as carrying its new channel, until they are released.
  func hold(_ relays: [RelayID]) { write { $0.loads.hold(relays) } }

  /// Releases these relays once the creation that chose them is answered.
  func release(_ relays: [RelayID]) { write { $0.loads.release(relays) } }

  /// Applies the changes of a commit.
  func carry(_ changes: [RelayID: Int]) {
    guard !changes.isEmpty else { return }
    write { $0.loads.carry(changes) }
  }

  /// Puts relays into the order in which an existing channel should get them.
  /// - Parameter changes: how many more or fewer channels each relay carries once the decision is durable.
  func order(
    _ pool: SelectionPolicy.Pool, seed: UInt64, limit: Int, beside members: SelectionPolicy.Members, changes: [RelayID: Int]
  ) -> [RelayID] {
    read { $0.order(pool, seed: seed, limit: limit, beside: members, changes: changes) }
  }
}

extension RelayDirectory.Contents {
  fileprivate mutating func pool(for kind: ChannelKind, on network: NetworkKind, at now: Timestamp) -> SelectionPolicy.Pool {
    pools.pool(for: kind, on: network, in: catalog, at: now)
  }

  fileprivate mutating func choose(_ count: Int, from pool: SelectionPolicy.Pool) -> [RelayID] {
    let seed = random.next()
    let relays = pool.order(seed: seed, limit: count) { loads[$0] }
    loads.hold(relays)
    return relays
  }

  fileprivate func order(
    _ pool: SelectionPolicy.Pool, seed: UInt64, limit: Int, beside members: SelectionPolicy.Members, changes: [RelayID: Int]
  ) -> [RelayID] {
    pool.order(seed: seed, limit: limit, beside: members) { loads[$0] + changes[$0, default: 0] }
  }
}
