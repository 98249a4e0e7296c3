internal import Channels
internal import RelayNetwork
internal import Secrets
internal import Storage

// Creation and removal of identities.
extension Decider {
  mutating func addIdentity(_ row: IdentityRow, _ key: IdentityKey, _ reply: Reply<IdentityRow>) {
    guard slots.hasCatalog else { return answer(.identity(reply), .refused(.elsewhere(nil))) }
    let known = identities
    if let other = known.first(where: {
      $0.network == row.network && (ObjectName.key($0.name) == ObjectName.key(row.name) || $0.publicName == row.publicName)
    }) {
      // If the network keeps the keys itself, it has one identity, whatever name is requested.
      guard key.secret.isEmpty, ObjectName.key(other.name) != ObjectName.key(row.name) else {
        return answer(.identity(reply), .refused(.duplicateName(other.name)))
      }
      let reason = "on \(row.network.rawValue) there is one identity, '\(other.name)': \(other.publicName)"
      return answer(.identity(reply), .refused(.networkUnavailable(row.network, reason: reason)))
    }
    ids.identity += 1
    var row = row
    row.id = IdentityID(rawValue: ids.identity)
    open.identities = known + [row]
    open.identityWrites.append(.insertIdentity(row))
    open.effects.keys.append(.unlock(row.id, row.network, key))
    answer(.identity(reply), .identity(row))
  }

  mutating func removeIdentity(_ id: IdentityID, _ reply: Reply<IdentityRow>, _ facts: Facts) {
    guard slots.hasCatalog else { return answer(.identity(reply), .refused(.elsewhere(nil))) }
    let known = identities
    guard let row = known.first(where: { $0.id == id }) else {
      return answer(.identity(reply), .refused(.noSuchIdentity("identity \(id.rawValue)")))
    }
    guard row.name != Coordinator.mainIdentity else {
      return answer(.identity(reply), .refused(.identityInUse(channels: 0)))
    }
    guard let stored = facts.counts[.owned(id)] else {
      let reason = facts.trouble ?? "the channels of the identity were not counted"
      return answer(.identity(reply), .refused(.storageUnavailable(reason: reason)))
    }
    // Of the channels in later decisions, only new ones are missing in the stored number.
    let new = open.order.count {
      open[$0].isNew && self[$0]?.row.identity == id && self[$0]?.row.deletedAt == nil
    }
    guard stored + new == 0 else {
      return answer(.identity(reply), .refused(.identityInUse(channels: stored + new)))
    }
    open.identities = known.filter { $0.id != id }
    open.identityWrites.append(.removeIdentity(id))
    open.effects.keys.append(.lock(id, row.network))
    answer(.identity(reply), .identity(row))
  }
}
