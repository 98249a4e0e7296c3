public import Channels
public import Secrets

/// A secret as it is stored, whichever store it is in.
public struct SealedSecret: Sendable {
  public let bytes: [UInt8]
  /// What it was sealed for, so that none can take the place of another.
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
  /// Whether a key opens all of them; any key does if there are none.
  public func areOpened(by box: SecretBox) -> Bool { allSatisfy { (try? $0.open(with: box)) != nil } }
}
