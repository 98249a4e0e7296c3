public import Channels
public import Secrets

/// A secret as stored, in any store.
public struct SealedSecret: Sendable {
  public let bytes: [UInt8]
  /// The purpose for which it was sealed, so that no secret can stand in for another.
  public let label: String
  /// Whose it is, for people.
  public let title: String

  /// The key of an identity.
  public init(identity name: String, on network: NetworkKind, _ bytes: [UInt8]) {
    self.bytes = bytes
    label = SecretBox.label(ofIdentity: name, on: network)
    title = "the identity '\(name)'"
  }

  /// The password of a server.
  public init(server address: String, _ bytes: [UInt8]) {
    self.bytes = bytes
    label = SecretBox.label(ofServer: address)
    title = "the server \(address)"
  }

  /// - Throws: `StoreError.wrongKey` that names the secret.
  public func open(with box: SecretBox) throws -> Secret { try open { try box.open(bytes, label: label) } }

  /// Opens it in a way of an earlier version.
  /// - Throws: `StoreError.wrongKey` that names the secret.
  package func open(_ body: () throws -> Secret) throws -> Secret {
    do { return try body() } catch {
      throw StoreError(.wrongKey, "the secret of \(title) does not open with this master key: it was stored with another one")
    }
  }
}

extension Sequence<SealedSecret> {
  /// Whether a key opens all of them. Any key opens an empty sequence.
  public func areOpened(by box: SecretBox) -> Bool { allSatisfy { (try? $0.open(with: box)) != nil } }
}
