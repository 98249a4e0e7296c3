internal import Channels

/// The requests that are answered in a later turn.
struct WaitingRequests {
  /// What must have happened before a barrier is answered.
  struct Barrier {
    /// How many batches must have been stored.
    let batches: Int
    /// The revision of posts up to which these must be messages.
    let posts: Int64
    let reply: Reply<Void>
  }
  private(set) var barriers: [Barrier] = []
  private var syncs = SyncWaits()
  private var replies: [Int: Reply<Bool>] = [:]
  /// Those that are answered once it is stored how fresh everything is.
  private var over: [SyncWaits.Over] = []

  mutating func add(_ barrier: Barrier) { barriers.append(barrier) }

  /// Begins to wait for relays.
  mutating func add(_ number: Int, for channel: ChannelID, relays: Set<RelayID>, _ reply: Reply<Bool>) {
    replies[number] = reply
    syncs.add(number, for: channel, relays: relays)
  }

  mutating func answered(_ channel: ChannelID, _ relay: RelayID, isComplete: Bool) {
    guard !syncs.isEmpty else { return }
    over += syncs.answered(channel, relay, isComplete: isComplete)
  }

  mutating func changed(_ channel: ChannelID, relays: Set<RelayID>) {
    guard !syncs.isEmpty else { return }
    over += syncs.changed(channel, relays: relays)
  }

  /// The channel is not read any more.
  mutating func gone(_ channel: ChannelID) {
    for number in syncs.gone(channel) { send(number, .failure(.message(.notFollowed(channel)))) }
  }

  /// Time is up for a request, if it still waits.
  mutating func ended(_ number: Int) {
    syncs.ended(number)
    over.removeAll { $0.number == number }
    send(number, .success(false))
  }

  /// Answers those whose relays have all answered.
  /// - Parameters:
  ///   - isStored: whether everything about that is stored.
  ///   - trouble: why it is not, if it cannot be.
  mutating func synced(isStored: Bool, trouble: String?) {
    guard !over.isEmpty, isStored || trouble != nil else { return }
    for one in over {
      send(one.number, isStored ? .success(one.isComplete) : .failure(.storageUnavailable(reason: trouble ?? "")))
    }
    over = []
  }

  /// Answers the barriers before which everything has happened, or all if that cannot happen now.
  mutating func answerBarriers(trouble: String?, _ hasHappened: (Barrier) -> Bool) {
    barriers.removeAll { barrier in
      if hasHappened(barrier) {
        barrier.reply.send(.success(()))
      } else if let trouble {
        barrier.reply.send(.failure(.storageUnavailable(reason: trouble)))
      } else {
        return false
      }
      return true
    }
  }

  mutating func refuseAll(_ error: BatonError) {
    for barrier in barriers { barrier.reply.send(.failure(error)) }
    for reply in replies.values { reply.send(.failure(error)) }
    self = WaitingRequests()
  }

  private mutating func send(_ number: Int, _ result: Result<Bool, BatonError>) {
    replies.removeValue(forKey: number)?.send(result)
  }
}
