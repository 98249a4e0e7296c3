internal import CSecp256k1
public import Secrets

/// A secp256k1 secret key with its x-only public key (BIP-340). Descriptions never show the secret. Copies of it for signing are
/// overwritten.
public struct SecretKey: Sendable, CustomStringConvertible, CustomReflectable {
  public enum Failure: Error, Hashable, Sendable {
    /// The bytes are not a valid secret key.
    case invalid
  }

  /// 32 bytes, big-endian.
  public let secret: Secret
  /// The x-only public key, 64 lower-case hexadecimal digits.
  public let publicKey: String

  /// The key of `secret`.
  /// - Throws: `Failure.invalid` unless there are 32 bytes that form a number between 1 and the group order.
  public init(_ secret: Secret) throws(Failure) {
    let publicKey = Self.withPair(of: secret) { (pair: inout secp256k1_keypair) -> String? in
      var xonly = secp256k1_xonly_pubkey()
      var serialized = [UInt8](repeating: 0, count: 32)
      guard secp256k1_keypair_xonly_pub(Curve.context, &xonly, nil, &pair) == 1,
        secp256k1_xonly_pubkey_serialize(Curve.context, &serialized, &xonly) == 1
      else { return nil }
      return Hex.encode(serialized)
    }
    guard let publicKey else { throw .invalid }
    self.secret = secret
    self.publicKey = publicKey
  }

  /// A new key from the system's random source.
  public static func random() -> SecretKey {
    while true {
      let secret = Secret(count: 32, fill: SystemRandom.fill)
      // All but 2^-128 of the draws are valid.
      if let key = try? SecretKey(secret) { return key }
    }
  }

  /// BIP-340 signature of 32 bytes.
  /// - Parameter auxiliary: 32 bytes of randomness, or `nil` to draw fresh ones.
  /// - Returns: 64 bytes, or `nil` unless `digest` and `auxiliary` have 32 bytes.
  public func sign(digest: [UInt8], auxiliary: [UInt8]? = nil) -> [UInt8]? {
    let auxiliary = auxiliary ?? SystemRandom.bytes(32)
    guard digest.count == 32, auxiliary.count == 32 else { return nil }
    return Self.withPair(of: secret) { (pair: inout secp256k1_keypair) -> [UInt8]? in
      var signature = [UInt8](repeating: 0, count: 64)
      guard secp256k1_schnorrsig_sign32(Curve.context, &signature, digest, &pair, auxiliary) == 1 else { return nil }
      return signature
    }
  }

  /// Lends the library's form of `secret` to `body`, and overwrites it afterwards.
  /// - Returns: the value that `body` returns, or `nil` if the bytes are not a valid secret key.
  private static func withPair<Result>(
    of secret: Secret, _ body: (inout secp256k1_keypair) -> Result?
  ) -> Result? {
    guard secret.count == 32 else { return nil }
    var pair = secp256k1_keypair()
    defer { withUnsafeMutableBytes(of: &pair) { Secret.wipe($0) } }
    let isKey = secret.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
      return secp256k1_keypair_create(Curve.context, &pair, start) == 1
    }
    return isKey ? body(&pair) : nil
  }

  public var description: String { "SecretKey(public \(publicKey))" }
  public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}

/// BIP-340 verification.
public enum Signature {
  /// Whether `signature` is one of `message` by the holder of `publicKey`.
  /// - Parameters:
  ///   - signature: 64 bytes.
  ///   - message: any number of bytes. Nostr signs the 32 bytes of an event id.
  ///   - publicKey: 32 bytes, x-only.
  public static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard signature.count == 64, publicKey.count == 32 else { return false }
    var key = secp256k1_xonly_pubkey()
    guard secp256k1_xonly_pubkey_parse(Curve.context, &key, publicKey) == 1 else { return false }
    return secp256k1_schnorrsig_verify(Curve.context, signature, message, message.count, &key) == 1
  }
}

/// The library's context: created once and never changed, so it may be used from every thread.
enum Curve {
  nonisolated(unsafe) static let context: OpaquePointer = {
    let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE))
    guard let context, secp256k1_context_randomize(context, SystemRandom.bytes(32)) == 1 else {
      preconditionFailure("libsecp256k1 could not make a context")
    }
    return context
  }()
}
