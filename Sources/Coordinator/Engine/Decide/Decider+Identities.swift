internal import Channels
internal import RelayNetwork
internal import Secrets
internal import Storage

// Creation and removal of identities.
extension Decider {
  func addIdentity(_ row: IdentityRow, _ key: IdentityKey, _ reply: Reply<IdentityRow>, _ batch: Batch) {
    let known = batch.identities ?? directory.read { $0.identities }
    if let other = known.first(where: {
      $0.network == row.network && ($0.name == row.name || $0.publicName == row.publicName)
    }) {
      // If the network keeps the keys itself, there is one identity, whatever name is requested.
      guard key.secret.isEmpty, other.name != row.name else { return refuse(reply, .duplicateName(other.name), batch) }
      let reason = "on \(row.network.rawValue) there is one identity, '\(other.name)': \(other.publicName)"
      return refuse(reply, .networkUnavailable(row.network, reason: reason), batch)
    }
    counters.identity += 1
    var row = row
    row.id = IdentityID(rawValue: counters.identity)
    batch.identities = known + [row]
    batch.others.append(.insertIdentity(row))
    batch.effects.keys.append(.unlock(row.id, row.network, key))
    batch.replies.append { [row] error in reply.send(error.map(Result.failure) ?? .success(row)) }
  }

  func removeIdentity(_ id: IdentityID, _ reply: Reply<IdentityRow>, _ batch: Batch) async {
    let known = batch.identities ?? directory.read { $0.identities }
    guard let row = known.first(where: { $0.id == id }) else {
      return refuse(reply, .noSuchIdentity("identity \(id.rawValue)"), batch)
    }
    guard row.name != Coordinator.mainIdentity else { return refuse(reply, .identityInUse(channels: 0), batch) }
    do {
      // What this very batch creates is not stored yet; other channels that it changes are.
      let new = batch.order.count {
        batch.touches[$0]?.isNew == true && live[$0]?.row.identity == id && live[$0]?.row.deletedAt == nil
      }
      let count = try await storage.channelCount(of: id) + new
      guard count == 0 else { return refuse(reply, .identityInUse(channels: count), batch) }
    } catch {
      return refuse(reply, .storageUnavailable(reason: "\(error)"), batch)
    }
    batch.identities = known.filter { $0.id != id }
    batch.others.append(.removeIdentity(id))
    batch.effects.keys.append(.lock(id, row.network))
    batch.replies.append { error in reply.send(error.map(Result.failure) ?? .success(row)) }
  }
}
