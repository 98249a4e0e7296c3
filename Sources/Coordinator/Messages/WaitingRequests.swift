internal import Channels
internal import RelayNetwork

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
  /// A request to read everything that the relays of a channel serve.
  private struct Sync {
    let channel: ChannelID
    let reply: Reply<Bool>
    /// How often the relays have been asked.
    var rounds = 1
    /// Whether the present round has brought messages or reactions that were not stored before.
    var hasFound = false
  }
  /// At each relay: whether everything that it serves was read.
  private var syncs = RelayWaits<Bool>()
  private var syncRequests: [Int: Sync] = [:]
  private var searches = RelayWaits<RelaySearchOutcome>()
  private var searchReplies: [Int: Reply<[RelayID: RelaySearchOutcome]>] = [:]
  /// Those that are answered once it is stored how fresh everything is.
  private var over: [RelayWaits<Bool>.Over] = []

  /// A relay may have deletions of what another one served after it was read, deletions of the reactions to it, and no more.
  private static let roundsMax = 3
  private static let late = RelaySearchOutcome.failed(
    Trouble(.timeout, "it did not answer within the time for the search"))

  mutating func add(_ barrier: Barrier) { barriers.append(barrier) }

  /// Begins to wait for relays.
  mutating func add(_ number: Int, for channel: ChannelID, relays: Set<RelayID>, _ reply: Reply<Bool>) {
    syncRequests[number] = Sync(channel: channel, reply: reply)
    syncs.add(number, for: channel, relays: relays)
  }

  /// History of these channels has messages or reactions that were not stored before.
  mutating func found(in channels: Set<ChannelID>) {
    for (number, sync) in syncRequests where channels.contains(sync.channel) { syncRequests[number]?.hasFound = true }
  }

  mutating func answered(_ channel: ChannelID, _ relay: RelayID, isComplete: Bool) {
    guard !syncs.isEmpty else { return }
    over += syncs.answered(channel, relay, isComplete)
  }

  /// Begins to wait for relays that search.
  mutating func add(_ search: RelaySearch, relays: Set<RelayID>, _ reply: Reply<[RelayID: RelaySearchOutcome]>) {
    searchReplies[search.number] = reply
    searches.add(search.number, for: search.channel, relays: relays)
  }

  mutating func searched(_ channel: ChannelID, _ relay: RelayID, number: Int, _ outcome: RelaySearchOutcome) {
    send(searches.answered(channel, relay, number: number, outcome))
  }

  mutating func changed(_ channel: ChannelID, relays: Set<RelayID>) {
    send(searches.changed(channel, relays: relays))
    guard !syncs.isEmpty else { return }
    over += syncs.changed(channel, relays: relays)
  }

  /// The channel is not read any more.
  mutating func gone(_ channel: ChannelID) {
    for number in syncs.gone(channel) { send(number, .failure(.message(.notFollowed(channel)))) }
    for number in searches.gone(channel) { sendFound(number, .failure(.message(.notFollowed(channel)))) }
  }

  /// Time is up for a request, if it still waits.
  /// - Parameter trouble: why nothing can be stored; `nil` if it can.
  mutating func ended(_ number: Int, trouble: String?) {
    if let outcomes = searches.ended(number, late: Self.late) {
      sendFound(number, trouble.map { .failure(.storageUnavailable(reason: $0)) } ?? .success(outcomes))
    }
    syncs.ended(number, late: false)
    over.removeAll { $0.number == number }
    send(number, .success(false))
  }

  /// Answers those whose relays have all answered.
  /// - Parameters:
  ///   - isStored: whether everything about that is stored.
  ///   - trouble: why it is not, if it cannot be.
  ///   - relays: the relays that a channel is read from now.
  /// - Returns: the channels whose relays must be asked again, because what one of them served may be deleted at another one.
  mutating func synced(
    isStored: Bool, trouble: String?, relays: (ChannelID) -> Set<RelayID>
  ) -> Set<ChannelID> {
    guard !over.isEmpty, isStored || trouble != nil else { return [] }
    var channels: Set<ChannelID> = []
    for one in over {
      guard isStored else {
        send(one.number, .failure(.storageUnavailable(reason: trouble ?? "")))
        continue
      }
      let isComplete = one.outcomes.values.allSatisfy { $0 }
      guard isComplete, let sync = syncRequests[one.number], sync.hasFound, sync.rounds < Self.roundsMax,
        case let relays = relays(sync.channel), relays.count > 1
      else {
        send(one.number, .success(isComplete))
        continue
      }
      syncRequests[one.number]?.rounds += 1
      syncRequests[one.number]?.hasFound = false
      syncs.add(one.number, for: sync.channel, relays: relays)
      channels.insert(sync.channel)
    }
    over = []
    return channels
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
    for sync in syncRequests.values { sync.reply.send(.failure(error)) }
    for reply in searchReplies.values { reply.send(.failure(error)) }
    self = WaitingRequests()
  }

  private mutating func send(_ over: [RelayWaits<RelaySearchOutcome>.Over]) {
    for one in over { sendFound(one.number, .success(one.outcomes)) }
  }

  private mutating func sendFound(_ number: Int, _ result: Result<[RelayID: RelaySearchOutcome], BatonError>) {
    searchReplies.removeValue(forKey: number)?.send(result)
  }

  private mutating func send(_ number: Int, _ result: Result<Bool, BatonError>) {
    syncRequests.removeValue(forKey: number)?.reply.send(result)
  }
}
