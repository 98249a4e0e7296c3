internal import Channels
internal import Storage

/// The relays that creations choose from. They are arranged once for all creations, until a relay changes, or data about a relay becomes
/// too old to count.
struct RelayPools {
  private struct Purpose: Hashable {
    let kind: ChannelKind
    let network: NetworkKind
  }

  private struct Arranged {
    let pool: SelectionPolicy.Pool
    let since: Timestamp
    /// The time at which the pool ends, if it does.
    let until: Timestamp?

    func holds(at now: Timestamp) -> Bool { since <= now && until.map { now < $0 } ?? true }
  }

  private var arranged: [Purpose: Arranged] = [:]

  /// The eligible relays for a channel. For a group, only relays that are known to offer groups.
  /// - Parameter catalog: the same for all calls.
  mutating func pool(
    for kind: ChannelKind, on network: NetworkKind, in catalog: Catalog, at now: Timestamp
  ) -> SelectionPolicy.Pool {
    let purpose = Purpose(kind: kind, network: network)
    if let known = arranged[purpose], known.holds(at: now) { return known.pool }
    var candidates: [SelectionPolicy.Candidate] = []
    var until: Timestamp?
    for row in catalog.relays.values where row.network == network {
      // The other relays do not offer groups, or were never found to.
      if kind == .group, !row.capabilities.contains(Coordinator.groupCapability) { continue }
      candidates.append(catalog.candidate(row, at: now))
      if let end = row.condition.reliabilityEnds(after: now) { until = min(until ?? end, end) }
    }
    let pool = SelectionPolicy.Pool(candidates)
    arranged[purpose] = Arranged(pool: pool, since: now, until: until)
    return pool
  }
}
