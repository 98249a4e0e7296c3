public import Channels
internal import Crypto
internal import Foundation
public import Secrets

/// Encrypts identity keys and passwords with a master key that never enters the database (AES-GCM).
///
/// Each secret is bound to a label that says what it is, so that it cannot be moved to another place. The keys for encrypting and
/// for digests are derived from the master key (HKDF with SHA-256), each for its own purpose.
public struct SecretBox: Sendable, CustomStringConvertible {
  private let master: SymmetricKey
  private let sealing: SymmetricKey
  private let digesting: SymmetricKey

  /// - Parameter masterKey: 32 bytes.
  /// - Throws: `StoreError.wrongKey` for any other length.
  public init(masterKey: Secret) throws {
    guard masterKey.count == 32 else {
      throw StoreError(.wrongKey, "the master key has \(masterKey.count) bytes, it must have 32")
    }
    let master = masterKey.withUnsafeBytes { SymmetricKey(data: $0) }
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(inputKeyMaterial: master, info: Array("baton 2 \(purpose)".utf8), outputByteCount: 32)
    }
    self.master = master
    sealing = derived("sealing")
    digesting = derived("digests")
  }

  /// The label under which the key of an identity is sealed. No two labels are equal, whatever people call their identities.
  public static func label(ofIdentity name: String, on network: NetworkKind) -> String {
    "identity\0\(network.rawValue)\0\(name)"
  }

  /// The label under which the password of the server at `address` is sealed.
  public static func label(ofServer address: String) -> String { "server\0\(address)" }

  /// Encrypts `secret`, bound to `label`.
  public func seal(_ secret: Secret, label: String) throws -> [UInt8] {
    let box = try secret.withUnsafeBytes { try AES.GCM.seal($0, using: sealing, authenticating: Array(label.utf8)) }
    guard let sealed = box.combined else { throw StoreError(.wrongKey, "the key cannot be sealed") }
    return Array(sealed)
  }

  /// A keyed digest, bound to `label`, that tells whether two secrets are equal without revealing either.
  public func digest(_ secret: [UInt8], label: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(label.utf8) + [0xFF] + secret, using: digesting)
    return code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Decrypts what `seal` encrypted for the same `label`.
  /// - Throws: `StoreError.wrongKey` when the master key is a different one or the bytes were changed.
  public func open(_ sealed: [UInt8], label: String) throws -> Secret { try open(sealed, label, with: sealing) }

  /// Decrypts what versions before schema 9 sealed: with the master key itself, under labels that could be equal.
  package func openOld(_ sealed: [UInt8], label: String) throws -> Secret { try open(sealed, label, with: master) }

  private func open(_ sealed: [UInt8], _ label: String, with key: SymmetricKey) throws -> Secret {
    do {
      var opened = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Array(label.utf8))
      defer { opened.withUnsafeMutableBytes { Secret.wipe($0) } }
      return Secret(opened)
    } catch {
      throw StoreError(.wrongKey, "a stored secret does not open with this master key: it was stored with another one")
    }
  }

  public var description: String { "SecretBox" }
}
