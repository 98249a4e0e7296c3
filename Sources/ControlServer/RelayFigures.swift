internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage

/// The figures of all channels and relays at one moment, for the control plane.
struct Figures: Sendable {
  let census: Census
  let outcomes: RelayOutcomes
  let roundTrips: [RelayID: [Int64]]

  static func found(in store: any ControlStorage) async throws -> Figures {
    Figures(
      census: try await store.census(), outcomes: try await store.outcomes(), roundTrips: try await store.roundTripsOfRelays())
  }

  /// Channels by relay, status and cause.
  func counts(_ relays: [RelayRow]) -> [ChannelsAtRelay] {
    let relays = Dictionary(uniqueKeysWithValues: relays.map { ($0.id, $0) })
    return census.members.compactMap { part in
      guard let relay = relays[part.relay] else { return nil }
      return ChannelsAtRelay(
        relayId: part.relay.rawValue, relayName: relay.name, network: relay.network.rawValue,
        operatorId: relay.relayOperator?.rawValue, status: part.status.rawValue, cause: part.cause?.rawValue,
        channels: part.count)
    }
  }

  /// How well relays perform.
  func ofRelays(_ relays: [RelayRow]) -> [RelayFigures] {
    let members = Dictionary(grouping: census.members, by: \.relay)
    return relays.filter { !$0.isDeleted }.map { relay in
      func count(_ statuses: RelayStatus...) -> Int {
        members[relay.id]?.reduce(0) { $0 + (statuses.contains($1.status) ? $1.count : 0) } ?? 0
      }
      let (active, underWay) = (count(.active), count(.new, .invited, .accepted))
      let (inactive, failed) = (count(.inactive), count(.failed))
      let lately = outcomes.relays[relay.id] ?? RelayOutcomes.Relay()
      let tried = lately.reached + lately.missed
      return RelayFigures(
        relayId: relay.id.rawValue, relayName: relay.name, network: relay.network.rawValue,
        operatorId: relay.relayOperator?.rawValue, health: relay.condition.health.rawValue,
        channels: active + underWay + inactive + failed, active: active, underWay: underWay, inactive: inactive,
        failed: failed, reached: lately.reached, missed: lately.missed,
        successRate: tried == 0 ? nil : Double(lately.reached) / Double(tried), timeToActive: Spread(ofSorted: lately.times),
        roundTrips: Spread(ofSorted: (roundTrips[relay.id] ?? []).sorted()))
    }
  }
}

extension Spread {
  /// - Parameter values: in order, in milliseconds.
  /// - Returns: `nil` if there are none.
  init?(ofSorted values: [Int64]) {
    guard let last = values.last else { return nil }
    // The least value that so many are not above.
    func rank(_ percent: Int) -> Int { Int(values[(values.count * percent + 99) / 100 - 1]) }
    self.init(count: values.count, p50: rank(50), p90: rank(90), max: Int(last))
  }
}
