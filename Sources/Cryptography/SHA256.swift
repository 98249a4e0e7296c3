internal import COpenSSL

/// SHA-256 (FIPS 180-4), of bytes that arrive in pieces or all together.
public struct SHA256: ~Copyable {
  /// The number of bytes in a digest.
  public static let byteCount = 32

  /// OpenSSL looks the algorithm up by name, which takes longer than a short digest, so this happens once.
  private nonisolated(unsafe) static let algorithm: OpaquePointer = {
    OpenSSL.prepared
    guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else { preconditionFailure("OpenSSL has no SHA-256") }
    return algorithm
  }()

  private let context: OpaquePointer

  public init() {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
    self.context = context
    Self.check(EVP_DigestInit_ex2(context, Self.algorithm, nil))
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds `bytes` to the text.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    Self.check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  /// - Returns: the digest of the text so far. The next text begins empty.
  public mutating func finish() -> [UInt8] {
    defer { Self.check(EVP_DigestInit_ex2(context, Self.algorithm, nil)) }
    return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
      Self.check(EVP_DigestFinal_ex(context, digest.baseAddress, nil))
      count = Self.byteCount
    }
  }

  /// The digest of `bytes`.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
      check(EVP_Digest(bytes, bytes.count, digest.baseAddress, nil, algorithm, nil))
      count = byteCount
    }
  }

  /// A digest fails only where memory does.
  private static func check(_ status: CInt) { precondition(status == 1, "OpenSSL computes no digest") }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  public var hexadecimal: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      for half in [byte >> 4, byte & 15] { digits.append((half < 10 ? 48 : 87) + half) }
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
