internal import Channels
internal import Storage

// The relays of a new channel.
extension RelayDirectory {
  /// The relays that a request names, or as many as it wants picked. They count as carrying the channel until `release`.
  func choose(for request: ChannelRequest, on network: NetworkKind, at now: Timestamp) throws(BatonError) -> [RelayID] {
    if let named = try named(request.relays) {
      hold(named)
      return named
    }
    if let pick = request.pick, pick > ChannelRequest.relaysMax {
      throw .tooManyRelays(wanted: pick, max: ChannelRequest.relaysMax)
    }
    let pool = pool(for: request.kind, on: network, at: now)
    guard !pool.isEmpty else { throw nobody(for: request, on: network, at: now) }
    if request.kind == .group, let pick = request.pick, pick != 1 { throw .groupNeedsOneRelay }
    let wanted = request.pick ?? min(request.kind == .group ? 1 : ChannelRequest.pickDefault, pool.count)
    guard (1...pool.count).contains(wanted) else { throw .notEnoughRelays(wanted: wanted, available: pool.count) }
    return choose(wanted, from: pool)
  }

  /// The relays that a request names, each once. `nil` if it names none.
  func named(_ relays: [RelayID]?) throws(BatonError) -> [RelayID]? {
    guard let relays, !relays.isEmpty else { return nil }
    var seen: Set<RelayID> = []
    let unique = relays.filter { seen.insert($0).inserted }
    guard unique.count <= ChannelRequest.relaysMax else {
      throw .tooManyRelays(wanted: unique.count, max: ChannelRequest.relaysMax)
    }
    return unique
  }

  /// The reason why there is no relay for the channel.
  private func nobody(for request: ChannelRequest, on network: NetworkKind, at now: Timestamp) -> BatonError {
    let catalog = catalog
    let eligible = catalog.candidates(on: network, at: now).filter(\.isEligible)
    guard request.kind == .group, !eligible.isEmpty else { return .noEnabledRelays(network) }
    if let pick = request.pick, pick != 1 { return .groupNeedsOneRelay }
    return .noGroupRelays(network, untested: eligible.count { catalog.relays[$0.relay]?.condition.tested == nil })
  }
}
