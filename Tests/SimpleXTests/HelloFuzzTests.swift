import Channels
import Dialing
import Testing

@testable import SimpleX

/// Whatever bytes a server sends, the answer is a value or a reason.
struct HelloFuzzTests {
  /// Changes a few bytes, mostly near the start, where lengths and counts are.
  private static func mutated(_ bytes: [UInt8], content: Int, _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard !bytes.isEmpty else { break }
      let index = Int.random(in: 0..<min(bytes.count, Bool.random(using: &random) ? 48 : content), using: &random)
      bytes[index] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)][Int.random(in: 0..<6, using: &random)]
    }
    if Int.random(in: 0..<8, using: &random) == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
    return bytes
  }

  /// Reads and checks `count` changed hellos.
  /// - Returns: how many passed.
  private static func mutate(
    _ block: [UInt8], count: Int, session: TLSSession, fingerprint: String, now: Int64,
    read: ([UInt8]) throws(MalformedHello) -> ServerHello
  ) async -> Int {
    var random = SplitMix64(seed: 6)
    let content = Int(block[0]) << 8 | Int(block[1])
    var passed = 0
    for number in 0..<count {
      if number % 32 == 0 { await Task.yield() }
      let bytes = mutated(block, content: content, &random)
      _ = try? ServerHello(xftpBody: bytes)
      guard let hello = try? read(bytes) else { continue }
      #expect(hello.versions.upperBound <= 0xFFFF && hello.sessionID.count <= 255)
      if (try? hello.check(session: session, fingerprint: fingerprint, now: now)) != nil { passed += 1 }
    }
    return passed
  }

  @Test(arguments: HelloVector.all) func mutatedHellosNeverCrash(_ vector: HelloVector) async {
    let session = TLSSession(
      chain: vector.chain, chainCount: 2, applicationProtocol: nil, version: "",
      finished: [UInt8](repeating: 7, count: 32))
    let passed = await Self.mutate(
      vector.block(), count: 20_000, session: session, fingerprint: vector.fingerprint, now: HelloVector.validSeconds
    ) { block throws(MalformedHello) in try ServerHello(smpBlock: block) }
    // Versions may change without harm, and so may what lies behind the content; nothing else.
    #expect(passed < 10_000)
  }

  @Test(arguments: SeenHello.servers) func mutatedHellosOfRealServersNeverCrash(_ server: String) async throws {
    let seen = try SeenHello.of(server)
    let chain = try #require(try seen.read(seen.block).signedKey?.chain)
    let passed = await Self.mutate(
      seen.block, count: 5_000, session: seen.session(chain: chain), fingerprint: seen.fingerprint,
      now: SeenHello.validSeconds
    ) { block throws(MalformedHello) in try seen.read(block) }
    #expect((1..<2_500).contains(passed))
  }

  private static func expectNoByteCanChange(
    _ chain: [[UInt8]], _ key: [UInt8], fingerprint: String, now: Int64
  ) {
    let session = TLSSession(chain: chain, chainCount: 2, applicationProtocol: nil, version: "", finished: [7])
    for index in key.indices {
      var key = key
      key[index] ^= 0x04
      let hello = ServerHello(versions: 6...18, sessionID: [7], signedKey: .init(chain: chain, key: key))
      #expect(throws: PeerFailure.self, "byte \(index)") {
        try hello.check(session: session, fingerprint: fingerprint, now: now)
      }
    }
    for index in chain[0].indices {
      var chain = chain
      chain[0][index] ^= 0x04
      #expect(throws: PeerFailure.self, "byte \(index)") {
        try PeerCertificates(chain: chain).judge(fingerprint: fingerprint, now: now)
      }
    }
  }

  @Test(arguments: HelloVector.all) func noByteOfKeyOrCertificateCanChange(_ vector: HelloVector) {
    Self.expectNoByteCanChange(
      vector.chain, vector.signedKey, fingerprint: vector.fingerprint, now: HelloVector.validSeconds)
  }

  @Test(arguments: SeenHello.servers) func noByteOfARealKeyOrCertificateCanChange(_ server: String) throws {
    let seen = try SeenHello.of(server)
    let signedKey = try #require(try seen.read(seen.block).signedKey)
    Self.expectNoByteCanChange(
      signedKey.chain, signedKey.key, fingerprint: seen.fingerprint, now: SeenHello.validSeconds)
  }
}
