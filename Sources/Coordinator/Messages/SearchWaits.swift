internal import Channels
internal import RelayNetwork

/// The requests that wait until the relays of a channel have searched.
struct SearchWaits {
  /// A request that need not wait any more.
  struct Over: Equatable {
    let number: Int
    let outcomes: [RelayID: RelaySearchOutcome]
  }

  private struct Wait {
    let channel: ChannelID
    /// The relays that have not answered.
    var missing: Set<RelayID>
    var outcomes: [RelayID: RelaySearchOutcome] = [:]
  }
  private var waits: [Int: Wait] = [:]

  /// Begins to wait for these relays, of which there is at least one.
  mutating func add(_ number: Int, for channel: ChannelID, relays: Set<RelayID>) {
    waits[number] = Wait(channel: channel, missing: relays)
  }

  /// A relay has answered, or failed to.
  mutating func answered(_ number: Int, _ relay: RelayID, _ outcome: RelaySearchOutcome) -> [Over] {
    guard waits[number]?.missing.remove(relay) != nil else { return [] }
    waits[number]?.outcomes[relay] = outcome
    return takeOver()
  }

  /// The channel has these relays now. Nobody answers for one that it has left.
  mutating func changed(_ channel: ChannelID, relays: Set<RelayID>) -> [Over] {
    for (number, wait) in waits where wait.channel == channel { waits[number]?.missing.formIntersection(relays) }
    return takeOver()
  }

  /// The channel is not read any more.
  /// - Returns: the requests that waited for it.
  mutating func gone(_ channel: ChannelID) -> [Int] {
    let numbers = waits.filter { $0.value.channel == channel }.keys.sorted()
    for number in numbers { waits[number] = nil }
    return numbers
  }

  /// Time is up for a request.
  /// - Returns: what is known by then; `nil` if it does not wait.
  mutating func ended(_ number: Int) -> [RelayID: RelaySearchOutcome]? {
    guard let wait = waits.removeValue(forKey: number) else { return nil }
    let late = RelaySearchOutcome.failed(Trouble(.timeout, "it did not answer within the time for the search"))
    return wait.missing.reduce(into: wait.outcomes) { $0[$1] = late }
  }

  private mutating func takeOver() -> [Over] {
    let over = waits.filter(\.value.missing.isEmpty).map { Over(number: $0.key, outcomes: $0.value.outcomes) }
    for one in over { waits[one.number] = nil }
    return over.sorted { $0.number < $1.number }
  }
}
