public import Channels
internal import RelayNetwork
internal import Secrets
public import Storage

/// Identities, which own channels.
extension Coordinator {
  /// All identities, by id.
  public var identities: [IdentityRow] { directory.read { $0.identities } }

  /// Creates an identity. Returns once it is durable.
  /// - Parameter secret: the secret key as text in the network's notation; `nil` draws a new one.
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
      id: IdentityID(rawValue: 0), name: title, network: kind, publicName: key.publicName, sealedKey: sealed,
      createdAt: clock.now)
    return try await ask { .addIdentity(row, key, $0) }
  }

  /// Removes an identity that owns no channels and erases its key.
  public func removeIdentity(_ id: IdentityID) async throws(BatonError) -> IdentityRow {
    try await ask { .removeIdentity(id, $0) }
  }
}
