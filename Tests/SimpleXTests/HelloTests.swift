import Channels
import Dialing
import RelayNetwork
import Testing

@testable import SimpleX

struct HelloTests {
  @Test(arguments: HelloVector.all) func aHelloIsReadWhole(_ vector: HelloVector) throws {
    let hello = try ServerHello(smpBlock: vector.block(extra: [1, 2, 3]))
    #expect(hello.versions == 6...18)
    #expect(hello.sessionID == [UInt8](repeating: 7, count: 32))
    #expect(hello.signedKey?.chain == vector.chain && hello.signedKey?.key == vector.signedKey)
    #expect(try ServerHello(xftpBody: vector.block(low: 1, high: 3)).signedKey == hello.signedKey)
  }

  @Test func oldServersSignNoKey() throws {
    let start = HelloVector.number(6) + HelloVector.number(6) + [2, 8, 9]
    #expect(try ServerHello(smpBlock: HelloVector.padded(start)).signedKey == nil)
    // What an old server adds is not a chain.
    #expect(try ServerHello(smpBlock: HelloVector.padded(start + [255, 255])).signedKey == nil)
    let newer = HelloVector.number(6) + HelloVector.number(7) + [2, 8, 9]
    #expect(try ServerHello(smpBlock: HelloVector.padded(newer)).signedKey == nil)
    #expect(throws: MalformedHello.self) { try ServerHello(xftpBody: HelloVector.padded(newer)) }
  }

  private static let vector = HelloVector.ed25519
  private static let start = HelloVector.number(6) + HelloVector.number(18) + [1, 9]

  @Test(arguments: [
    ([], "it has 0 of 16384 bytes"),
    ([UInt8](repeating: 0, count: 16_385), "it has 16385 of 16384 bytes"),
    ([UInt8](repeating: 0xFF, count: 16_384), "the content should have 65535 bytes, the block holds 16382"),
    ([0x3F, 0xFF] + [UInt8](repeating: 0, count: 16_382), "the content should have 16383 bytes, the block holds 16382"),
    (HelloVector.padded([]), "it ends before the lowest version"),
    (HelloVector.padded([0, 6, 0]), "it ends before the highest version"),
    (HelloVector.padded([0, 18, 0, 6]), "the versions 18 to 6 are not a range"),
    (HelloVector.padded([0, 6, 0, 18]), "it ends before the session"),
    (HelloVector.padded([0, 6, 0, 18, 33, 1]), "it ends within the session"),
    (HelloVector.padded(start + [0]), "it has 0 certificates"),
    (HelloVector.padded(start + [200]), "it has 200 certificates"),
    (HelloVector.padded(start + [2, 0]), "it ends before the certificate 1"),
    (HelloVector.padded(start + [2, 0, 1, 5, 0, 2, 5]), "it ends within the certificate 2"),
    (HelloVector.padded(start + [1, 0, 1, 5]), "it ends before the signed key"),
    (HelloVector.padded(start + [1, 0, 1, 5, 0xFF, 0xFF]), "it ends within the signed key"),
  ])
  func whatIsNoHelloSaysWhy(_ block: [UInt8], _ reason: String) {
    #expect(throws: MalformedHello(reason: reason)) { try ServerHello(smpBlock: block) }
  }

