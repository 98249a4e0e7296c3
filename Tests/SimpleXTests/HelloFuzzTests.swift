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

  @Test(arguments: HelloVector.all) func mutatedHellosNeverCrash(_ vector: HelloVector) async {
    var random = SplitMix64(seed: 6)
    let block = vector.block()
    let content = Int(block[0]) << 8 | Int(block[1])
    let session = TLSSession(
      chain: vector.chain, chainCount: 2, applicationProtocol: nil, version: "",
      finished: [UInt8](repeating: 7, count: 32))
    var passed = 0
    for number in 0..<20_000 {
      if number % 32 == 0 { await Task.yield() }
      let bytes = Self.mutated(block, content: content, &random)
      _ = try? ServerHello(xftpBody: bytes)
      guard let hello = try? ServerHello(smpBlock: bytes) else { continue }
      #expect(hello.versions.upperBound <= 0xFFFF && hello.sessionID.count <= 255)
      let now = HelloVector.validSeconds
      if (try? hello.check(session: session, fingerprint: vector.fingerprint, now: now)) != nil { passed += 1 }
    }
    // Versions may change without harm, and so may what lies behind the content; nothing else.
    #expect(passed < 10_000)
  }

  @Test(arguments: HelloVector.all) func noByteOfKeyOrCertificateCanChange(_ vector: HelloVector) {
    let session = TLSSession(chain: vector.chain, chainCount: 2, applicationProtocol: nil, version: "", finished: [7])
    for index in vector.signedKey.indices {
      var key = vector.signedKey
      key[index] ^= 0x04
      let hello = ServerHello(versions: 6...18, sessionID: [7], signedKey: .init(chain: vector.chain, key: key))
      #expect(throws: PeerFailure.self) {
        try hello.check(session: session, fingerprint: vector.fingerprint, now: HelloVector.validSeconds)
      }
    }
    for index in vector.chain[0].indices {
      var chain = vector.chain
      chain[0][index] ^= 0x04
      #expect(throws: PeerFailure.self, "byte \(index)") {
        try PeerCertificates(chain: chain).judge(fingerprint: vector.fingerprint, now: HelloVector.validSeconds)
      }
    }
  }
}
