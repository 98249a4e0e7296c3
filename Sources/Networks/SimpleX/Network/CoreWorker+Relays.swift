// Relays in the core's own list.
extension CoreWorker {
  /// The numbers of relays in the core, by address. Relays that it does not have, or has deleted, are added to its list. Nothing else in
  /// the list changes.
  func relayIDs(of addresses: [String]) async -> Result<[String: CoreRelay.ID], CoreFailure> {
    guard let user else { return .failure(.notSent(.noConnection("not connected"))) }
    for attempt in 0...1 {
      var groups: [CoreServerGroup]
      if let serverGroups, attempt == 0 {
        groups = serverGroups
      } else {
        switch await ask(.servers(user)) {
        case .success(.servers(_, let list)): groups = list
        case .success(let reply): return .failure(Self.unexpected(reply))
        case .failure(let failure): return .failure(failure)
        }
        serverGroups = groups
      }
      var found: [String: CoreRelay.ID] = [:]
      var missing: [CoreRelayAddress] = []
      for address in addresses {
        guard let known = try? CoreRelayAddress(address) else { continue }
        if let id = Self.relay(known, in: groups)?.id { found[address] = id } else { missing.append(known) }
      }
      if missing.isEmpty || attempt == 1 { return .success(found) }
      put(missing, into: &groups)
      switch await ask(.setServers(user, groups)) {
      case .success: serverGroups = nil
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success([:])
  }

  private static func relay(_ address: CoreRelayAddress, in groups: [CoreServerGroup]) -> CoreRelay? {
    let key = (try? SimpleXLink(address.text))?.comparisonKey
    return groups.flatMap(\.relays).first { $0.comparisonKey == key && !$0.isDeleted && $0.id != nil }
  }

  /// Adds new relays to the group without an operator, and restores deleted ones.
  private func put(_ addresses: [CoreRelayAddress], into groups: inout [CoreServerGroup]) {
    let own = groups.lastIndex { $0.operator == nil } ?? groups.count
    if own == groups.count { groups.append(CoreServerGroup()) }
    for address in addresses {
      let name = (try? SimpleXLink(address.text))?.displayHost ?? "relay"
      groups[own].relays.removeAll { $0.comparisonKey == (try? SimpleXLink(address.text))?.comparisonKey && $0.isDeleted }
      groups[own].relays.append(CoreRelay(address: address, name: name))
    }
  }
}
