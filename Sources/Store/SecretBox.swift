internal import Crypto

/// Encrypts identity keys with a master key that never enters the database (AES-GCM).
public struct SecretBox: Sendable, CustomStringConvertible {
  private let key: SymmetricKey

  /// - Parameter masterKey: 32 bytes.
  /// - Throws: `StoreError.wrongKey` for any other length.
  public init(masterKey: [UInt8]) throws {
    guard masterKey.count == 32 else {
      throw StoreError(.wrongKey, "the master key has \(masterKey.count) bytes, it must have 32")
    }
    key = SymmetricKey(data: masterKey)
  }

  /// The box whose master key stands in `path`; makes the file, readable by its owner only, when it is missing.
  /// - Throws: `StoreError` when the file cannot be made or read, is open to others, or holds no key.
  public static func atFile(_ path: String) throws -> SecretBox { try KeyFile(path).box() }

  /// The box whose master key systemd holds for the daemon.
  /// - Parameter path: a file in the folder of credentials.
  public static func atCredential(_ path: String) throws -> SecretBox {
    try SecretBox(masterKey: KeyFile.read(path, isForeign: true))
  }

  /// Under which name the password of the server at `address` is sealed.
  public static func label(ofServer address: String) -> String { "server \(address)" }

  /// Encrypts `secret`; `name` is bound to it, so that a sealed key cannot be moved to another identity.
  public func seal(_ secret: [UInt8], name: String) throws -> [UInt8] {
    guard let sealed = try AES.GCM.seal(secret, using: key, authenticating: Array(name.utf8)).combined else {
      throw StoreError(.wrongKey, "the key cannot be sealed")
    }
    return Array(sealed)
  }

  /// Tells whether two secrets are one without giving either away: a keyed digest, bound to `name`.
  public func digest(_ secret: [UInt8], name: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8) + [0] + secret, using: key)
    return code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Decrypts what `seal` made for the same `name`.
  /// - Throws: `StoreError.wrongKey` when the master key is another one or the bytes were changed.
  public func open(_ sealed: [UInt8], name: String) throws -> [UInt8] {
    do {
      return Array(try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Array(name.utf8)))
    } catch {
      throw StoreError(.wrongKey, "the secret of '\(name)' does not open with this master key: it was stored with another one")
    }
  }

  public var description: String { "SecretBox" }
}
