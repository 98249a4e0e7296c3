public import Channels
internal import RelayNetwork
internal import Secrets
public import Storage

/// Identities: who owns channels.
extension Coordinator {
  /// All identities, by id.
  public var identities: [IdentityRow] { directory.read { $0.identities } }

  /// Makes an identity. Returns once it is durable.
  /// - Parameter secret: the secret key as text in the network's notation; nil draws a new one.
  public func addIdentity(
    _ name: String, on kind: NetworkKind, secret: String? = nil
  ) async throws(BatonError) -> IdentityRow {
    guard let network = directory.networks[kind] else {
      throw .networkUnavailable(kind, reason: "this daemon does not serve the network '\(kind.rawValue)'")
    }
    let title = try OperatorEdit.name(name)
    let key: IdentityKey
    do {
      key = try network.makeIdentity(secret: try secret.map { text throws(NetworkFailure) in try network.secret(from: text) })
    } catch {
      throw .invalidKey(reason: error.description)
    }
    let sealed: [UInt8]
    do { sealed = try secrets.seal(key.secret, label: SecretBox.label(ofIdentity: title, on: kind)) } catch {
      throw .storageUnavailable(reason: "the key cannot be encrypted: \(error)")
    }
    let row = IdentityRow(
      id: IdentityID(rawValue: 0), name: title, network: kind, publicKey: key.publicKey, sealedKey: sealed,
      createdAt: clock.now)
    return try await ask { .addIdentity(row, key, $0) }
  }

  /// Removes an identity that owns no channels and erases its key.
  public func removeIdentity(_ id: IdentityID) async throws(BatonError) -> IdentityRow {
    try await ask { .removeIdentity(id, $0) }
  }
}

extension Engine {
  func addIdentity(_ row: IdentityRow, _ key: IdentityKey, _ reply: Reply<IdentityRow>, _ batch: Batch) {
    let known = batch.identities ?? directory.read { $0.identities }
    if let other = known.first(where: {
      $0.network == row.network && ($0.name == row.name || $0.publicKey == row.publicKey)
    }) {
      // Where the network keeps the keys itself there is one, whatever name is asked for.
      guard key.secret.isEmpty, other.name != row.name else { return refuse(reply, .duplicateName(other.name), batch) }
      let reason = "on \(row.network.rawValue) there is one identity, '\(other.name)': \(other.publicKey)"
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
      // What this very batch makes is not stored yet.
      let new = batch.order.count { live[$0]?.row.identity == id && live[$0]?.row.deletedAt == nil }
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
