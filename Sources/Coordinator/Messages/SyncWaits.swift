internal import Channels

/// The requests that wait until the relays of a channel have been asked for everything.
struct SyncWaits {
  /// A request that need not wait any more.
  struct Over: Equatable {
    let number: Int
    /// Whether all relays were read.
    let isComplete: Bool
  }

  private struct Wait {
    let channel: ChannelID
    /// The relays that have not answered.
    var missing: Set<RelayID>
    var isComplete = true
  }
  private var waits: [Int: Wait] = [:]

  var isEmpty: Bool { waits.isEmpty }

  /// Begins to wait for these relays, of which there is at least one.
  mutating func add(_ number: Int, for channel: ChannelID, relays: Set<RelayID>) {
    waits[number] = Wait(channel: channel, missing: relays)
  }

  /// A relay has answered, or failed to.
  /// - Parameter isComplete: whether everything that it serves was read.
  mutating func answered(_ channel: ChannelID, _ relay: RelayID, isComplete: Bool) -> [Over] {
    for (number, wait) in waits where wait.channel == channel && wait.missing.contains(relay) {
      waits[number]?.missing.remove(relay)
      if !isComplete { waits[number]?.isComplete = false }
    }
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

  /// Nobody waits for this request any more.
  mutating func ended(_ number: Int) { waits[number] = nil }

  private mutating func takeOver() -> [Over] {
    let over = waits.filter(\.value.missing.isEmpty).map { Over(number: $0.key, isComplete: $0.value.isComplete) }
    for one in over { waits[one.number] = nil }
    return over.sorted { $0.number < $1.number }
  }
}
