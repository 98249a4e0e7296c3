internal import Channels
internal import RelayNetwork
internal import Storage

extension Catalog {
  /// Adds a network's presets that are not known yet.
  ///
  /// Known objects are unchanged, and removed ones do not come back. An operator is known by its name or one of its domains, a server by
  /// its address or one of its hosts, a relay by its address. New objects are added to a known operator, unless the operator was removed or
  /// files declare it.
  mutating func importPresets(
    _ network: NetworkKind, _ presets: [CatalogChange.Preset], _ counters: inout StoreCounters
  ) throws(BatonError) {
    let followed = followedDomains
    for preset in presets {
      guard let owner = try owner(of: preset, followed, &counters) else { continue }
      for (place, edit) in preset.servers where !isKnown(place.address) {
        _ = try add(place, ServerEdit(assignment: .to(owner), isEnabled: edit.isEnabled, roles: edit.roles), &counters)
      }
      for (address, edit) in preset.relays where relay(network, address) == nil {
        var edit = edit
        edit.name = edit.name.map { freeName($0, except: nil) }
        edit.assignment = .to(owner)
        _ = try add(network, address, edit, &counters)
      }
    }
  }

  /// - Returns: the operator of the new objects. `nil` if nothing may be added to it.
  private mutating func owner(
    of preset: CatalogChange.Preset, _ followed: Set<String>, _ counters: inout StoreCounters
  ) throws(BatonError) -> OperatorID? {
    let name = preset.edit.name
    let same = operators.values.filter { $0.name == name || !Set($0.domains).isDisjoint(with: preset.edit.domains ?? []) }
    let alive = same.filter { !$0.isDeleted }.min { ($0.name == name ? 0 : 1, $0.id) < ($1.name == name ? 0 : 1, $1.id) }
    if let alive { return alive.origin.isPreset ? nil : alive.id }
    guard same.isEmpty else { return nil }
    var edit = preset.edit
    edit.domains = edit.domains?.filter { !followed.contains($0) }
    guard case .operator(let id) = try add(edit, &counters) else { return nil }
    return id
  }

  /// The domains of all objects that follow their domains: such an object could move to a new operator with that domain.
  private var followedDomains: Set<String> {
    func isFree(_ owner: OperatorID?, _ isAssigned: Bool) -> Bool {
      guard isAssigned, let owner else { return true }
      return operators[owner]?.isDeleted ?? true
    }
    let names =
      servers.values.filter { isFree($0.serverOperator, $0.isOperatorAssigned) }.flatMap(\.hosts)
      + relays.values.filter { isFree($0.relayOperator, $0.isOperatorAssigned) }.flatMap { $0.domains + [$0.host] }
    var domains: Set<String> = []
    for name in names {
      var rest = Substring(name)
      while domains.insert(String(rest)).inserted, let dot = rest.firstIndex(of: ".") { rest = rest[rest.index(after: dot)...] }
    }
    return domains
  }

  /// Whether there is or was such a server.
  private func isKnown(_ address: ServerAddress) -> Bool {
    servers.values.contains {
      $0.transport == address.transport && ($0.address == address.text || !Set($0.hosts).isDisjoint(with: address.hosts))
    }
  }
}