  @Test func fileServersShowLeafAndAuthority() {
    let leaf = Self.vector.chain[0]
    for chain in [[leaf], [leaf, leaf, leaf]] {
      #expect(throws: MalformedHello(reason: "it has \(chain.count) certificates, not leaf and authority")) {
        try ServerHello(xftpBody: Self.vector.block(chain: chain))
      }
    }
  }

  @Test(arguments: HelloVector.all) func aHelloBelongsToOneConnectionAndOneServer(_ vector: HelloVector) throws {
    let other = vector.fingerprint == HelloVector.ed448.fingerprint ? HelloVector.ed25519 : .ed448
    let session = TLSSession(
      chain: vector.chain, chainCount: 2, applicationProtocol: "smp/1", version: "TLSv1.3",
      finished: [UInt8](repeating: 7, count: 32))
    func cause(_ block: [UInt8], now: Int64 = HelloVector.validSeconds) -> Cause? {
      do {
        try ServerHello(smpBlock: block).check(session: session, fingerprint: vector.fingerprint, now: now)
        return nil
      } catch {
        return (error as? PeerFailure)?.trouble.cause
      }
    }
    #expect(cause(vector.block()) == nil)
    #expect(cause(vector.block(session: [7])) == .wrongIdentity)
    #expect(cause(vector.block(session: [])) == .wrongIdentity)
    #expect(cause(other.block()) == .wrongIdentity)
    #expect(cause(vector.block(signedKey: other.signedKey)) == .wrongIdentity)
    #expect(cause(vector.block(signedKey: [0x30, 0])) == .protocol)
    // A forged key within the right frame.
    var forged = vector.signedKey
    forged[forged.count - 1] ^= 1
    #expect(cause(vector.block(signedKey: forged)) == .wrongIdentity)
    forged = vector.signedKey + [0]
    #expect(cause(vector.block(signedKey: forged)) == .protocol)
    // The same identity with another chain is judged again.
    let longer = vector.block(chain: vector.chain + [vector.chain[1]])
    #expect(cause(longer) == nil && cause(longer, now: 0) == .expired)
  }

  @Test(arguments: HelloVector.all) func certificatesAreJudged(_ vector: HelloVector) {
    func trouble(
      _ chain: [[UInt8]], count: Int? = nil, fingerprint: String? = nil, now: Int64 = HelloVector.validSeconds
    ) -> Trouble? {
      do {
        try PeerCertificates(chain: chain, count: count).judge(fingerprint: fingerprint ?? vector.fingerprint, now: now)
        return nil
      } catch {
        return error.trouble
      }
    }
    let (leaf, authority) = (vector.chain[0], vector.chain[1])
    #expect(trouble(vector.chain) == nil)
    #expect(trouble(vector.chain, fingerprint: vector.fingerprint + "=") == nil)
    #expect(trouble([]) == Trouble(.protocol, "the server sends 0 certificates, not 2 to 4"))
    #expect(trouble([leaf]) == Trouble(.protocol, "the server sends 1 certificate, not 2 to 4"))
    #expect(trouble(vector.chain + vector.chain + [leaf])?.cause == .protocol)
    #expect(trouble(vector.chain, count: 9) == Trouble(.protocol, "the server sends 9 certificates, not 2 to 4"))
    let wrong = trouble(vector.chain, fingerprint: "AAAA")
    #expect(wrong == Trouble(.wrongIdentity, "the address expects the fingerprint AAAA, the server has \(vector.fingerprint)"))
    #expect(trouble(vector.chain, now: 1_600_000_000)?.cause == .expired)
    #expect(trouble(vector.chain, now: 1_600_000_000)?.detail.hasSuffix("expired on 2020-04-10") == true)
    #expect(trouble(vector.chain, now: 1_577_836_799)?.detail.hasSuffix("is not valid before 2020-01-01") == true)
    // Not issued by the identity, though it stands before it.
    #expect(trouble([authority, authority])?.cause == nil)
    let foreign = vector.fingerprint == HelloVector.ed448.fingerprint ? HelloVector.ed25519 : .ed448
    #expect(trouble([foreign.chain[0], authority])?.cause == .protocol)
    #expect(trouble([foreign.chain[0], authority, foreign.chain[1]])?.cause == .protocol)
    #expect(trouble([[1, 2, 3], authority])?.detail == "the server's certificate does not verify: not a certificate")
    #expect(trouble([leaf + [0], authority])?.cause == .protocol)
    #expect(trouble([[], authority])?.cause == .protocol)
  }

  @Test(arguments: [
    (6...18, Optional(18)), (18...30, 18), (1...6, 6), (8...9, 9), (1...5, nil), (19...19, nil), (0...0xFFFF, 18),
  ])
  func theHighestCommonVersionIsUsed(_ versions: ClosedRange<Int>, _ expected: Int?) {
    let hello = ServerHello(versions: versions, sessionID: [], signedKey: nil)
    #expect((try? hello.commonVersion(ServerProbe.ownVersions(.smp))) == expected)
    if expected == nil {
      #expect(throws: PeerFailure.self) { try hello.commonVersion(ServerProbe.ownVersions(.smp)) }
    }
  }

  @Test(arguments: [
    ("smp://\(fingerprint)@smp.example", "smp.example", 5223, "smp/1"),
    ("smp://\(fingerprint)@smp.example:443", "smp.example", 443, "smp/1"),
    ("smp://\(fingerprint)@smp8.simplex.im", "smp8.simplex.im", 443, "http/1.1"),
    ("smp://\(fingerprint)@smp1.simplexonflux.com,abc.onion", "smp1.simplexonflux.com", 443, "http/1.1"),
    ("smp://\(fingerprint)@smp8.simplex.im:7000", "smp8.simplex.im", 7000, "smp/1"),
    ("smp://\(fingerprint)@notsimplex.im", "notsimplex.im", 5223, "smp/1"),
    ("smp://\(fingerprint)@abc.onion,smp8.simplex.im", "smp8.simplex.im", 5223, "smp/1"),
    ("smp://\(fingerprint)@[::1]:5224", "::1", 5224, "smp/1"),
    ("xftp://\(fingerprint)@files.example", "files.example", 443, "xftp/1"),
    ("xftp://\(fingerprint)@xftp1.simplex.im", "xftp1.simplex.im", 443, "http/1.1"),
  ])
  func addressesLeadToEndpoints(_ address: String, _ host: String, _ port: Int, _ applicationProtocol: String) throws {
    let endpoint = try ServerEndpoint(SimpleXServerAddress.parse(address))
    #expect(endpoint?.host == host && endpoint?.port == port && endpoint?.applicationProtocol == applicationProtocol)
  }

  @Test func onionHostsAloneLeadNowhere() throws {
    #expect(try ServerEndpoint(SimpleXServerAddress.parse("smp://\(Self.fingerprint)@abc.onion,def.onion")) == nil)
  }

  private static let fingerprint = vector.fingerprint
}
