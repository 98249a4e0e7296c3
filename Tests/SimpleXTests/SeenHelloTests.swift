import Channels
import Dialing
import Testing

@testable import SimpleX

/// What real servers send passes, and nothing that is made of it.
struct SeenHelloTests {
  private let seen: [SeenHello]

  init() throws { seen = try SeenHello.all() }

  @Test func thereIsOneOfEachKind() {
    #expect(seen.map(\.server) == SeenHello.servers && seen.map(\.transport) == [.smp, .xftp])
  }

  @Test(arguments: SeenHello.servers) func realServersPass(_ server: String) throws {
    let seen = try SeenHello.of(server)
    let hello = try seen.read(seen.block)
    #expect(hello.versions == seen.versions && hello.sessionID == [UInt8](seen.finished))
    let chain = try #require(hello.signedKey?.chain)
    #expect(chain.count == 2)
    try PeerCertificates(chain: chain).judge(fingerprint: seen.fingerprint, now: SeenHello.validSeconds)
    try hello.check(session: seen.session(chain: chain), fingerprint: seen.fingerprint, now: SeenHello.validSeconds)
    #expect(try hello.commonVersion(ServerProbe.ownVersions(seen.transport)) == seen.versions.upperBound)
  }

  /// How `hello` is refused; nil when it passes.
  /// - Parameter shown: the certificates of the TLS handshake; those of the hello when there are none.
  private func refusal(
    _ seen: SeenHello, chain: [[UInt8]], shown: [[UInt8]]? = nil, key: [UInt8], sessionID: [UInt8]? = nil
  ) -> Trouble? {
    let hello = ServerHello(
      versions: seen.versions, sessionID: sessionID ?? [UInt8](seen.finished), signedKey: .init(chain: chain, key: key))
    do {
      let session = seen.session(chain: shown ?? chain)
      try hello.check(session: session, fingerprint: seen.fingerprint, now: SeenHello.validSeconds)
      return nil
    } catch {
      return error.trouble
    }
  }

  /// In DER.
  private func sequence(_ content: [UInt8]) -> [UInt8] {
    [0x30] + (content.count < 0x80 ? [] : [0x81]) + [UInt8(content.count)] + content
  }

  @Test(arguments: SeenHello.servers) func theSignatureCoversTheOuterSequence(_ server: String) throws {
    let seen = try SeenHello.of(server)
    let signedKey = try #require(try seen.read(seen.block).signedKey)
    // SEQUENCE { SEQUENCE { SubjectPublicKeyInfo }, algorithm, signature }; the SubjectPublicKeyInfo of X25519 has 44 bytes.
    let body = Array(signedKey.key.dropFirst(signedKey.key[1] < 0x80 ? 2 : 3))
    let (wrapped, end) = (Array(body.prefix(46)), Array(body.dropFirst(46)))
    let info = Array(wrapped.dropFirst(2))
    #expect(sequence(body) == signedKey.key && sequence(info) == wrapped)
    func refusal(_ signed: [UInt8]) -> Trouble? { self.refusal(seen, chain: signedKey.chain, key: sequence(signed + end)) }

    #expect(refusal(wrapped) == nil)
    // A key alone may be signed too, but here it is not what was signed.
    #expect(refusal(info)?.cause == .wrongIdentity)
    let malformed = Trouble(.protocol, "the key in the hello is invalid: the signed key is not an X25519 key")
    #expect(refusal(sequence(wrapped)) == malformed)
    #expect(refusal(sequence(info + [5, 0])) == malformed)
    #expect(refusal(sequence([])) == malformed)
    // The same bytes as a key of Ed25519.
    var other = info
    other[8] = 0x70
    #expect(refusal(sequence(other)) == malformed)
  }

  @Test(arguments: SeenHello.servers) func aHelloBelongsToOneConnectionAndOneServer(_ server: String) throws {
    let seen = try SeenHello.of(server)
    let signedKey = try #require(try seen.read(seen.block).signedKey)
    let other = try #require(try self.seen.first { $0.server != server }.flatMap { try $0.read($0.block).signedKey })
    let (chain, key) = (signedKey.chain, signedKey.key)
    #expect(refusal(seen, chain: chain, key: key) == nil)
    #expect(refusal(seen, chain: chain, key: key, sessionID: [1])?.cause == .wrongIdentity)
    #expect(refusal(seen, chain: other.chain, shown: chain, key: key)?.cause == .wrongIdentity)
    #expect(refusal(seen, chain: chain, key: other.key)?.cause == .wrongIdentity)
  }

  @Test(arguments: SeenHello.servers) func theCertificateOfTheHandshakeVerifiesTheKey(_ server: String) throws {
    let seen = try SeenHello.of(server)
    let signedKey = try #require(try seen.read(seen.block).signedKey)
    let (chain, key) = (signedKey.chain, signedKey.key)
    // Another certificate of the same server: its authority, which signed itself.
    let another = [chain[1], chain[1]]
    let forged = Trouble(
      .wrongIdentity, "the key in the hello is not the server's: the signature is not by the server's certificate")
    #expect(refusal(seen, chain: chain, shown: another, key: key) == forged)
    #expect(refusal(seen, chain: another, shown: chain, key: key) == nil)
    #expect(refusal(seen, chain: another, shown: another, key: key) == forged)
    #expect(refusal(seen, chain: chain, shown: [], key: key)?.cause == .protocol)
  }
}
