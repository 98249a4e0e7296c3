internal import Channels
internal import RelayNetwork

/// The requests that are answered in a later turn.
struct WaitingRequests {
  /// The conditions for the answer to a barrier.
  struct Barrier {
    /// The number of batches that must have been stored.
    let batches: Int
    /// The revision up to which posts must have been mirrored.
    let posts: Int64
    let reply: Reply<Void>
  }
  private(set) var barriers: [Barrier] = []
  /// A request to read all messages that a channel's relays serve.
  private struct Sync {
    let channel: ChannelID
    let reply: Reply<Bool>
    /// The number of times that the relays were asked.
    var rounds = 1
    /// Whether the current round has brought messages or reactions that were not stored before.
    var hasFound = false
  }
  /// At each relay: whether all its messages were read.
  private var syncs = RelayWaits<Bool>()
  private var syncRequests: [Int: Sync] = [:]
  private var searches = RelayWaits<RelaySearchOutcome>()
  private var searchReplies: [Int: Reply<[RelayID: RelaySearchOutcome]>] = [:]
  /// Requests to answer once the freshness is stored.
  private var over: [RelayWaits<Bool>.Over] = []

  /// A relay may have deletions of messages that another relay served later, and deletions of the reactions to these, but nothing beyond.
  private static let roundsMax = 3
  private static let late = RelaySearchOutcome.failed(
    Trouble(.timeout, "it did not answer within the time for the search"))

  mutating func add(_ barrier: Barrier) { barriers.append(barrier) }

  /// Begins to wait for relays.
  mutating func add(_ number: Int, for channel: ChannelID, relays: Set<RelayID>, _ reply: Reply<Bool>) {
    syncRequests[number] = Sync(channel: channel, reply: reply)
    syncs.add(number, for: channel, relays: relays)
  }

  /// These channels have history with messages or reactions that were not stored before.
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

  /// The channel is no longer read.
  mutating func gone(_ channel: ChannelID) {
    for number in syncs.gone(channel) { send(number, .failure(.message(.notFollowed(channel)))) }
    for number in searches.gone(channel) { sendFound(number, .failure(.message(.notFollowed(channel)))) }
  }

  /// A request has reached its time limit, if it still waits.
  /// - Parameter trouble: why nothing can be stored. `nil` if storage works.
  mutating func ended(_ number: Int, trouble: String?) {
    if let outcomes = searches.ended(number, late: Self.late) {
      sendFound(number, trouble.map { .failure(.storageUnavailable(reason: $0)) } ?? .success(outcomes))
    }
    syncs.ended(number, late: false)
    over.removeAll { $0.number == number }
    send(number, .success(false))
  }

  /// Answers requests whose relays have all answered.
  /// - Parameters:
  ///   - isStored: whether everything about them is stored.
  ///   - trouble: why it cannot be stored, if so.
  ///   - relays: the relays from which a channel is read now.
  /// - Returns: the channels whose relays must be read again, because messages of one relay may be deleted at another.
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

  /// Answers the barriers whose conditions are met, or all if they cannot be met now.
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
