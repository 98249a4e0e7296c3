internal import CTLSClient
internal import Channels
internal import Dialing
internal import Foundation

/// The certificates of a server, judged as SimpleX does. The second one is the server's identity, named by the address. The last one is
/// trusted without a check. Host names do not matter.
struct PeerCertificates: Hashable, Sendable {
  /// The certificates in DER, the leaf first.
  let chain: [[UInt8]]
  /// How many certificates the server sent.
  let count: Int

  /// Upper bound of `chain`.
  static let keptMax = Int(CTLS_CERTIFICATES_MAX)
  static let countAllowed = 2...4

  init(chain: [[UInt8]], count: Int? = nil) {
    self.chain = chain
    self.count = count ?? chain.count
  }

  /// Judges number, identity, signatures and dates, in this order.
  /// - Parameters:
  ///   - fingerprint: the fingerprint of the identity, from the address.
  ///   - now: the time in seconds since 1970.
  /// - Throws: `protocol`, `wrongIdentity` or `expired`.
  func judge(fingerprint: String, now: Int64) throws(PeerFailure) {
    guard Self.countAllowed.contains(count), chain.count == count else {
      let certificates = count == 1 ? "1 certificate" : "\(count) certificates"
      throw PeerFailure(
        .protocol, "the server sends \(certificates), not \(Self.countAllowed.lowerBound) to \(Self.countAllowed.upperBound)")
    }
    let found = Self.fingerprint(chain[1])
    // Addresses are written with and without the padding.
    let expected = String(fingerprint.prefix { $0 != "=" })
    guard found == expected else {
      throw PeerFailure(.wrongIdentity, "the address expects the fingerprint \(expected), the server has \(found)")
    }
    try verify(now: now)
  }

  private func verify(now: Int64) throws(PeerFailure) {
    var index = 0
    var text = [CChar](repeating: 0, count: Int(CTLS_TEXT_BYTES))
    let result = ctls_chain_verify(Array(chain.joined()), chain.map(\.count), chain.count, now, &index, &text)
    let name = index == 0 ? "the server's certificate" : "certificate \(index + 1) of the server's chain"
    let validity = chain.indices.contains(index) ? Self.validity(chain[index]) : nil
    switch result {
    case CTLS_CHAIN_VALID: return
    case CTLS_CHAIN_EXPIRED: throw PeerFailure(.expired, "\(name) expired on \(Self.day(validity?.upperBound))")
    case CTLS_CHAIN_NOT_YET_VALID:
      throw PeerFailure(.expired, "\(name) is not valid before \(Self.day(validity?.lowerBound))")
    default: throw PeerFailure(.protocol, "\(name) does not verify: \(String(cText: text))")
    }
  }

  /// The day on which the first certificate of the chain expires, for people.
  var lastDay: String { Self.day(chain.compactMap { Self.validity($0)?.upperBound }.min()) }

  /// The SHA-256 in base64url without padding, by which addresses name certificates.
  static func fingerprint(_ der: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(CTLS_SHA256_BYTES))
    guard ctls_sha256(der, der.count, &digest) != 0 else { return "" }
    return Base64URL.encode(digest)
  }

  private static func validity(_ der: [UInt8]) -> ClosedRange<Int64>? {
    var (start, end) = (Int64(), Int64())
    guard ctls_certificate_validity(der, der.count, &start, &end) != 0, start <= end else { return nil }
    return start...end
  }

  private static func day(_ seconds: Int64?) -> String {
    guard let seconds else { return "an unknown day" }
    return Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
  }
}
