internal import CTLSClient
internal import Channels
internal import Dialing

extension ServerHello {
  /// Checks that the hello belongs to this connection and to the server that the address names.
  /// - Parameter now: the time in seconds since 1970.
  /// - Throws: `wrongIdentity`, `expired` or `protocol`.
  func check(session: TLSSession, fingerprint: String, now: Int64) throws(PeerFailure) {
    guard !session.finished.isEmpty, sessionID == session.finished else {
      throw PeerFailure(.wrongIdentity, "the hello is for another connection: someone may stand between")
    }
    guard let signedKey else { return }
    if signedKey.chain != session.chain {
      do {
        try PeerCertificates(chain: signedKey.chain).judge(fingerprint: fingerprint, now: now)
      } catch {
        throw PeerFailure(error.trouble.cause, "in the hello, \(error.trouble.detail)")
      }
    }
    try signedKey.verify(with: session.chain.first)
  }

  /// The highest version that both sides speak.
  /// - Throws: `incompatibleVersion`.
  func commonVersion(_ own: ClosedRange<Int>) throws(PeerFailure) -> Int {
    guard versions.overlaps(own) else {
      throw PeerFailure(
        .incompatibleVersion, "the server speaks versions \(versions.words), Baton speaks versions \(own.words)")
    }
    return min(versions.upperBound, own.upperBound)
  }
}

extension ServerHello.SignedKey {
  /// - Parameter leaf: the server's certificate in the TLS handshake. SimpleX clients verify with this one, whichever one the hello
  ///   shows (`getServerVerifyKey` in simplexmq): they cannot use a server that fails here.
  fileprivate func verify(with leaf: [UInt8]?) throws(PeerFailure) {
    guard let leaf else { throw PeerFailure(.protocol, "the server showed no certificate") }
    var text = [CChar](repeating: 0, count: Int(CTLS_TEXT_BYTES))
    switch ctls_signed_key_verify(leaf, leaf.count, key, key.count, &text) {
    case CTLS_KEY_VALID: return
    case CTLS_KEY_FORGED: throw PeerFailure(.wrongIdentity, "the key in the hello is not the server's: \(String(cText: text))")
    default: throw PeerFailure(.protocol, "the key in the hello is invalid: \(String(cText: text))")
    }
  }
}

extension ClosedRange<Int> {
  /// The range for people: `6-18`, or `6` alone.
  var words: String { lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound)-\(upperBound)" }
}
