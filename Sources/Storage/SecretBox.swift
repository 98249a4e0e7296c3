public import Channels
internal import Cryptography
public import Secrets

/// Encrypts identity keys and passwords with a master key that never enters the database (AES-GCM).
///
/// Each secret is bound to a label for its purpose, so that it cannot be moved to another place. The keys for encrypting and for digests
/// are derived from the master key (HKDF with SHA-256), each for its own purpose.
public struct SecretBox: Sendable, CustomStringConvertible {
  private let master: Secret
  private let sealing: Secret
  private let digesting: Secret

  /// - Parameter masterKey: 32 bytes.
  /// - Throws: `StoreError.wrongKey` for any other length.
  public init(masterKey: Secret) throws {
    guard masterKey.count == AESGCM.keyBytes else {
      throw StoreError(.wrongKey, "the master key has \(masterKey.count) bytes, it must have \(AESGCM.keyBytes)")
    }
    func derived(_ purpose: String) -> Secret {
      masterKey.derivedKey(info: Array("baton 2 \(purpose)".utf8), count: AESGCM.keyBytes)
    }
    master = masterKey
    sealing = derived("sealing")
    digesting = derived("digests")
  }

  /// The label under which the key of an identity is sealed. No two labels are equal, whatever the names of identities.
  public static func label(ofIdentity name: String, on network: NetworkKind) -> String {
    "identity\0\(network.rawValue)\0\(name)"
  }

  /// The label under which the password of the server at `address` is sealed.
  public static func label(ofServer address: String) -> String { "server\0\(address)" }

  /// Encrypts `secret`, bound to `label`.
  public func seal(_ secret: Secret, label: String) -> [UInt8] {
    AESGCM.seal(secret, label: Array(label.utf8), key: sealing)
  }

  /// A keyed digest, bound to `label`, that shows whether two secrets are equal without revealing either.
  public func digest(_ secret: [UInt8], label: String) -> String {
    digesting.authenticationCode(for: Array(label.utf8) + [0xFF] + secret).hexadecimal
  }

  /// Decrypts what `seal` encrypted for the same `label`.
  /// - Throws: `StoreError.wrongKey` when the master key is a different one or the bytes were changed.
  public func open(_ sealed: [UInt8], label: String) throws -> Secret { try open(sealed, label, with: sealing) }

  /// Decrypts secrets that versions before schema 9 sealed: with the master key itself, under labels that could be equal.
  package func openOld(_ sealed: [UInt8], label: String) throws -> Secret { try open(sealed, label, with: master) }

  private func open(_ sealed: [UInt8], _ label: String, with key: Secret) throws -> Secret {
    guard let opened = AESGCM.open(sealed, label: Array(label.utf8), key: key) else {
      throw StoreError(.wrongKey, "a stored secret does not open with this master key: it was stored with another one")
    }
    return opened
  }

  public var description: String { "SecretBox" }
}
