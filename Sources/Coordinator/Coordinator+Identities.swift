public import Channels
internal import Logging
internal import RelayNetwork
internal import Secrets
public import Storage
internal import Synchronization

/// Identities, which own channels.
extension Coordinator {
  /// Passes the identities' keys to networks, and creates the identity `main` if it is missing. Stored keys are opened before anything new
  /// is sealed, so that nothing is written with a wrong key.
  func prepareIdentities() async throws {
    var rows = try await storage.identities()
    try unlock(rows)
    for (kind, network) in directory.networks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      while !rows.contains(where: { $0.network == kind && $0.name == Self.mainIdentity }) {
        let key = try network.makeIdentity(secret: nil)
        let row = IdentityRow(
          id: IdentityID(rawValue: try await storage.counters().identity + 1), name: Self.mainIdentity, network: kind,
          publicName: key.publicName,
          sealedKey: secrets.seal(key.secret, label: SecretBox.label(ofIdentity: Self.mainIdentity, on: kind)),
          createdAt: clock.timeOfDay)
        guard let rejection = try await rejection(of: row) else {
          rows.append(row)
          network.unlock(row.id, key: key)
          logger.notice("created the identity '\(row.name)' on \(kind.rawValue): \(key.publicName)")
          break
        }
        // Another daemon may have created it at the same moment.
        let before = rows
        rows = try await storage.identities()
        guard rows != before else { throw StoreError(.inputOutput, "the identity 'main' cannot be stored: \(rejection)") }
        try unlock(rows)
      }
    }
    let known = rows
    directory.write { $0.identities = known }
  }

  /// Stores an identity.
  /// - Returns: why it contradicts the stored ones. `nil` if it is stored.
  private func rejection(of row: IdentityRow) async throws(CommitFailure) -> String? {
    do throws(CommitFailure) {
      return try await storage.commit([.insertIdentity(row)]).rejections[0].map { "\($0)" }
    } catch {
      guard case .refused(let words) = error else { throw error }
      return words
    }
  }

  /// Passes keys of new identities to networks. The engine removes the keys of removed identities.
  /// - Throws: `StoreError` when a key cannot be opened.
  func unlock(_ rows: [IdentityRow]) throws {
    let known = unlocked.withLock { $0 }
    for row in rows where !known.contains(row.id) {
      let secret = try secrets.open(row.sealedKey, label: SecretBox.label(ofIdentity: row.name, on: row.network))
      guard let network = directory.networks[row.network] else { continue }
      network.unlock(row.id, key: try network.makeIdentity(secret: secret))
      unlocked.withLock { _ = $0.insert(row.id) }
    }
  }

  /// All identities, by id.
  public var identities: [IdentityRow] { directory.read { $0.identities } }

  /// Creates an identity. Returns once it is durable.
  /// - Parameter secret: the secret key as text in the network's notation. `nil` creates a new one.
  public func addIdentity(
    _ name: String, on kind: NetworkKind, secret: String? = nil
  ) async throws(BatonError) -> IdentityRow {
    guard let network = directory.networks[kind] else {
      throw unserved(kind)
    }
    let title = try OperatorEdit.name(name)
    let key: IdentityKey
    do {
      key = try network.makeIdentity(secret: try secret.map { text throws(NetworkFailure) in try network.secret(from: text) })
    } catch {
      throw .invalidKey(reason: error.description)
    }
    let row = IdentityRow(
      id: IdentityID(rawValue: 0), name: title, network: kind, publicName: key.publicName,
      sealedKey: secrets.seal(key.secret, label: SecretBox.label(ofIdentity: title, on: kind)), createdAt: clock.timeOfDay)
    return try await ask { .addIdentity(row, key, $0) }
  }

  /// Removes an identity that owns no channels and erases its key.
  public func removeIdentity(_ id: IdentityID) async throws(BatonError) -> IdentityRow {
    try await ask { .removeIdentity(id, $0) }
  }
}
