internal import Channels

/// The requests that wait for the relays of a channel, and the outcome at each relay.
struct RelayWaits<Outcome> {
  /// A request that has stopped waiting.
  struct Over {
    let number: Int
    let outcomes: [RelayID: Outcome]
  }

  private struct Wait {
    let channel: ChannelID
    /// The relays that have not answered.
    var missing: Set<RelayID>
    var outcomes: [RelayID: Outcome] = [:]
  }
  private var waits: [Int: Wait] = [:]

  var isEmpty: Bool { waits.isEmpty }

  /// Begins to wait for these relays, of which there is at least one.
  mutating func add(_ number: Int, for channel: ChannelID, relays: Set<RelayID>) {
    waits[number] = Wait(channel: channel, missing: relays)
  }

  /// A relay has answered, or failed to.
  /// - Parameter number: the request that it answers. `nil` means all waiting requests about the channel. The first answer counts.
  mutating func answered(_ channel: ChannelID, _ relay: RelayID, number: Int? = nil, _ outcome: Outcome) -> [Over] {
    for (known, wait) in waits where wait.channel == channel && wait.missing.contains(relay) && number ?? known == known {
      waits[known]?.missing.remove(relay)
      waits[known]?.outcomes[relay] = outcome
    }
    return takeOver()
  }

  /// The relays of the channel have changed. A relay that it has left will not answer.
  mutating func changed(_ channel: ChannelID, relays: Set<RelayID>) -> [Over] {
    for (number, wait) in waits where wait.channel == channel { waits[number]?.missing.formIntersection(relays) }
    return takeOver()
  }

  /// The channel is no longer read.
  /// - Returns: the requests that waited for it.
  mutating func gone(_ channel: ChannelID) -> [Int] {
    let numbers = waits.filter { $0.value.channel == channel }.keys.sorted()
    for number in numbers { waits[number] = nil }
    return numbers
  }

  /// This request has reached its time limit.
  /// - Parameter late: the outcome for relays that have not answered.
  /// - Returns: the outcomes so far. `nil` if it was not waiting.
  @discardableResult
  mutating func ended(_ number: Int, late: Outcome) -> [RelayID: Outcome]? {
    guard let wait = waits.removeValue(forKey: number) else { return nil }
    return wait.missing.reduce(into: wait.outcomes) { $0[$1] = late }
  }

  private mutating func takeOver() -> [Over] {
    let over = waits.filter(\.value.missing.isEmpty).map { Over(number: $0.key, outcomes: $0.value.outcomes) }
    for one in over { waits[one.number] = nil }
    return over.sorted { $0.number < $1.number }
  }
}

extension RelayWaits.Over: Equatable where Outcome: Equatable {}
