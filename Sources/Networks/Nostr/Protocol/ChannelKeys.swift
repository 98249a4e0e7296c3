internal import Cryptography
internal import Secrets

// Keys of channels. The secret of an identity and a salt that is stored with the channel give the channel's key, so that nothing must be
// kept in addition to the identity's key and the database.
extension SecretKey {
  /// The purpose and the derivation of these keys, as a label. Another way gets another label: keys of existing channels must never change.
  static let channelLabel = "baton/nostr/channel-key/v1"
  /// The number of bytes in a channel's salt.
  static let saltBytes = 32
  /// 16 bytes more than a key has, so that no key is more likely than others (FIPS 186-5, A.2.1).
  private static let derivedBytes = 48

  /// A new salt from the system's random source.
  static func randomSalt() -> [UInt8] { SystemRandom.bytes(saltBytes) }

  /// The key of a channel of the identity whose key this is: HKDF with SHA-256 (RFC 5869), brought into the range of keys.
  func channelKey(salt: [UInt8]) -> SecretKey? {
    let derived = secret.derivedKey(salt: salt, info: Array(Self.channelLabel.utf8), count: Self.derivedBytes)
    return derived.withUnsafeBytes { try? SecretKey(Self.scalar(from: $0)) }
  }

  /// The order of the curve less 1, the most significant word first.
  private static let modulus = SIMD4<UInt64>(
    0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFE, 0xBAAE_DCE6_AF48_A03B, 0xBFD2_5E8C_D036_4140)

  /// The number that `bytes` are, big-endian, modulo the order of the curve less 1, plus 1: always a key.
  static func scalar(from bytes: some Sequence<UInt8>) -> Secret {
    var rest = SIMD4<UInt64>()
    for byte in bytes {
      for bit in (0..<8).reversed() {
        // The remainder is doubled and one bit added. The bit that falls out at the top counts too.
        var carry = UInt64(byte >> bit & 1)
        for index in rest.indices.reversed() {
          let top = rest[index] >> 63
          rest[index] = rest[index] << 1 | carry
          carry = top
        }
        var less = SIMD4<UInt64>()
        var borrow: UInt64 = 0
        for index in rest.indices.reversed() {
          let (first, isLess) = rest[index].subtractingReportingOverflow(modulus[index])
          let (second, isStillLess) = first.subtractingReportingOverflow(borrow)
          less[index] = second
          borrow = isLess || isStillLess ? 1 : 0
        }
        if carry == 1 || borrow == 0 { rest = less }
      }
    }
    var carry: UInt64 = 1
    for index in rest.indices.reversed() {
      let (sum, isMore) = rest[index].addingReportingOverflow(carry)
      rest[index] = sum
      carry = isMore ? 1 : 0
    }
    return Secret(count: 32) { scalar in
      for index in scalar.indices { scalar[index] = UInt8(truncatingIfNeeded: rest[index / 8] >> UInt64(56 - index % 8 * 8)) }
    }
  }
}
