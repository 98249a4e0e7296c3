internal import Cryptography

/// A short digest that distinguishes contents (SHA-256).
public enum ContentDigest {
  /// The digest as 64 hexadecimal digits.
  public static func of(_ bytes: [UInt8]) -> String { SHA256.digest(of: bytes).hexadecimal }
}
