import Secrets
import TestTools
import Testing

@testable import Cryptography

/// Published vectors, and what must fail.
struct CryptographyTests {
  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.utf8.count, by: 2).compactMap {
      UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
    }
  }

  /// FIPS 180-4, examples of NIST.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func digestsAreThoseOfTheStandard(piece: String, count: Int, digest: String) {
    let text = String(repeating: piece, count: count)
    #expect(SHA256.digest(of: Array(text.utf8)).hexadecimal == digest)
    var pieces = SHA256()
    // The second text shows that nothing of the first one is left.
    for _ in 1...2 {
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let piece = rest.prefix(1 + rest.count / 3)
        piece.withUnsafeBytes { pieces.update($0) }
        rest = rest.dropFirst(piece.count)
      }
      #expect(pieces.finish().hexadecimal == digest)
    }
  }

  /// RFC 4231, cases 1, 2 and 6.
  @Test(arguments: [
    ([UInt8](repeating: 0x0b, count: 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
      Array("Jefe".utf8), "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func authenticationCodesAreThoseOfTheStandard(key: [UInt8], text: String, code: String) {
    #expect(Secret(key).authenticationCode(for: Array(text.utf8)).hexadecimal == code)
  }

  /// RFC 5869, cases 1 and 3.
  @Test(arguments: [
    (
      Array(0x00...0x0c) as [UInt8], Array(0xf0...0xf9) as [UInt8],
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    ([], [], "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
  ])
  func derivedKeysAreThoseOfTheStandard(salt: [UInt8], info: [UInt8], key: String) {
    let secret = Secret([UInt8](repeating: 0x0b, count: 22))
    #expect(secret.derivedKey(salt: salt, info: info, count: 42).bytes.hexadecimal == key)
  }

  /// Cases 13, 14 and 16 of the submission of this mode to NIST.
  @Test(arguments: [
    (
      String(repeating: "00", count: 32), "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"
    ),
    (
      String(repeating: "00", count: 32), "000000000000000000000000", "00000000000000000000000000000000", "",
      "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"
    ),
    (
      "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      "76fc6ece0f4e1768cddf8853bb2d551b"
    ),
  ])
  func sealedBytesAreThoseOfTheStandard(
    key: String, nonce: String, plain: String, label: String, encrypted: String, tag: String
  ) throws {
    let (key, label) = (Secret(Self.bytes(key)), Self.bytes(label))
    let sealed = AESGCM.seal(Secret(Self.bytes(plain)), label: label, key: key, nonce: Self.bytes(nonce))
    #expect(sealed.hexadecimal == nonce + encrypted + tag)
    #expect(try #require(AESGCM.open(sealed, label: label, key: key)).bytes == Self.bytes(plain))
  }

  @Test func whatWasChangedAnywhereDoesNotOpen() {
    let key = Secret([UInt8](repeating: 7, count: 32))
    let sealed = AESGCM.seal(Secret(Array("secret".utf8)), label: Array("label".utf8), key: key)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(AESGCM.open(changed, label: Array("label".utf8), key: key) == nil, "byte \(index)")
      #expect(AESGCM.open(Array(sealed.prefix(index)), label: Array("label".utf8), key: key) == nil, "\(index) bytes")
    }
    #expect(AESGCM.open(sealed, label: Array("labels".utf8), key: key) == nil)
    #expect(AESGCM.open(sealed, label: [], key: key) == nil)
    #expect(AESGCM.open(sealed, label: Array("label".utf8), key: Secret([UInt8](repeating: 8, count: 32))) == nil)
    #expect(AESGCM.seal(Secret(Array("secret".utf8)), label: Array("label".utf8), key: key) != sealed, "each nonce is new")
  }
}
